// SPDX-License-Identifier: BSD-3-Clause
// The course of a recording. The mode is a policy about finished blocks: stream writes and reuses
// them, fill keeps them until there are no more, wrap keeps them and reuses the oldest.
#include "record/run/recorder.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <map>
#include <unordered_set>
#include <utility>

#include "files/files.h"
#include "files/output_place.h"
#include "files/small_file.h"
#include "format/event_table.h"
#include "format/name_blocks.h"
#include "record/blocks/block_walk.h"
#include "record/blocks/clock.h"
#include "record/blocks/shown_threads.h"
#include "record/blocks/trace_file.h"
#include "record/proc/descriptors.h"
#include "record/proc/other_recorders.h"
#include "record/proc/own_process.h"
#include "record/proc/pid_namespace.h"
#include "record/proc/task_seed.h"
#include "record/run/argument_log.h"
#include "record/run/child.h"
#include "record/run/code_names.h"
#include "record/run/counter_log.h"
#include "record/run/group_log.h"
#include "record/run/host_names.h"
#include "record/run/losses.h"
#include "record/run/move_log.h"
#include "record/run/opened_source.h"
#include "record/run/process_log.h"
#include "record/run/stop_signal.h"
#include "record/run/urgency.h"

namespace kutrace::record {

namespace {

constexpr std::uint32_t kStreamMb = 64;
constexpr std::uint32_t kKeepMb = 128;
constexpr int kPoll_ms = 10;
constexpr int kHurriedPoll_ms = 1;
constexpr Ns kNsPerMs = 1'000'000;
// Words of block 0 and its followers kept free for what is only known at the end.
constexpr std::size_t kRoomForFacts = 2048;
constexpr std::size_t kRoomPerCpu = 4 * 8;
constexpr int kMostLooks = 10;  // for processes that start others while it is looked
// Of counters, by a flight recorder, at least; which lets go of older ones as of older blocks.
constexpr std::size_t kReadingsKept = 10'000;

std::string last_name(const std::string& path) {
  return path == "-" ? "trace.raw" : path.substr(path.rfind('/') + 1);
}

// When the next block of the same CPU begins; none: this is its last. They are in order of time.
std::vector<std::optional<Ticks>> next_of_each(const std::vector<FinishedBlock>& blocks) {
  std::vector<std::optional<Ticks>> next(blocks.size());
  std::map<CpuId, Ticks> later;
  for (std::size_t i = blocks.size(); i-- > 0;) {
    if (const auto found = later.find(blocks[i].cpu); found != later.end()) next[i] = found->second;
    later[blocks[i].cpu] = blocks[i].base();
  }
  return next;
}

}  // namespace

class Recorder {
 public:
  explicit Recorder(RecordOptions options)
      : options_(std::move(options)),
        groups_(options_.groups),
        processes_(options_.filter),
        arguments_(options_.arguments) {}
  Result<Summary> run();

  Status open_source();
  Status start();
  Status work();
  bool limit_reached();
  void pause(int fd) const;
  Result<std::vector<std::string>> change_groups(const std::vector<std::string>& words);
  const EventGroups& groups() const { return groups_.now(); }
  Status change_processes(const std::vector<std::string>& words) {
    return processes_.change(words, *source_);
  }
  std::string recorded_threads() const { return processes_.text(); }
  Status change_arguments(const std::vector<std::string>& words) {
    return arguments_.change(words, *source_);
  }
  std::string recorded_arguments() const { return arguments_.text(); }
  Status stop();
  Status finish(const std::string& path);
  void detach();

  const RecordOptions& options() const { return options_; }
  const Summary& summary() const { return summary_; }
  double seconds() const;
  std::uint64_t blocks_used() const;

 private:
  Status command_failed(Error error, int code);
  Status check_limit() const;
  Status start_command();
  bool has_ended();
  void read_first_blocks();
  void read_threads();
  void leave_out_others(std::vector<SeedTask>& tasks) const;
  void leave_out_calls();
  void follow_processes();
  std::vector<std::uint32_t> passing_now() const;
  void add_descriptors();
  void look_at_cgroups();
  void add_moves();
  void write_moves();
  void start_counters();
  void read_counters();
  void add_counters();
  Ticks period_ticks() const;
  Ns until_reading() const;
  Status loop();
  void count(const FinishedBlock& block);
  void look_for_programs(const FinishedBlock& block);
  bool filter_is_vain() const;
  void take(const FinishedBlock& block, Ticks lost_until);
  bool has_room() const;
  // Of what the end writes behind all events.
  std::size_t blocks_for_names() const { return blocks_for(later_names_.words() + kRoomForFacts); }
  void write_out(const FinishedBlock& block);
  void recycle(std::uint32_t needed);
  void take_last(FinishedBlock block, Ticks lost_until);
  ClockReading at(Ticks counter) const;
  void count_skipped_runs();
  void fill_summary();
  Status check_command();
  Status open_file(const std::string& path);
  Status write_kept(const std::string& path);
  Status save_at(const std::string& path);
  void finish_somewhere();
  NameEntries front_names(bool at_end) const;
  void add_final_facts(NameEntries& names) const;
  std::size_t front_for(const NameEntries& names) const;
  Status write_front(bool at_end);
  Status write_later_names();
  void do_without_later_names(const Error& why);
  bool streams() const { return options_.mode == RecordMode::kStream; }

  const RecordOptions options_;
  GroupLog groups_;
  ProcessLog processes_;
  ArgumentLog arguments_;
  OpenedSource opened_;
  Source* source_ = nullptr;  // that one
  std::optional<TraceFile> file_;
  std::optional<Child> child_;
  int watched_ =
      -1;  // becomes readable when what is recorded has ended; -1: there is no such thing
  const RecorderSign sign_;
  const bool knows_pids_ = knows_kernel_pids();
  std::vector<SeedTask> tasks_;
  std::vector<SeedTask> late_tasks_;  // at the end, if the source overwrote blocks with names
  bool hurry_ = false;                // CPUs are running out of free blocks
  std::size_t front_blocks_ = 0;
  std::uint64_t file_blocks_ = 0;
  std::size_t last_blocks_ = 0;  // of CPUs, which a limit of the file leaves room for
  ClockReading start_;
  ClockReading stop_;
  Ticks oldest_ = ~Ticks{0};  // of what the file will hold
  BlockHeader first_;         // of block 0: its CPU, and what ran there at the start
  unsigned flags_ = 0;
  std::deque<FinishedBlock> kept_;              // fill and wrap: oldest first
  std::deque<std::vector<std::uint64_t>> cut_;  // copies of blocks that go on after the stop
  bool recording_ = false;
  bool wrapped_ = false;
  bool all_is_written_ = false;  // and only its name is to be found
  NameHarvest harvest_;
  Tally discarded_;
  Losses losses_;
  ShownThreads shown_;  // with a filter, until it lets a program's pass
  bool lets_programs_pass_ = false;
  std::optional<CodeNames> code_names_;  // if samples are recorded
  MoveLog moves_;
  std::unordered_set<std::uint32_t> followed_;  // processes that were there before the recording
  std::optional<CounterLog> counter_log_;       // not of a flight recorder without counters
  Ticks next_reading_ = 0;                      // of them
  NameEntries later_names_;                     // what only the end of the recording knows
  Stopwatch course_;
  KernelCounts counts_before_;
  KernelCounts counts_after_;
  Summary summary_;
};

Status Recorder::open_source() {
  course_.over("check command and file");
  const std::uint32_t mb =
      options_.buffer_mb != 0 ? options_.buffer_mb : (streams() ? kStreamMb : kKeepMb);
  KUTRACE_ASSIGN(opened_, open_for(options_, mb, course_));
  source_ = opened_.source.get();
  flags_ |= source_->counters();
  summary_.other_recorders = opened_.other_recorders;
  summary_.cost = opened_.cost;
  summary_.cpus = source_->cpus().size();
  summary_.unseen = opened_.unseen;
  summary_.leaves_filter = source_->leaves_filter_to_end();
  summary_.shows_own_only = source_->shows_own_only();
  if (options_.on_start)
    options_.on_start({opened_.lacking, opened_.other_recorders, opened_.why_ebpf});
  return {};
}

void Recorder::add_final_facts(NameEntries& names) const {
  names.add(fact::kBlocks, file_blocks_);
  for (const std::string& line : summary_.missed) names.add(fact::kUnseen, line);
  if (summary_.cost_percent) names.add(fact::kCostPercent, rounded(*summary_.cost_percent, 1000));
  for (const CountComparison& c : summary_.self_check)
    names.add(std::string(fact::kSelfCheck) + c.name,
              fmt::format("recorded {} kernel {}", c.recorded, c.kernel));
  if (!summary_.ended_by.empty()) names.add(fact::kEndedBy, summary_.ended_by);
  for (const std::string& line : summary_.skipped_runs) names.add(fact::kSkippedRuns, line);
  if (wrapped_) names.add(fact::kDiscardedEvents, discarded_.transitions);
  losses_.append_to(names);
}

NameEntries Recorder::front_names(bool at_end) const {
  NameEntries names;
  const std::optional<Pid> command = child_ ? std::optional<Pid>(child_->pid()) : std::nullopt;
  add_recording_facts(names, opened_, options_, start_, command);
  groups_.add_to(names, start_.counter, source_->tick_rate());
  processes_.add_to(names, start_.counter, source_->tick_rate());
  arguments_.add_to(names, start_.counter, source_->tick_rate());
  if (at_end) add_final_facts(names);
  add_machine_names(names);
  add_function_names(names, options_.functions);
  for (const SeedTask& task : tasks_)
    add_task(names, task, task.process == getpid() ? KUTRACE_TASK_RECORDER : 0);
  for (const SeedTask& task : late_tasks_) add_task(names, task, 0);
  if (knows_pids_ && child_) {
    const Pid pid = child_->pid();
    names.add(task_entry({pid, pid, getpid(), KUTRACE_TASK_COMMAND, {}}));
  }
  harvest_.append_to(names);
  return names;
}

// How many blocks these names take, with room for threads that begin now and what the end adds.
std::size_t Recorder::front_for(const NameEntries& names) const {
  return blocks_for(names.words() + kRoomForFacts + kRoomPerCpu * source_->cpus().size());
}

Status Recorder::write_front(bool at_end) {
  BlockHeader header = first_;
  header.start = start_.pair();
  const FrontBlocks front =
      front_blocks(front_names(at_end), header, {start_.pair(), stop_.pair(), flags_},
                   front_blocks_, front_blocks_);
  for (std::size_t i = 0; i < front.blocks.size(); ++i)
    KUTRACE_TRY(file_->write_block(i, front.blocks[i].words()));
  return {};
}

// Recording begins when the first CPU writes: the start is moved there from before the starting.
// What the CPU of block 0 did then stands in its first block.
void Recorder::read_first_blocks() {
  Ticks earliest = source_->now();
  for (const CpuId cpu : source_->cpus()) {
    const auto block = source_->open_block(cpu);
    if (!block) continue;
    earliest = std::min(earliest, block->base());
    if (cpu != first_.cpu) continue;
    first_.pid = static_cast<Pid>(block->words[2] & 0xffff'ffff);
    first_.mhz = static_cast<std::uint32_t>(block->words[2] >> 32);
    first_.comm.assign(reinterpret_cast<const char*>(&block->words[4]), KUTRACE_COMM_BYTES);
  }
  start_ = at(earliest);
  stop_ = start_;
}

std::vector<std::uint32_t> Recorder::passing_now() const {
  return passing_processes(options_.filter, {followed_.begin(), followed_.end()});
}

// Where the source names nobody else, neither does /proc.
void Recorder::leave_out_others(std::vector<SeedTask>& tasks) const {
  if (!source_->shows_own_only()) return;
  std::erase_if(tasks, [](const SeedTask& task) { return !is_own_process(task.process); });
  for (SeedTask& task : tasks)
    if (!is_own_process(task.parent)) task.parent = 0;
}

// Those that threads outside of the filter are in when recording begins.
void Recorder::leave_out_calls() {
  if (!options_.filter.is_set()) return;
  const std::vector<std::uint32_t> passing = passing_now();
  for (SeedTask& task : tasks_)
    if (std::ranges::find(passing, static_cast<std::uint32_t>(task.process)) == passing.end())
      task.blocked_in.reset();
}

// Tells the source what those who pass had started before, until a look finds nobody new: what
// they start from there on, the source sees itself.
void Recorder::follow_processes() {
  if (!options_.filter.follow || !options_.filter.has_criteria()) return;
  for (int look = 0; look < kMostLooks; ++look) {
    std::vector<std::uint32_t> found = passing_now();
    std::erase_if(found, [&](std::uint32_t process) { return !followed_.insert(process).second; });
    if (found.empty() || !source_->tell_processes(found, KUTRACE_PROCESS_FOLLOWED)) return;
  }
}

// What was open when recording began: changes are recorded from there on.
void Recorder::add_descriptors() {
  if (!options_.arguments.is_set() || !knows_pids_) return;
  std::vector<Pid> processes;
  if (options_.filter.is_set()) {
    for (const std::uint32_t process : passing_now())
      processes.push_back(static_cast<Pid>(process));
    processes.push_back(getpid());  // the command begins with its own
  }
  const auto now = [this] { return source_->now(); };
  for (const DescriptorRecord& record : read_descriptors(processes, now))
    later_names_.add_text(kind::kPROCESS, record_text(record));
}

// Where moves are told, a process that begins is in its parent's group or told to be in another;
// a parent may be overwritten.
void Recorder::look_at_cgroups() {
  if (!knows_pids_) return;
  const bool are_told = source_->tells_group_moves();
  moves_.look([&] { return are_told && recording_ ? start_.counter : source_->now(); },
              recording_ || !are_told || wrapped_);
}

void Recorder::add_moves() {
  if (!knows_pids_ || !source_->tells_group_moves()) return;
  const Ticks end = recording_ ? source_->now() : stop_.counter;
  moves_.add(source_->group_moves(), start_.counter, end);
  if (options_.mode != RecordMode::kWrap)
    write_moves();
  else if (!kept_.empty())
    moves_.forget_before(kept_.front().base(), end);
}

void Recorder::write_moves() {
  for (const CgroupRecord& cgroup : moves_.take())
    if (!source_->shows_own_only() || is_own_process(cgroup.process))
      later_names_.add_text(kind::kPROCESS, record_text(cgroup));
}

// Quotas of control groups are read when it starts and ends in any case; of a flight recorder both
// would say more than what it keeps.
void Recorder::start_counters() {
  if (source_->shows_own_only()) return;  // they are of all
  if (!options_.groups.has(EventGroup::kCounters)) {
    if (options_.mode == RecordMode::kWrap) return;
    counter_log_.emplace();
    counter_log_->read(source_->now());
    return;
  }
  std::optional<ProcessCounters> processes;
  if (knows_pids_) {
    const ThreadFilter& filter = options_.filter;
    const bool is_plain = filter.names.empty() && filter.cgroups.empty() && !filter.follow;
    const std::vector<std::uint32_t> chosen = is_plain ? filter.processes : passing_now();
    processes.emplace(
        ProcessCounters::Choice{{chosen.begin(), chosen.end()}, options_.filter.user});
  }
  counter_log_.emplace(std::move(processes), options_.counter_period);
  next_reading_ = start_.counter;
  read_counters();
}

// When it is due. Where it was late, the next one is not the sooner.
void Recorder::read_counters() {
  if (!options_.groups.has(EventGroup::kCounters) || !counter_log_ || until_reading() > 0) return;
  const Ticks now = source_->now();
  counter_log_->read(now);
  next_reading_ = now + period_ticks();
  if (options_.mode == RecordMode::kWrap)
    counter_log_->keep(kReadingsKept);
  else
    add_counters();
}

void Recorder::add_counters() {
  CounterRecords records = counter_log_->take_records();
  if (wrapped_)
    cut_readings(records.readings, static_cast<std::int64_t>(std::max(oldest_, start_.counter)),
                 static_cast<std::int64_t>(stop_.counter));
  for (const std::string& text : counter_texts(records))
    later_names_.add_text(kind::kCOUNTER, text);
}

Ticks Recorder::period_ticks() const { return source_->tick_rate().ticks(options_.counter_period); }

// Negative: it is due.
Ns Recorder::until_reading() const {
  const auto ticks = static_cast<std::int64_t>(next_reading_ - source_->now());
  return ticks <= 0 ? -1 : static_cast<Ns>(source_->tick_rate().ns(static_cast<Ticks>(ticks)));
}

// Names and facts come first, each CPU has a last block, and names that the start or the end found
// come last.
Status Recorder::check_limit() const {
  const std::uint64_t least =
      (front_blocks_ + 2 * source_->cpus().size() + 1) * file_->block_bytes();
  if (options_.max_bytes == 0 || options_.max_bytes >= least) return {};
  return fail(usage_error(fmt::format("--max-size: no event fits into {} bytes; names take {}",
                                      options_.max_bytes, front_blocks_ * file_->block_bytes()))
                  .with_hint(fmt::format("--max-size {}KB", least / 1000 + 1)));
}

void Recorder::read_threads() {
  tasks_ = read_all_tasks();
  leave_out_others(tasks_);
  leave_out_calls();
}

Status Recorder::start() {
  read_threads();
  course_.over("read the threads");
  if (knows_pids_ && (options_.stacks || options_.groups.has(EventGroup::kSamples)))
    code_names_.emplace().start(source_->cpus(), tasks_);
  if (file_) file_->set_counters(source_->counters());
  first_.cpu = source_->cpus().front();
  start_ = stop_ = source_->read_clocks();
  if (streams()) {
    front_blocks_ = front_for(front_names(false));
    file_blocks_ = front_blocks_;
    KUTRACE_TRY(check_limit());
    KUTRACE_TRY(write_front(false));
  }
  course_.over("write the names");
  be_urgent();
  follow_processes();
  read_threads();  // again: meanwhile some began, others are in another call
  start_ = stop_ = source_->read_clocks();
  KUTRACE_TRY(source_->start());
  counts_before_ = read_kernel_counts();  // at once: what comes meanwhile is recorded
  follow_processes();
  recording_ = true;
  last_blocks_ = source_->cpus().size();
  read_first_blocks();
  add_descriptors();
  look_at_cgroups();
  start_counters();
  Status done = streams() ? write_front(false) : Status();
  course_.over("start");
  return done;
}

Status Recorder::command_failed(Error error, int code) {
  summary_.command_status = code;
  summary_.failure = error;
  return fail(std::move(error));
}

// Before anything else is done, which takes a second or two.
Status Recorder::check_command() {
  if (options_.command.empty()) return {};
  int code = 0;
  Status found = find_command(options_.command.front(), code);
  return found ? found : command_failed(std::move(found).error(), code);
}

Status Recorder::start_command() {
  if (options_.begin) {
    Result<int> begun = options_.begin();
    if (!begun) {
      summary_.failure = begun.error();
      return fail(begun.error());
    }
    watched_ = *begun;
  }
  if (options_.command.empty()) return {};
  int code = 0;
  // What this process starts is followed, from its first instruction on; what it does itself is
  // not.
  const std::uint32_t own[] = {static_cast<std::uint32_t>(getpid())};
  const bool is_root = options_.filter.follow && !options_.filter.has_criteria();
  if (is_root) KUTRACE_TRY(source_->tell_processes(own, KUTRACE_PROCESS_LAUNCHER));
  Result<Child> child =
      Child::start(options_.command, files::is_standard_output(options_.path), code);
  if (is_root) KUTRACE_TRY(source_->tell_processes(own, 0));
  if (!child) return command_failed(std::move(child).error(), code);
  child_.emplace(std::move(*child));
  summary_.command = child_->pid();
  if (counter_log_ && knows_pids_ && !options_.filter.has_criteria())
    counter_log_->follow(child_->pid());
  watched_ = child_->fd();
  return {};
}

bool Recorder::has_ended() {
  if (child_) return child_->poll_status().has_value();
  pollfd watch{watched_, POLLIN, 0};
  return watched_ >= 0 && poll(&watch, 1, 0) > 0;
}

void Recorder::write_out(const FinishedBlock& block) {
  const Ticks end = recording_ ? source_->now() : stop_.counter;
  if (!summary_.failure) {
    const Status written = file_->write_block(file_blocks_, block, at(block.base()).usec);
    if (written) {
      count(block);
      ++file_blocks_;
      return;
    }
    summary_.failure = written.error();
    summary_.ended_by = "the file could not be written";
  }
  losses_.add(block.cpu, KUTRACE_LOSS_DISK, block.base(), end, block.end - KUTRACE_HEADER_WORDS);
}

ClockReading Recorder::at(Ticks counter) const {
  return reading_at(start_, counter, source_->tick_rate());
}

// A block that the file will hold.
void Recorder::count(const FinishedBlock& block) {
  summary_.tally.add(block);
  if (options_.filter.is_set() && knows_pids_ && !lets_programs_pass_) look_for_programs(block);
  oldest_ = std::min(oldest_, block.base());
  if (code_names_) code_names_->add(block);
}

// Without room for it, nothing of its CPU is known until `lost_until`.
void Recorder::take(const FinishedBlock& block, Ticks lost_until) {
  if (!streams()) {
    kept_.push_back(block);
    return;
  }
  if (has_room()) {
    write_out(block);
  } else {
    losses_.add(block.cpu, KUTRACE_LOSS_LIMIT, block.base(), lost_until,
                block.end - KUTRACE_HEADER_WORDS);
  }
  source_->release(block);
}

// Several blocks may be finished in the round that reaches the limit; they leave the last ones
// their room.
bool Recorder::has_room() const {
  const std::uint64_t blocks = file_blocks_ + 1 + last_blocks_ + blocks_for_names();
  return options_.max_bytes == 0 || blocks * file_->block_bytes() <= options_.max_bytes;
}

// Makes the oldest kept blocks free again.
void Recorder::recycle(std::uint32_t needed) {
  for (; needed != 0 && !kept_.empty(); --needed) {
    const FinishedBlock oldest = kept_.front();
    kept_.pop_front();
    wrapped_ = true;
    harvest_.add(oldest);
    discarded_.add(oldest);
    source_->release(oldest);
  }
}

// One round: finished blocks in, free blocks out.
Status Recorder::work() {
  std::vector<FinishedBlock> finished;
  KUTRACE_TRY(source_->collect(finished));
  if (code_names_) code_names_->poll();
  add_moves();
  read_counters();
  std::ranges::sort(finished, {}, &FinishedBlock::base);
  const std::vector<std::optional<Ticks>> next = next_of_each(finished);
  for (std::size_t i = 0; i < finished.size(); ++i)
    take(finished[i], next[i].value_or(source_->now()));
  if (options_.mode == RecordMode::kWrap) recycle(source_->wanted());
  hurry_ = !source_->supply();
  return {};
}

bool Recorder::limit_reached() {
  const Ticks length = source_->now() - start_.counter;
  if (const std::string ended = source_->ended_by(); !ended.empty()) {
    summary_.ended_by = ended;
  } else if (options_.duration > 0 &&
             source_->tick_rate().ns(length) >= static_cast<double>(options_.duration)) {
    summary_.ended_by = "--duration";
  } else if (streams() && !has_room()) {
    summary_.ended_by = "--max-size";
  } else if (options_.mode == RecordMode::kFill && source_->is_full()) {
    summary_.ended_by = "the buffer is full";
  }
  return !summary_.ended_by.empty();
}

// Sleeps until the next round is due, blocks are finished or the descriptor is readable.
void Recorder::pause(int fd) const {
  std::array<pollfd, 2> watch{pollfd{fd, POLLIN, 0}, pollfd{source_->wake_fd(), POLLIN, 0}};
  int ms = hurry_ ? kHurriedPoll_ms : kPoll_ms;
  if (options_.groups.has(EventGroup::kCounters))
    ms = static_cast<int>(std::clamp<Ns>(until_reading() / kNsPerMs + 1, 0, ms));
  poll(watch.data(), watch.size(), ms);
}

Status Recorder::loop() {
  for (;;) {
    KUTRACE_TRY(work());
    if (limit_reached() || StopSignal::received() != 0) return {};
    if (has_ended()) return {};
    pause(watched_);
  }
}

void Recorder::take_last(FinishedBlock block, Ticks lost_until) {
  if (const std::uint64_t holes = count_holes(block); holes != 0)
    losses_.add(block.cpu, KUTRACE_LOSS_MISSED_RUN, block.base(), stop_.counter, holes);
  std::vector<std::uint64_t>& copy = cut_.emplace_back();
  block.end = cut_after(block, stop_.counter, copy);
  block.words = copy.data();
  if (block.end > KUTRACE_HEADER_WORDS) take(block, lost_until);  // else all of it came later
}

// Every CPU records until after the stop time is taken; what is later than it is removed.
Status Recorder::stop() {
  if (!recording_) return {};
  recording_ = false;
  course_.anew();
  if (counter_log_) counter_log_->read(source_->now());
  KUTRACE_ASSIGN(const Ticks stop, source_->halt());
  stop_ = at(stop);
  counts_after_ = read_kernel_counts();
  std::vector<FinishedBlock> left;
  KUTRACE_TRY(source_->drain(left));
  std::ranges::sort(left, {}, [](const FinishedBlock& block) {
    return std::pair(block.base(), block.sequence());
  });
  const std::vector<bool> outlasting = may_outlast(left, stop);
  const std::vector<std::optional<Ticks>> next = next_of_each(left);
  last_blocks_ = static_cast<std::size_t>(
      std::ranges::count_if(next, [](const auto& begin) { return !begin; }));
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!next[i]) --last_blocks_;
    if (outlasting[i] || !is_settled(left[i]))
      take_last(left[i], next[i].value_or(stop));
    else
      take(left[i], next[i].value_or(stop));
  }
  wrapped_ = wrapped_ || source_->discarded() != 0;
  if (source_->discarded() != 0) {
    late_tasks_ = read_all_tasks();
    leave_out_others(late_tasks_);
  }
  for (const OpenLoss& loss : source_->open_losses())
    if (loss.begin < stop) losses_.add(loss.cpu, loss.reason, loss.begin, stop, loss.entries);
  for (const FinishedBlock& block : kept_) count(block);
  if (code_names_ && options_.stacks) code_names_->add(source_->stacks());
  add_moves();
  look_at_cgroups();
  write_moves();
  if (counter_log_) add_counters();
  if (code_names_) code_names_->add_to(later_names_, start_, source_->tick_rate());
  fill_summary();
  if (wrapped_) flags_ |= KUTRACE_FLAG_WRAP;
  course_.over("stop");
  return {};
}

Result<std::vector<std::string>> Recorder::change_groups(const std::vector<std::string>& words) {
  KUTRACE_ASSIGN(const EventGroups wanted, EventGroups::parse_change(groups_.now(), words));
  if (!wanted.has(EventGroup::kSyscalls) && options_.arguments.is_set())
    return fail(usage_error("group syscalls cannot be switched off while arguments are recorded")
                    .with_hint("record without --args and --strings"));
  KUTRACE_ASSIGN(GroupSwitch done, groups_.switch_to(wanted, *source_));
  return std::move(done.lacking);
}

double Recorder::seconds() const {
  const Ticks end = recording_ ? source_->now() : stop_.counter;
  return source_->tick_rate().ns(end - start_.counter) / 1e9;
}

std::uint64_t Recorder::blocks_used() const {
  return std::max<std::uint64_t>(kept_.size(), source_->blocks_used());
}

// Threads of the kernel pass every filter. One that is gone may have been a program's.
void Recorder::look_for_programs(const FinishedBlock& block) {
  lets_programs_pass_ = std::ranges::any_of(shown_.add(block), [](std::uint32_t thread) {
    const auto task = parse_task_stat(files::read_text(fmt::format("/proc/{}/stat", thread)));
    return !task || !task->kernel_thread;
  });
}

bool Recorder::filter_is_vain() const {
  return options_.filter.is_set() && knows_pids_ && !lets_programs_pass_ && !wrapped_ &&
         !summary_.leaves_filter;
}

// The kernel counts them for all CPUs, and nobody knows their times: no CPU's time is lost for
// them.
void Recorder::count_skipped_runs() {
  const std::vector<SkippedRuns> skipped = source_->skipped_runs();
  for (const SkippedRuns& one : skipped)
    summary_.skipped_runs.push_back(skipped_text(one, start_.counter, source_->tick_rate()));
  if (!skipped.empty())
    losses_.add(first_.cpu, KUTRACE_LOSS_MISSED_RUN, start_.counter, start_.counter,
                total_of(skipped));
}

void Recorder::fill_summary() {
  summary_.cpus = source_->cpus().size();  // some may have come
  summary_.missed = source_->missed();
  if (code_names_) std::ranges::copy(code_names_->missed(), std::back_inserter(summary_.missed));
  if (filter_is_vain()) summary_.vain_filter = options_.filter.text();
  count_skipped_runs();
  Tally lost = summary_.tally;
  losses_.add_to(lost);
  summary_.lost = lost.losses;
  summary_.uncounted_losses = lost.uncounted_losses;
  const Ticks ticks = stop_.counter - start_.counter;
  summary_.seconds = source_->tick_rate().ns(ticks) / 1e9;
  const Ticks kept = stop_.counter - std::clamp(oldest_, start_.counter, stop_.counter);
  summary_.kept_seconds = wrapped_ ? source_->tick_rate().ns(kept) / 1e9 : summary_.seconds;
  const double cpu_ns = summary_.seconds * 1e9 * static_cast<double>(summary_.cpus);
  discarded_.transitions += source_->discarded();
  Tally all = summary_.tally;
  all.add(discarded_);
  if (const auto ns = summary_.cost.ns_per_event(); ns && cpu_ns > 0)
    summary_.cost_percent = 100 * *ns * static_cast<double>(all.transitions) / cpu_ns;
  summary_.unseen_switches = all.unseen_switches;
  if (cpu_ns > 0)
    summary_.unseen_percent = 100 * source_->tick_rate().ns(all.unseen_ticks) / cpu_ns;
  all.by_event[ev::kUSERPID] -= all.unseen_switches + all.statements;
  // Gone uncounted; or the kernel counts more, as it does when a daemon begins and ends.
  if (source_->discarded() != 0 || !source_->ended_by().empty() ||
      options_.source == SourceKind::kDaemon)
    return;
  summary_.self_check = compare_counts(counts_before_, counts_after_, all.by_event,
                                       options_.groups.has(EventGroup::kIrqs) && !groups_.any());
  for (CountComparison& count : summary_.self_check)
    if (count.name == kSwitches) count.known = all.unseen_switches;
}

// Modes fill and wrap: all of the file but the first blocks.
Status Recorder::write_kept(const std::string& path) {
  if (!file_) KUTRACE_TRY(open_file(path));
  file_->set_counters(source_->counters());
  front_blocks_ = front_for(front_names(true));
  file_blocks_ = front_blocks_;
  std::ranges::stable_sort(kept_, {}, &FinishedBlock::base);
  for (const FinishedBlock& block : kept_)
    KUTRACE_TRY(file_->write_block(file_blocks_++, block, at(block.base()).usec));
  return {};
}

// Before the rest of the start, which takes long: what cannot be written is said at once.
Status Recorder::open_file(const std::string& path) {
  KUTRACE_ASSIGN(TraceFile file, TraceFile::create(path));
  file_.emplace(std::move(file));
  return {};
}

Status Recorder::write_later_names() {
  BlockHeader header;
  header.cpu = first_.cpu;
  header.start = stop_.pair();
  for (const BlockWriter& block : later_blocks(later_names_, 0, header, false)) {
    KUTRACE_TRY(file_->write_block(file_blocks_, block.words()));
    ++file_blocks_;
  }
  return {};
}

// The first blocks of a stream have their room already, and say what the rest lacks.
void Recorder::do_without_later_names(const Error& why) {
  if (!summary_.failure) summary_.failure = why;
  summary_.missed.emplace_back("names and counters that are written last: " + why.sentence);
}

Status Recorder::finish(const std::string& path) {
  Status done = streams() ? Status() : write_kept(path);
  if (done) done = write_later_names();
  if (!done && streams()) {
    do_without_later_names(done.error());
    done = {};
  }
  if (done) done = write_front(true);
  if (done) done = file_->check_untouched();
  all_is_written_ = done.has_value();
  if (done) done = file_->keep();
  if (done)
    summary_.bytes = file_blocks_ * file_->block_bytes();
  else if (!streams())
    file_.reset();
  return done;
}

// A stream's file stands somewhere, or nowhere; what else was kept is in memory.
Status Recorder::save_at(const std::string& path) {
  if (!streams()) return finish(path);
  KUTRACE_TRY(file_->save_as(path));
  summary_.bytes = file_blocks_ * file_->block_bytes();
  return {};
}

// Any place is better than none. What a stream could not write is nowhere else.
void Recorder::finish_somewhere() {
  const Status done = finish(options_.path);
  if (done) return;
  if (!summary_.failure) summary_.failure = done.error();
  if (streams() && !all_is_written_) return;
  if (const std::string now = streams() ? file_->path_now() : std::string(); !now.empty()) {
    summary_.path = now;
    summary_.bytes = file_blocks_ * file_->block_bytes();
    return;
  }
  const auto save = [this](const std::string& path) { return save_at(path); };
  if (const auto path = files::save_somewhere(last_name(options_.path), save))
    summary_.path = *path;
}

void Recorder::detach() {
  if (source_) source_->detach();
}

Result<Summary> Recorder::run() {
  const StopSignal signals;
  summary_.path = options_.path;
  if (!check_command()) return std::move(summary_);
  KUTRACE_TRY(open_file(options_.path));
  KUTRACE_TRY(open_source());
  KUTRACE_TRY(start());
  if (StopSignal::received() != 0 || !start_command()) {
    if (const int signal = StopSignal::received()) summary_.interrupted_by = signal;
    return std::move(summary_);
  }
  // What prevents it now does so at the end, too: the command runs, and the rest is recorded.
  [[maybe_unused]] const Status named = streams() ? file_->appear() : Status();
  // What was recorded until something failed is kept.
  if (Status worked = loop(); !worked) summary_.failure = std::move(worked).error();
  KUTRACE_TRY(stop());
  finish_somewhere();
  course_.over("write the rest of the file");
  std::optional<PassOnSignals> passing_on;
  if (child_) passing_on.emplace(child_->fd());
  StopSignal::nothing_to_lose();
  source_ = nullptr;
  opened_.source.reset();
  course_.over("take the hooks off");
  summary_.parts = course_.parts();
  if (const int signal = StopSignal::received()) summary_.interrupted_by = signal;
  if (child_) summary_.command_status = child_->wait_status();
  return std::move(summary_);
}

Result<Summary> record(const RecordOptions& options) { return Recorder(options).run(); }

Recording::Recording(std::unique_ptr<Recorder> recorder) : recorder_(std::move(recorder)) {}
Recording::Recording(Recording&& other) noexcept = default;
Recording& Recording::operator=(Recording&& other) noexcept = default;
Recording::~Recording() = default;

Result<Recording> Recording::open(RecordOptions options) {
  auto recorder = std::make_unique<Recorder>(std::move(options));
  KUTRACE_TRY(recorder->open_source());
  return Recording(std::move(recorder));
}

Status Recording::start() { return recorder_->start(); }

Result<bool> Recording::work() {
  KUTRACE_TRY(recorder_->work());
  return !recorder_->limit_reached();
}

void Recording::pause(int fd) const { recorder_->pause(fd); }
Result<std::vector<std::string>> Recording::change_groups(const std::vector<std::string>& words) {
  return recorder_->change_groups(words);
}
const EventGroups& Recording::groups() const { return recorder_->groups(); }
Status Recording::change_processes(const std::vector<std::string>& words) {
  return recorder_->change_processes(words);
}
std::string Recording::recorded_threads() const { return recorder_->recorded_threads(); }
Status Recording::change_arguments(const std::vector<std::string>& words) {
  return recorder_->change_arguments(words);
}
std::string Recording::recorded_arguments() const { return recorder_->recorded_arguments(); }
Status Recording::stop() {
  Status done = recorder_->stop();
  recorder_->detach();
  return done;
}

Result<Summary> Recording::write(const std::string& path) {
  KUTRACE_TRY(recorder_->finish(path));
  return recorder_->summary();
}

const RecordOptions& Recording::options() const { return recorder_->options(); }
double Recording::seconds() const { return recorder_->seconds(); }
std::uint64_t Recording::blocks_used() const { return recorder_->blocks_used(); }
const std::string& Recording::ended_by() const { return recorder_->summary().ended_by; }

}  // namespace kutrace::record
