// SPDX-License-Identifier: BSD-3-Clause
// The streams' events, merged by time.
#include "read/ctf/ctf_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/counted.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "read/ctf/ctf_clock.h"
#include "read/ctf/ctf_events.h"
#include "read/ctf/ctf_metadata.h"
#include "read/ctf/ctf_stream.h"
#include "read/import/imported.h"
#include "read/import/lowering.h"
#include "read/import/nobody.h"
#include "read/import/thread_number.h"

namespace kutrace::read {

namespace {

constexpr Ns kNsPerUsec = 1000;
// Where a clock is earlier, its zero is when the machine began, whatever the metadata say.
constexpr Ns kYear2000 = 946'684'800 * static_cast<Ns>(kNsPerSecond);

std::uint64_t size_of(const MappedFile& metadata, const std::vector<MappedFile>& streams) {
  std::uint64_t bytes = metadata.bytes().size();
  for (const MappedFile& stream : streams) bytes += stream.bytes().size();
  return bytes;
}

// That nobody is known may be told by a field that has no sign.
Pid thread_of(std::uint64_t value) {
  return value == std::numeric_limits<std::uint32_t>::max() ? kNoPid : thread_number(value);
}

class CtfImport {
 public:
  CtfImport(const MappedFile& metadata, std::vector<MappedFile> files)
      : metadata_(metadata), blocks_(size_of(metadata, files)), files_(std::move(files)) {}

  Result<std::unique_ptr<TraceReader>> run() {
    KUTRACE_ASSIGN(schema_, read_ctf_metadata(metadata_));
    CtfEvents events(schema_.told("machine"));
    for (auto& [id, stream] : schema_.streams)
      for (auto& [number, event] : stream.events) events.use(event);
    begin_streams();
    KUTRACE_TRY(must_be_usable());
    lowering_.emplace(options(events.machine()),
                      [this](std::uint64_t number, std::string_view bytes) {
                        return blocks_.put(number, bytes);
                      });
    declare();
    KUTRACE_TRY(lower());
    say(events);
    KUTRACE_TRY(lowering_->finish(last_));
    return std::move(blocks_).open(metadata_.name(), found());
  }

 private:
  void begin_streams() {
    streams_.reserve(files_.size());
    for (MappedFile& file : files_) {
      if (file.bytes().empty()) continue;
      streams_.emplace_back(schema_, std::move(file));
      step(streams_.size() - 1);
    }
  }

  void step(std::size_t i) {
    if (streams_[i].next()) {
      queue_.emplace_back(streams_[i].time(), i);
      std::ranges::push_heap(queue_, std::greater());
    }
  }

  Status must_be_usable() const {
    const auto refuse = [](std::string why) {
      return fail(
          input_error("is the metadata of a CTF trace " + std::move(why))
              .with_hint("lttng enable-event -k sched_switch --syscall --all records some"));
    };
    if (streams_.empty()) return refuse("without streams beside it");
    const bool has_cpu = std::ranges::any_of(streams_, &CtfStream::has_cpu);
    if (!queue_.empty() && !has_cpu) return refuse("that does not tell CPUs (cpu_id)");
    const bool is_of_programs = schema_.told("domain") == "ust";
    if (queue_.empty() && is_of_programs)
      return refuse("of user space, without the kernel's events");
    if (queue_.empty()) return refuse("without events of the kernel that can be used");
    return {};
  }

  Lowering::Options options(const std::string& machine) {
    Lowering::Options options;
    options.most_cpus = blocks_.most_bytes() / KUTRACE_BLOCK_BYTES;
    options.source = source();
    options.machine = machine;
    options.begin = queue_.front().first;
    for (const CtfStream& stream : streams_)
      if (const auto begin = stream.begin()) options.begin = std::min(options.begin, *begin);
    if (schema_.clocks.empty()) return options;
    const CtfClock& clock = schema_.clocks.front();
    options.is_monotonic = clock.name == "monotonic" && clock.frequency == kNsPerSecond;
    const Ns wall = clock_offset(clock) + options.begin;
    if (clock.is_since_1970 && wall > kYear2000)
      options.wall_usec = static_cast<std::uint64_t>(wall / kNsPerUsec);
    return options;
  }

  std::string source() const {
    const std::string_view tracer = schema_.told("tracer_name");
    if (tracer.starts_with("lttng")) return "lttng";
    return tracer.starts_with("perf") ? "perf" : "ctf";
  }

  void declare() {
    for (const CtfStream& stream : streams_)
      if (stream.has_cpu()) lowering_->has(stream.cpu());
    for (const auto& [id, stream] : schema_.streams)
      for (const auto& [number, event] : stream.events)
        if (event.use.kind == CtfUse::Kind::kEvent) lowering_->records(event.use.what);
  }

  Status lower() {
    while (!queue_.empty()) {
      std::ranges::pop_heap(queue_, std::greater());
      const auto [time, i] = queue_.back();
      queue_.pop_back();
      const CtfStream& stream = streams_[i];
      if (stream.lost()) KUTRACE_TRY(lose(stream, time));
      KUTRACE_TRY(take(stream, time));
      step(i);
    }
    for (const CtfStream& stream : streams_) last_ = std::max(last_, stream.end());
    // What was lost at a stream's end lasts until the end of all.
    for (const CtfStream& stream : streams_)
      if (stream.lost() || stream.is_cut()) KUTRACE_TRY(lose(stream, last_));
    return {};
  }

  Status lose(const CtfStream& stream, Ns until) {
    if (!stream.has_cpu()) return {};
    return lowering_->lose(
        stream.cpu(), until,
        stream.was_damaged() || stream.is_cut() ? KUTRACE_LOSS_DAMAGED : KUTRACE_LOSS_BUFFER_FULL,
        stream.lost_count().value_or(KUTRACE_LOSS_UNKNOWN_COUNT));
  }

  Status take(const CtfStream& stream, Ns time) {
    const CtfValues& values = stream.values();
    if (stream.use().kind == CtfUse::Kind::kThread) {
      thread(values);
      return {};
    }
    if (!stream.has_cpu()) return {};
    KernelEvent event;
    event.time = time;
    event.cpu = stream.cpu();
    event.what = stream.use().what;
    if (values.has(CtfRole::kThread)) event.pid = thread_of(values.of(CtfRole::kThread));
    const bool is_named_call = stream.use().call >= 0;
    for (std::size_t i = 0; i < KernelEvent::kNumbers; ++i) {
      const bool is_call = i == 0 && is_named_call;
      if (!is_call && !values.has(number_role(i))) break;
      event.numbers[i] =
          is_call ? stream.use().call : static_cast<std::int64_t>(values.of(number_role(i)));
      event.known = static_cast<std::uint8_t>(i + 1);
    }
    for (std::size_t i = 0; i < values.texts.size(); ++i)
      if (values.has(text_role(i))) event.set_text(i, values.texts[i]);
    if (event.what == What::kFork) family(event);
    const bool nobody = leads_to_nobody(event);
    if (event.what == What::kSwitch) nobody_on_.erase(event.cpu);
    // Until the next switch no event tells who runs there.
    if (nobody_on_.contains(event.cpu)) event.pid = kNoPid;
    KUTRACE_TRY(lowering_->push(event));
    if (!nobody) return {};
    nobody_on_.insert(event.cpu);
    // How many events these were, the packet tells.
    return lowering_->lose(event.cpu, time, KUTRACE_LOSS_UNWRITTEN, 0);
  }

  // A thread that existed when the recording began.
  void thread(const CtfValues& values) {
    const auto of = [&](std::size_t i) {
      const bool is_pid =
          values.has(number_role(i)) && values.of(number_role(i)) <= KUTRACE_SWITCH_PID_MASK;
      return is_pid ? static_cast<Pid>(values.of(number_role(i))) : kNoPid;
    };
    const Pid pid = of(0);
    if (pid <= 0) return;
    parents_.try_emplace(of(1), of(2));
    lowering_->belongs(pid, of(1), of(2));
    if (values.has(text_role(0)))
      lowering_->finally_called(pid, values.texts[0].substr(0, values.texts[0].find('\0')));
  }

  // LTTng tells the process of a new thread: its own, or its maker's.
  void family(const KernelEvent& event) {
    constexpr std::size_t kMakersProcess = 2;
    constexpr std::size_t kProcess = 3;
    if (event.known <= kProcess) return;
    const Pid child = event.number_as_pid(1);
    const Pid process = event.number_as_pid(kProcess);
    if (child <= 0 || process <= 0) return;
    Pid parent = kNoPid;
    if (process == child) {
      parent = event.number_as_pid(kMakersProcess);
      parents_.insert_or_assign(process, parent);
    } else if (const auto found = parents_.find(process); found != parents_.end()) {
      parent = found->second;
    }
    lowering_->belongs(child, process, parent);
  }

  void say(const CtfEvents& events) {
    NameEntries& names = lowering_->names();
    if (!schema_.clocks.empty()) {
      const bool is_monotonic = schema_.clocks.front().name == "monotonic";
      names.add(fact::kClock, is_monotonic ? std::string("mono") : schema_.clocks.front().name);
    }
    const bool is_perf = schema_.told("tracer_name") == "perf";
    names.add_name(kind::kHOST_NAME, 0, schema_.told(is_perf ? "host" : "hostname"));
    names.add_name(kind::kKERNEL_VERSION, 0, schema_.told(is_perf ? "release" : "kernel_release"));
    if (const std::string_view tracer = schema_.told("tracer_name"); !tracer.empty()) {
      std::string version(tracer);
      if (!schema_.told("tracer_major").empty())
        version += fmt::format(" {}.{}.{}", schema_.told("tracer_major"),
                               schema_.told("tracer_minor"), schema_.told("tracer_patchlevel"));
      names.add(fact::kHooks, version);
    }
    if (!events.unknown_calls().empty()) {
      names.add(fact::kUnseen,
                counted(events.unknown_calls().size(), "system call", "system calls") +
                    " of names without a number, as " + *events.unknown_calls().begin());
    }
  }

  Counters found() const {
    Counters found = lowering_->found();
    std::uint64_t damaged = 0;
    for (const CtfStream& stream : streams_) damaged += stream.damaged();
    if (damaged != 0) found.add(Counter::kEntryBadLength, damaged);
    if (std::ranges::any_of(streams_, &CtfStream::is_cut)) found.add(Counter::kFileCut);
    return found;
  }

  const MappedFile& metadata_;
  ImportedBlocks blocks_;
  std::vector<MappedFile> files_;
  CtfSchema schema_;
  std::vector<CtfStream> streams_;
  std::vector<std::pair<Ns, std::size_t>> queue_;  // a heap: the next event of each stream
  std::optional<Lowering> lowering_;
  std::unordered_map<Pid, Pid> parents_;  // of processes
  std::unordered_set<CpuId> nobody_on_;   // CPUs
  Ns last_ = 0;
};

}  // namespace

Result<std::unique_ptr<TraceReader>> import_ctf(const MappedFile& metadata,
                                                std::vector<MappedFile> streams) {
  auto reader = CtfImport(metadata, std::move(streams)).run();
  if (reader) return reader;
  Error error = std::move(reader).error();
  if (error.file.empty()) error.file = metadata.name();
  if (error.hint.empty()) error.hint = "is it damaged? babeltrace2 says what it makes of it";
  return fail(std::move(error));
}

}  // namespace kutrace::read
