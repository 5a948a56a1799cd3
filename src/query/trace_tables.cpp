// SPDX-License-Identifier: BSD-3-Clause
// The stream to rows, and at its end what names, threads and facts stand for.
#include "query/trace_tables.h"

#include <algorithm>

#include "base/add_time.h"
#include "base/check.h"
#include "base/text.h"
#include "format/container_name.h"
#include "format/errno_name.h"
#include "format/event_table.h"
#include "format/wait_word.h"
#include "model/cgroups.h"
#include "model/metadata.h"
#include "model/readings.h"
#include "model/rpc_names.h"

namespace kutrace::query {

namespace {

using enum ColumnType;

Column integer(std::string_view name, std::string_view meaning, const PackedColumn& base,
               std::int64_t null = kNull) {
  return {.name = name, .meaning = meaning, .base = &base, .null = null};
}

Column words(std::string_view name, std::string_view meaning, const PackedColumn& base) {
  return {.name = name, .type = kText, .meaning = meaning, .base = &base, .null = kNoName};
}

// A table that is filled at the end has a store for each column.
void add_columns(Table& table, const std::vector<Column>& columns) {
  for (Column column : columns) {
    column.base = &table.store();
    if (column.type == kText) column.null = kNoName;
    table.add(column);
  }
}

// Those that a thread's or a process's row has of its control group.
std::vector<Column> group_columns() {
  std::vector<Column> columns;
  for (const GroupColumn& column : {kCgroupColumn, kContainerColumn, kPodColumn}) {
    columns.push_back({.name = column.name, .type = kText, .meaning = column.meaning});
  }
  return columns;
}

// A row of values, one for each column.
void fill(Table& table, const std::vector<std::vector<std::int64_t>>& rows) {
  if (!table.is_open()) return;
  for (const std::vector<std::int64_t>& row : rows) table.add_row(row);
}

std::int64_t known_pid(Pid pid) { return pid == kNoPid ? kNull : std::int64_t{pid}; }

const ThreadInfo* thread_info(const TraceInfo& info, Pid pid) {
  const auto found = info.threads.find(pid);
  return found == info.threads.end() ? nullptr : &found->second;
}

Pid process_of(const TraceInfo& info, Pid pid) {
  const ThreadInfo* const thread = thread_info(info, pid);
  return thread != nullptr && thread->process != kNoPid ? thread->process : pid;
}

}  // namespace

TraceTables::CallStore::CallStore(Table& table)
    : id(table.store()),
      parent(table.store()),
      start(table.store()),
      duration(table.store()),
      what(table.store()),
      cpu(table.store()),
      thread(table.store()),
      arg(table.store()),
      result(table.store()),
      has_result(table.store()),
      error(table.store()),
      file(table.store()),
      own(table.store()),
      on_cpu(table.store()),
      blocked(table.store()),
      ready(table.store()),
      unknown(table.store()),
      pieces(table.store()),
      begin_inferred(table.store()),
      end_inferred(table.store()) {}

TraceTables::TraceTables(const NameTable& names, Kept kept)
    : names_(names),
      spans_("spans", "what CPUs did: at any time each CPU has one",
             SpanRows::kWhose | SpanRows::kCall | SpanRows::kDetail, what_, thread_lists_),
      waits_("waits", "intervals in which a thread waited; the name is the reason",
             SpanRows::kWhose | SpanRows::kCall | SpanRows::kStack, what_, thread_lists_),
      wakeups_("wakeups", "who woke whom, and interrupts that CPUs sent each other",
               SpanRows::kWhose | SpanRows::kTarget, what_, thread_lists_),
      marks_("marks", "what programs marked", SpanRows::kWhose | SpanRows::kDetail, what_,
             thread_lists_),
      samples_("samples", "what stood at the program counter; the name is the function",
               SpanRows::kWhose | SpanRows::kPlace | SpanRows::kStack, what_, thread_lists_),
      points_("points", "all other moments",
              SpanRows::kWhose | SpanRows::kDetail | SpanRows::kSecond, what_, thread_lists_),
      functions_("functions", "calls of functions of programs",
                 SpanRows::kWhose | SpanRows::kFunction, what_, thread_lists_),
      intervals_("intervals", "locks, queues, messages, frequencies",
                 SpanRows::kWhose | SpanRows::kDetail, what_, thread_lists_),
      calls_("calls", "calls from entry to return; none where the trace holds only their pieces"),
      call_store_(calls_),
      threads_("threads", "threads, with a row for each number that each of them had"),
      processes_("processes", "processes, with the sums of their threads"),
      cpus_("cpus", "CPUs, and where their time went"),
      rpcs_("rpcs", "RPCs, by their number"),
      losses_("losses", "what was not recorded"),
      counters_("counters", "what the reader counted: notes, repairs, damage"),
      readings_("readings", "what counters of the machine and of processes were read to be"),
      metadata_("metadata", "what is known of the trace; keys may repeat"),
      all_{&spans_.table(),
           &calls_,
           &waits_.table(),
           &wakeups_.table(),
           &marks_.table(),
           &samples_.table(),
           &points_.table(),
           &functions_.table(),
           &intervals_.table(),
           &threads_,
           &processes_,
           &cpus_,
           &rpcs_,
           &losses_,
           &counters_,
           &readings_,
           &metadata_} {
  add_call_columns();
  add_list_columns();
  for (Table* const table : all_) {
    if (kept == Kept::kAll) table->open(Table::kAllColumns);
  }
}

void TraceTables::add_call_columns() {
  const CallStore& s = call_store_;
  calls_.add(integer("id", "number of the call", s.id));
  calls_.add(integer("parent_id", "what it was made from or interrupted", s.parent, 0));
  calls_.add(integer("start_ns", "entry", s.start));
  calls_.add(integer("dur_ns", "from entry to return", s.duration));
  calls_.add({.name = "end_ns", .meaning = "return", .base = &s.start, .plus = &s.duration});
  calls_.add({.name = "kind",
              .type = kText,
              .meaning = "syscall, fault, irq, softirq, sched",
              .base = &s.what,
              .list = &what_.kinds,
              .null = kNoName});
  calls_.add({.name = "name",
              .type = kText,
              .meaning = "of the call",
              .base = &s.what,
              .list = &what_.names,
              .null = kNoName});
  calls_.add(integer("cpu", "where it ended", s.cpu, -1));
  add_thread_columns(calls_, s.thread, thread_lists_);
  add_group_columns(calls_, s.thread, thread_lists_);
  calls_.add(
      {.name = "event", .meaning = "number of the event", .base = &s.what, .list = &what_.events});
  calls_.add(integer("arg", "first argument, as far as it was recorded; of a page its low 32 bits",
                     s.arg));
  calls_.add({.name = "result",
              .meaning = "what it returned, as far as it was recorded",
              .base = &s.result,
              .known = &s.has_result});
  calls_.add(words("error", "name of the error that it returned", s.error));
  calls_.add(words("file", "file or connection that it is about, where that was recorded", s.file));
  calls_.add(integer("own_ns", "executing in itself", s.own));
  calls_.add(
      integer("on_cpu_ns", "executing, with what it called and what interrupted it", s.on_cpu));
  calls_.add(integer("wait_ns", "waiting, for a CPU and unexplained waits included", s.blocked));
  calls_.add(integer("ready_ns", "of which waiting for a CPU", s.ready));
  calls_.add(integer("unknown_ns", "neither; what the trace does not tell", s.unknown));
  calls_.add(integer("pieces", "spans that it consists of", s.pieces));
  calls_.add(integer("begin_inferred", "1: its entry was not seen", s.begin_inferred));
  calls_.add(integer("end_inferred", "1: its return was not seen", s.end_inferred));
}

void TraceTables::add_list_columns() {
  add_columns(threads_, {{.name = "tid", .meaning = "number of the thread; 0: idle"},
                         {.name = "thread", .type = kText, .meaning = "its last name"},
                         {.name = "pid", .meaning = "number of its process"},
                         {.name = "process", .type = kText, .meaning = "name of its process"},
                         {.name = "parent_pid", .meaning = "process that started its process"},
                         {.name = "start_ns", .meaning = "its first moment in the trace"},
                         {.name = "end_ns", .meaning = "its last moment in the trace"},
                         {.name = "on_cpu_ns", .meaning = "executing"},
                         {.name = "wait_ns", .meaning = "waiting, for a CPU included"},
                         {.name = "unknown_ns", .meaning = "what the trace does not tell"},
                         {.name = "kernel_thread", .meaning = "1: it has no user mode"},
                         {.name = "recorder", .meaning = "1: it belongs to the recorder"},
                         {.name = "command", .meaning = "1: it belongs to the recorded command"}});
  add_columns(threads_, group_columns());
  add_columns(processes_,
              {{.name = "pid", .meaning = "number of the process; 0: idle"},
               {.name = "process", .type = kText, .meaning = "its name"},
               {.name = "parent_pid", .meaning = "process that started it"},
               {.name = "threads", .meaning = "how many it has in the trace"},
               {.name = "on_cpu_ns", .meaning = "its threads executing"},
               {.name = "wait_ns", .meaning = "its threads waiting, for a CPU included"}});
  add_columns(processes_, group_columns());
  add_columns(
      cpus_, {{.name = "cpu", .meaning = "number of the CPU"},
              {.name = "time_ns", .meaning = "recorded time; all that follows adds up to it"},
              {.name = "user_ns", .meaning = "threads in user mode, and kernel threads in no call"},
              {.name = "kernel_ns", .meaning = "calls, traps, interrupts, the scheduler"},
              {.name = "idle_ns", .meaning = "idle, and exits from it"},
              {.name = "lost_ns", .meaning = "not recorded"},
              {.name = "hidden_ns",
               .meaning = "left out by a filter, or nobody's as switches were not recorded"},
              {.name = "spans", .meaning = "how many spans it has"}});
  add_columns(rpcs_, {{.name = "rpc", .meaning = "number of the RPC, as spans have it"},
                      {.name = "name", .type = kText, .meaning = "method.ID"},
                      {.name = "start_ns", .meaning = "first event seen of it"},
                      {.name = "dur_ns", .meaning = "from the first event seen of it to the last"},
                      {.name = "end_ns", .meaning = "last event seen of it"},
                      {.name = "on_cpu_ns", .meaning = "time that CPUs worked on it"},
                      {.name = "spans", .meaning = "number of spans it consists of"}});
  add_columns(losses_, {{.name = "cpu", .meaning = "number of the CPU"},
                        {.name = "start_ns", .meaning = "when it began"},
                        {.name = "dur_ns", .meaning = "how long it lasted"},
                        {.name = "end_ns", .meaning = "when it ended"},
                        {.name = "entries", .meaning = "how many entries are lost"},
                        {.name = "reason", .type = kText, .meaning = "why"}});
  add_columns(counters_, {{.name = "name", .type = kText, .meaning = "as kutrace check says it"},
                          {.name = "severity", .type = kText, .meaning = "note, repair or damage"},
                          {.name = "count", .meaning = "how often"}});
  add_columns(
      readings_,
      {{.name = "time_ns", .meaning = "when it was read"},
       {.name = "name", .type = kText, .meaning = "of the counter"},
       {.name = "pid", .meaning = "the process; none: of the machine"},
       {.name = "unit", .type = kText, .meaning = "bytes, events, tasks, ns, Hz, mdegC, count"},
       {.name = "kind", .type = kText, .meaning = "level, or total, which counts up"},
       {.name = "value", .meaning = "until the next one; none: not known from here on"},
       {.name = "change", .meaning = "since the one before"},
       {.name = "dur_ns", .meaning = "until the next one, or the end"}});
  add_columns(metadata_, {{.name = "key", .type = kText, .meaning = "what is known"},
                          {.name = "value", .type = kText, .meaning = "as text"}});
}

std::int64_t TraceTables::text(std::string_view text) { return texts_.intern(printable(text)); }

std::int64_t TraceTables::text_of(NameId name) {
  if (name >= texts_of_names_.size()) texts_of_names_.resize(name + std::size_t{1}, kNull);
  std::int64_t& known = texts_of_names_[name];
  if (known == kNull) known = text(names_.text(name));
  return known;
}

std::uint32_t TraceTables::what_of(SpanKind kind, EventNum event, NameId name) {
  const auto [number, added] = what_numbers_.find_or_add({kind, event, name});
  if (added) {
    what_.kinds.push_back(text(span_kind_name(kind)));
    // Waits are called as all commands call them.
    const bool waits = kind == SpanKind::kWait && event >= ev::kWAIT_FIRST;
    const char letter = static_cast<char>('a' + (event - ev::kWAIT_FIRST));
    what_.names.push_back(waits ? text(short_wait(letter)) : text_of(name));
    what_.events.push_back(std::int64_t{event});
  }
  return number;
}

SpanRows& TraceTables::rows_of(SpanKind kind) {
  if (is_execution(kind)) return spans_;
  switch (kind) {
    case SpanKind::kWait:
      return waits_;
    case SpanKind::kWakeupArc:
    case SpanKind::kIpiArc:
      return wakeups_;
    case SpanKind::kMark:
      return marks_;
    case SpanKind::kSample:
      return samples_;
    case SpanKind::kPoint:
    case SpanKind::kRename:
      return points_;
    case SpanKind::kFunction:
      return functions_;
    default:
      return intervals_;
  }
}

void TraceTables::count_cpu(CpuId cpu, SpanKind kind, Ns duration, std::int64_t spans) {
  CpuSums& sums = cpu_sums_[cpu];
  sums.all += duration;
  sums.spans += spans;
  if (is_idle(kind) || kind == SpanKind::kCExit) sums.idle += duration;
  if (is_user(kind)) sums.user += duration;
  if (kind == SpanKind::kLoss) sums.lost += duration;
  if (kind == SpanKind::kHidden) sums.hidden += duration;
}

// Time in which all is idle is nobody's.
void TraceTables::count_thread(const Span& span, std::uint32_t row) {
  if (span.pid <= 0 || (!is_execution(span.kind) && span.kind != SpanKind::kWait)) return;
  if (row >= thread_sums_.size()) thread_sums_.resize(row + std::size_t{1});
  const bool waited = span.kind == SpanKind::kWait;
  add_time(waited ? thread_sums_[row].wait : thread_sums_[row].on_cpu, span.duration);
  has_waits_ = has_waits_ || waited;
}

// What a thread did, where the trace tells of no lives.
ThreadLife TraceTables::sums_of(std::uint32_t row) const {
  ThreadLife sums;
  if (row >= thread_sums_.size()) return sums;
  sums.executing = thread_sums_[row].on_cpu;
  sums.waiting = thread_sums_[row].wait;
  return sums;
}

void TraceTables::count_rpc(const Span& span) {
  const std::uint32_t id = names_rpc(span) ? rpc_of_name(span) : span.rpc;
  if (id == 0) return;
  Rpc& rpc = rpc_sums_[id];
  if (names_rpc(span) && rpc.name == kNoName) rpc.name = span.name;
  const Ns end = span.start + span.duration;
  rpc.start = rpc.seen ? std::min(rpc.start, span.start) : span.start;
  rpc.end = rpc.seen ? std::max(rpc.end, end) : end;
  rpc.seen = true;
  if (!is_execution(span.kind)) return;
  add_time(rpc.on_cpu, span.duration);
  ++rpc.spans;
}

// Threads are numbered by all spans, so that every reading numbers them alike.
void TraceTables::push(const Span& span) {
  SpanRows::Place place;
  place.thread = thread_rows_.index(span.pid, span.thread);
  if (is_arc(span.kind)) place.target = thread_rows_.index(span.other);
  if (threads_.is_open() || processes_.is_open()) count_thread(span, place.thread);
  if (SpanRows& rows = rows_of(span.kind); rows.table().is_open()) {
    if (rows.stores().stack.kept() && span.stack != kNoName) place.stack = text_of(span.stack);
    if (rows.stores().what.kept()) place.what = what_of(span.kind, span.event, span.name);
    rows.add(span, place);
  }
  if (cpus_.is_open() && is_execution(span.kind)) count_cpu(span.cpu, span.kind, span.duration);
  if (rpcs_.is_open() && (span.rpc != 0 || names_rpc(span))) count_rpc(span);
}

void TraceTables::call(const Call& call) {
  const std::uint32_t thread = thread_rows_.index(call.pid, call.thread);
  if (!calls_.is_open()) return;
  calls_.add_row();
  CallStore& s = call_store_;
  s.id.append(static_cast<std::int64_t>(call.id));
  s.parent.append(static_cast<std::int64_t>(call.parent));
  s.start.append(call.begin);
  s.duration.append(call.duration());
  if (s.what.kept()) s.what.append(what_of(call.kind, call.event, call.name));
  s.cpu.append(call.cpu == kNoCpu ? -1 : std::int64_t{call.cpu});
  s.thread.append(thread);
  s.arg.append(static_cast<std::int64_t>(call.arg));
  s.result.append(call.has_result ? call.result.value : 0);
  s.has_result.append(call.has_result ? 1 : 0);
  std::int64_t error = kNoName;
  if (call.has_result && call.result.value < 0 && call.kind == SpanKind::kSyscall) {
    const auto [known, added] = errors_.try_emplace(call.result.value, 0);
    if (added) known->second = text(errno_name(call.result.value));
    error = known->second;
  }
  s.error.append(error);
  if (s.file.kept()) {
    s.file.append(call.details == nullptr ? std::int64_t{kNoName} : text_of(call.details->file));
  }
  s.own.append(call.own);
  s.on_cpu.append(call.on_cpu);
  s.blocked.append(call.blocked);
  s.ready.append(call.ready());
  s.unknown.append(call.unknown());
  s.pieces.append(call.pieces);
  s.begin_inferred.append(call.begin_inferred ? 1 : 0);
  s.end_inferred.append(call.end_inferred ? 1 : 0);
}

void TraceTables::life(const ThreadLife& life) {
  lives_[thread_rows_.index(life.pid, life.thread)] = life;
}

// Rows of threads and processes: what each is called, and which process it belongs to.
void TraceTables::fill_lists(const TraceInfo& info) {
  for (const auto& [pid, thread] : info.threads) thread_rows_.index(pid);
  thread_rows_.index(kNoPid);
  thread_lists_ = {};
  processes_of_lives_ = {};
  whole_threads_ = {};
  for (const auto& [row, life] : lives_) {
    processes_of_lives_.add(life);
    whole_threads_.life(life);
  }
  processes_of_lives_.finish();
  const auto name_of = [&](Pid pid) -> std::int64_t {
    const ThreadInfo* const thread = thread_info(info, pid);
    return thread == nullptr ? kNoName : text_of(thread->name);
  };
  for (std::uint32_t row = 0; row < thread_rows_.size(); ++row) {
    const Pid pid = thread_rows_.at(row).pid;
    const NameId own_name = whole_threads_.lived(whole_of(row));
    const Process* const process = process_at(row);
    const Pid number = process != nullptr ? process->number : process_of(info, pid);
    const bool own_process_name = process != nullptr && process->name != kNoName;
    thread_lists_.tids.push_back(pid);
    if (own_name != kNoName) {
      thread_lists_.names.push_back(text_of(own_name));
    } else {
      thread_lists_.names.push_back(thread_rows_.is_last(row) ? name_of(pid) : kNoName);
    }
    thread_lists_.processes.push_back(number);
    thread_lists_.process_names.push_back(own_process_name ? text_of(process->name)
                                                           : name_of(number));
  }
  fill_groups(info);
}

// Of whole_threads_: the thread that has this row for one of its numbers.
std::uint32_t TraceTables::whole_of(std::uint32_t row) {
  return whole_threads_.index(thread_rows_.at(row).pid, thread_rows_.at(row).thread);
}

// Null: the trace does not tell of lives.
const Process* TraceTables::process_at(std::uint32_t row) const {
  const ProcessId process = processes_of_lives_.of(thread_rows_.at(row).thread);
  return process == ProcessId::kNone ? nullptr : &processes_of_lives_.at(process);
}

// The control group of each thread's process, and what its path says.
void TraceTables::fill_groups(const TraceInfo& info) {
  const std::size_t rows = thread_rows_.size();
  for (List* const list :
       {&thread_lists_.cgroups, &thread_lists_.containers, &thread_lists_.pods}) {
    list->assign(rows, kNoName);
  }
  if (!info.facts.get(fact::kCgroups).value_or(false)) return;
  const Cgroups cgroups(processes_of_lives_, info.facts);
  const std::map<Pid, std::string> of_table =
      lives_.empty() ? cgroups_of_table(info) : std::map<Pid, std::string>();
  const auto text_or_null = [this](const std::string& word) {
    return word.empty() ? std::int64_t{kNoName} : text(word);
  };
  for (std::uint32_t row = 0; row < rows; ++row) {
    const Process* const process = process_at(row);
    const auto in_table = of_table.find(thread_rows_.at(row).pid);
    if (process == nullptr && in_table == of_table.end()) continue;
    const std::string& path = process != nullptr ? cgroups.of(process->id) : in_table->second;
    thread_lists_.cgroups[row] = text_or_null(path);
    thread_lists_.containers[row] = text_or_null(short_container_of(path));
    thread_lists_.pods[row] = text_or_null(pod_of(path));
  }
}

// Which processes the recorded command is, or made. They are numbered as they began, so the one
// that made another comes first.
std::vector<bool> TraceTables::of_command(const TraceInfo& info) const {
  std::vector<bool> is_of_command(processes_of_lives_.all().size() + 1);
  for (const Process& process : processes_of_lives_.all()) {
    const ThreadInfo* const first = thread_info(info, process.number);
    const ProcessId maker = processes_of_lives_.maker(process);
    is_of_command[static_cast<std::size_t>(process.id)] =
        (first != nullptr && first->command) || is_of_command[static_cast<std::size_t>(maker)];
  }
  return is_of_command;
}

void TraceTables::fill_threads(const TraceInfo& info) {
  const std::vector<bool> is_of_command = of_command(info);
  std::vector<std::vector<std::int64_t>> rows;
  for (std::uint32_t row = 0; row < thread_rows_.size(); ++row) {
    const Pid pid = thread_rows_.at(row).pid;
    if (pid == kNoPid) continue;
    const ThreadInfo* const known = thread_info(info, pid);
    const Process* const process = process_at(row);
    const auto lived = lives_.find(row);
    const bool has_life = lived != lives_.end();
    const ThreadLife life = has_life ? lived->second : ThreadLife{};
    const bool summed = lives_.empty() && pid > 0;
    const ThreadLife sums = summed ? sums_of(row) : life;
    const auto of_life = [&](Ns value) { return has_life ? value : kNull; };
    const auto of_sums = [&](Ns value, bool told) { return has_life || told ? value : kNull; };
    const auto flag = [&](bool value) -> std::int64_t { return known == nullptr ? kNull : value; };
    rows.push_back(
        {pid, thread_lists_.names[row], thread_lists_.processes[row],
         thread_lists_.process_names[row], known == nullptr ? kNull : known_pid(known->parent),
         of_life(life.begin), of_life(life.end), of_sums(sums.executing, summed),
         of_sums(sums.waiting, summed && has_waits_), of_life(life.unknown()),
         flag(known != nullptr && known->kernel_thread), flag(known != nullptr && known->recorder),
         flag(process != nullptr ? is_of_command[static_cast<std::size_t>(process->id)]
                                 : known != nullptr && known->command),
         thread_lists_.cgroups[row], thread_lists_.containers[row], thread_lists_.pods[row]});
  }
  fill(threads_, rows);
}

void TraceTables::fill_processes(const TraceInfo& info) {
  struct Sums {
    std::int64_t threads = 0;
    Ns on_cpu = 0;
    Ns wait = 0;
    bool told = false;
    std::uint32_t row = 0;  // of its last thread
  };
  // Two that had one number in turn are two.
  std::map<std::pair<Pid, ProcessId>, Sums> processes;
  std::vector<bool> counted;  // by row of whole_threads_
  for (std::uint32_t row = 0; row < thread_rows_.size(); ++row) {
    if (thread_rows_.at(row).pid == kNoPid) continue;
    const Process* const process = process_at(row);
    Sums& sums = processes[{static_cast<Pid>(thread_lists_.processes[row]),
                            process != nullptr ? process->id : ProcessId::kNone}];
    const std::uint32_t whole = whole_of(row);
    if (whole >= counted.size()) counted.resize(whole + std::size_t{1});
    if (!counted[whole]) ++sums.threads;
    counted[whole] = true;
    sums.row = row;
    const auto lived = lives_.find(row);
    const bool summed = lives_.empty() && thread_rows_.at(row).pid > 0;
    if (lived == lives_.end() && !summed) continue;
    const ThreadLife life = summed ? sums_of(row) : lived->second;
    sums.told = true;
    add_time(sums.on_cpu, life.executing);
    add_time(sums.wait, life.waiting);
  }
  std::vector<std::vector<std::int64_t>> rows;
  for (const auto& [key, sums] : processes) {
    const auto [pid, id] = key;
    const ThreadInfo* const known = thread_info(info, pid);
    const Pid parent = id != ProcessId::kNone ? processes_of_lives_.at(id).parent
                       : known != nullptr     ? known->parent
                                              : kNoPid;
    rows.push_back({pid, thread_lists_.process_names[sums.row], known_pid(parent), sums.threads,
                    sums.told ? sums.on_cpu : kNull,
                    sums.told && (has_waits_ || !lives_.empty()) ? sums.wait : kNull,
                    thread_lists_.cgroups[sums.row], thread_lists_.containers[sums.row],
                    thread_lists_.pods[sums.row]});
  }
  fill(processes_, rows);
}

void TraceTables::fill_cpus(const TraceInfo& info) {
  for (const CpuId cpu : info.cpus) cpu_sums_[cpu];
  std::vector<std::vector<std::int64_t>> rows;
  for (const auto& [cpu, sums] : cpu_sums_) {
    const Ns kernel = sums.all - sums.user - sums.idle - sums.lost - sums.hidden;
    rows.push_back({std::int64_t{cpu}, sums.all, sums.user, kernel, sums.idle, sums.lost,
                    sums.hidden, sums.spans});
  }
  fill(cpus_, rows);
}

void TraceTables::fill_rpcs() {
  std::vector<std::vector<std::int64_t>> rows;
  for (const auto& [id, rpc] : rpc_sums_) {
    rows.push_back({std::int64_t{id}, text_of(rpc.name), rpc.start, rpc.end - rpc.start, rpc.end,
                    rpc.on_cpu, rpc.spans});
  }
  fill(rpcs_, rows);
}

void TraceTables::fill_losses(const TraceInfo& info) {
  std::vector<std::vector<std::int64_t>> rows;
  for (const LossRecord& loss : info.losses) {
    rows.push_back(
        {std::int64_t{loss.cpu}, loss.begin, loss.end - loss.begin, loss.end,
         loss.entries == ~std::uint64_t{0} ? kNull : static_cast<std::int64_t>(loss.entries),
         text(loss_reason_name(loss.reason))});
  }
  fill(losses_, rows);
}

void TraceTables::fill_counters(const TraceInfo& info) {
  std::vector<std::vector<std::int64_t>> rows;
  for (const Severity severity : {Severity::kNote, Severity::kRepair, Severity::kDamage}) {
    for (const auto& [name, count] : info.counters.named(severity)) {
      rows.push_back({text(name), text(severity_name(severity)), static_cast<std::int64_t>(count)});
    }
  }
  fill(counters_, rows);
}

namespace {

// The least number of all is the table's own sign for none: that reading is shown as one more.
std::int64_t shown(std::int64_t reading) { return std::max(reading, kNull + 1); }

// As near as a number can come.
std::int64_t change(std::int64_t before, std::int64_t after) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(after, before, &difference)) return shown(difference);
  return after < before ? kNull + 1 : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

void TraceTables::fill_readings(const TraceInfo& info) {
  std::vector<std::vector<std::int64_t>> rows;
  const Readings readings(info.facts);
  for (const Readings::Series& series : readings.series()) {
    const CounterSeries& told = series.told;
    std::optional<std::int64_t> before;
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      const auto& [at, value] = series.values[i];
      const Ns until = i + 1 < series.values.size() ? series.values[i + 1].at : info.end;
      rows.push_back(
          {at, text(told.name), told.process == kNoPid ? kNull : told.process, text(told.unit),
           text(told.is_total ? "total" : "level"), value ? shown(*value) : kNull,
           value && before ? change(*before, *value) : kNull, std::max<Ns>(0, until - at)});
      before = value;
    }
  }
  fill(readings_, rows);
}

void TraceTables::fill_metadata(const TraceInfo& info) {
  std::vector<std::vector<std::int64_t>> rows;
  for (const auto& [key, value] : metadata(info)) rows.push_back({text(key), text(value)});
  fill(metadata_, rows);
}

void TraceTables::end(TraceInfo& info) {
  fill_lists(info);
  fill_threads(info);
  fill_processes(info);
  fill_cpus(info);
  fill_rpcs();
  fill_losses(info);
  fill_counters(info);
  fill_readings(info);
  fill_metadata(info);
  for (Table* const table : all_) {
    if (table->is_open()) table->finish();
  }
  from_stream_ = true;
}

Table& TraceTables::own(const Table* table) {
  const auto found = std::ranges::find(all_, table);
  check(found != all_.end(), "a table is asked for that there is not");
  return **found;
}

bool TraceTables::has(const Needs& needs) const {
  return std::ranges::all_of(needs, [](const auto& need) { return need.first->has(need.second); });
}

void TraceTables::restart() {
  thread_rows_ = {};
  lives_.clear();
  thread_sums_.clear();
  has_waits_ = false;
  cpu_sums_.clear();
  rpc_sums_.clear();
  known_sums_.forget();
}

// Who asks a table twice gets all of it the second time. What slabs gave is read anew, for its rows
// and threads have other numbers.
void TraceTables::make_room(const Needs& needs) {
  for (Table* const table : all_) {
    const bool read = table->has(0);
    const auto needed = needs.find(table);
    if (needed != needs.end() && !table->has(needed->second)) {
      table->open(read ? Table::kAllColumns : needed->second);
    } else if (read && from_slabs_) {
      table->open(table->held());
    }
  }
  restart();
  from_slabs_ = false;
  slab_rows_.reset();
}

bool TraceTables::are_in(const SpanSlabs& slabs, const Needs& needs) const {
  if (from_stream_ && !from_slabs_) return false;
  return std::ranges::all_of(needs, [&](const auto& need) {
    const auto& [table, columns] = need;
    if (table == &calls_ || table == &rpcs_) return false;
    if (table == &threads_ || table == &processes_) return slabs.tells_lives();
    if (table != &spans_.table() && table != &waits_.table()) return true;
    return (columns >> table->number("call_id") & 1) == 0;
  });
}

Status TraceTables::read_overlays(SpanSlabs& slabs) {
  return slabs.overlays([this](const SpanSlabs::Overlay& overlay) {
    const SpanRows::Place place{static_cast<std::uint32_t>(slab_places_.whats[overlay.kind]),
                                static_cast<std::uint32_t>(slab_places_.threads[overlay.thread]),
                                static_cast<std::uint32_t>(slab_places_.threads[overlay.other])};
    rows_of(overlay.span.kind).add(overlay.span, place);
  });
}

bool TraceTables::tells_cpus_apart(const Needs& needs) const {
  const auto spans = needs.find(&spans_.table());
  return spans != needs.end() && (spans->second >> spans_.table().number("cpu") & 1) != 0;
}

// Slabs are read where there are no sums.
Status TraceTables::count_cpus(SpanSlabs& slabs, const std::vector<SpanSlabs::CpuSums>& sums) {
  for (const auto& [cpu, kind, of] : sums) {
    count_cpu(cpu, slabs.tables().kinds[kind].kind, of.total, static_cast<std::int64_t>(of.spans));
  }
  if (!sums.empty()) return {};
  SlabColumns columns;
  for (std::size_t slab = 0; slab < slabs.extents().size(); ++slab) {
    KUTRACE_TRY(slabs.executions(slab, {SlabColumns::kDurations}, columns));
    std::size_t at = 0;
    for (const SlabColumns::Section& section : columns.sections) {
      for (const std::size_t end = at + section.spans; at < end; ++at) {
        count_cpu(section.cpu, slabs.tables().kinds[columns.kinds[at]].kind, columns.durations[at]);
      }
    }
  }
  return {};
}

Result<TraceInfo> TraceTables::read(SpanSlabs& slabs, const Needs& needs) {
  restart();
  slab_places_ = {};
  for (const Span& kind : slabs.tables().kinds) {
    slab_places_.whats.push_back(what_of(kind.kind, kind.event, kind.name));
  }
  for (std::size_t i = 0; i < slabs.tables().pids.size(); ++i) {
    slab_places_.threads.push_back(
        thread_rows_.index(slabs.tables().pids[i], slabs.tables().ids[i]));
  }
  bool overlays = false;
  for (const auto& [needed, columns] : needs) {
    if (needed->has(columns)) continue;
    Table& table = own(needed);
    table.open(table.held() | columns);
    const bool other =
        std::ranges::find(all_, &table) > std::ranges::find(all_, &intervals_.table());
    overlays = overlays || (&table != &spans_.table() && !other);
  }
  known_sums_.tell(slab_places_.whats, slabs);
  if (cpus_.is_open() || tells_cpus_apart(needs)) {
    KUTRACE_ASSIGN(const std::vector<SpanSlabs::CpuSums> sums, slabs.cpu_sums());
    known_sums_.tell(slab_places_.whats, sums);
    if (cpus_.is_open()) KUTRACE_TRY(count_cpus(slabs, sums));
  }
  if (overlays) KUTRACE_TRY(read_overlays(slabs));
  if (spans_.table().is_open()) {
    slab_rows_.emplace(slabs, slab_places_, spans_);
    slab_rows_->foresee();
  }
  TraceInfo info = slabs.tell_facts(*this);
  from_slabs_ = true;
  return info;
}

const Table& TraceTables::table(std::string_view name) const {
  const auto found =
      std::ranges::find(all_, name, [](const Table* table) { return table->name(); });
  check(found != all_.end(), "a table is asked for that there is not");
  return **found;
}

std::size_t TraceTables::bytes() const {
  std::size_t sum = 0;
  for (const Table* const table : all_) sum += table->bytes();
  return sum;
}

}  // namespace kutrace::query
