// SPDX-License-Identifier: BSD-3-Clause
// Blocks come by KUTRACE_IOC_TAKE and go back by KUTRACE_IOC_RELEASE. What happens when none is
// free is the module's business, so a flight recorder needs no process that keeps up with it.
#include "record/module/module_source.h"

#include <fmt/format.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "kutrace/listeners.h"
#include "record/blocks/block_walk.h"
#include "record/module/patched_calls.h"
#include "record/module/shared_reader.h"
#include "record/proc/call_time.h"
#include "record/proc/idle_states.h"
#include "record/proc/online_cpus.h"
#include "record/source/argument_settings.h"
#include "record/source/hooks.h"
#include "record/source/misses.h"

namespace kutrace::record {

namespace {

constexpr std::uint32_t as_bits(RecordMode mode) {
  switch (mode) {
    case RecordMode::kFill:
      return KUTRACE_MODE_FILL;
    case RecordMode::kWrap:
      return KUTRACE_MODE_WRAP;
    case RecordMode::kStream:
      return KUTRACE_MODE_STREAM;
  }
  return 0;
}

std::string_view shows(std::string_view hook) {
  const Hook* known = find_hook(hook);
  return known == nullptr ? hook : known->shows;
}

bool is_fault_return(std::string_view hook) { return hook.starts_with("fault_return"); }

// What the module writes of owners shows nothing by itself.
bool is_of_owners(std::string_view hook) { return hook.starts_with("owner_"); }

// Where several users read, until one of them has asked for more.
EventGroups only_switches() {
  EventGroups groups;
  groups.set(EventGroup::kSched, true);
  return groups;
}

// Another process that is about to record is waited for.
constexpr useconds_t kBetweenTries_us = 20'000;
constexpr int kTries = 150;
constexpr int kMostTakes = 64;
// In the module, for all who share what a reader of copies has begun.
constexpr std::uint32_t kSharedBlocks = 64 * kBlocksPerMb;
// Copies beyond those that a reader keeps, until the oldest are let go.
constexpr std::uint32_t kMostAhead = 64;

constexpr std::uint32_t kCarriers = KUTRACE_BY_CALL | KUTRACE_BY_WRITE;

class ModuleSource final : public Source {
 public:
  explicit ModuleSource(ModuleDevice device) : device_(std::move(device)) {}
  Status open(const SourceOptions& options);

  std::string_view name() const override { return "module"; }
  std::string_view clock_name() const override { return device_.version().clock; }
  TickRate tick_rate() const override {
    return {static_cast<double>(device_.version().tick_ns_numerator),
            static_cast<double>(device_.version().tick_ns_denominator)};
  }
  Ticks now() const override { return read_clocks().counter; }
  ClockReading read_clocks() const override;
  const std::vector<CpuId>& cpus() const override { return cpus_; }

  Result<CallTime> time_recorded_call() override;
  Status tell_processes(std::span<const std::uint32_t> processes, unsigned what) override {
    const bool follows = (what & (KUTRACE_PROCESS_FOLLOWED | KUTRACE_PROCESS_LAUNCHER)) != 0;
    const bool asks = follows ? follows_ : knows_processes_;
    return asks && !processes.empty() ? device_.tell_processes(processes, what) : Status();
  }
  Status choose_arguments(const CallChoice& choice) override {
    return device_.choose_arguments(argument_settings(choice));
  }
  Result<std::uint32_t> number_user(std::uint32_t uid, std::uint32_t gid) override {
    return device_.number_owner(uid, gid);
  }
  Status forget_user(std::uint32_t number) override { return device_.forget_owner(number); }
  bool leaves_filter_to_end() const override { return filters_later_; }
  Status start() override;
  Result<GroupSwitch> switch_groups(const EventGroups& groups) override;
  std::optional<FinishedBlock> open_block(CpuId cpu) const override;
  void wait_for_writers() const override;
  Status collect(std::vector<FinishedBlock>& out) override;
  void release(const FinishedBlock& block) override;
  unsigned counters() const override { return counters_; }
  bool supply() override { return true; }
  std::uint32_t wanted() override { return copies_ && copied() > room_ ? copied() - room_ : 0; }
  bool is_full() const override {
    return copies_ ? copied() >= room_ : read_status().ended == KUTRACE_ENDED_FULL;
  }
  int wake_fd() const override { return keeps_ ? -1 : device_.fd(); }
  std::string ended_by() const override;
  Result<Ticks> halt() override;
  Status drain(std::vector<FinishedBlock>& left) override;
  std::vector<OpenLoss> open_losses() const override;
  std::uint64_t discarded() const override { return read_status().discarded; }
  std::uint32_t blocks_used() const override {
    return joined_ || copies_ ? copied() : read_status().blocks_used;
  }
  std::string hooks() const override { return hooks_; }
  bool has_fault_returns() const override { return fault_returns_; }
  const std::vector<std::string>& unseen() const override { return unseen_; }
  const std::vector<std::string>& switched_off() const override { return switched_off_; }
  const std::vector<std::string>& lacking() const override { return lacking_; }
  std::vector<std::string> missed() const override;
  std::vector<StackRecord> stacks() const override;

 private:
  Status choose(const SourceOptions& options);
  Status configure(const SourceOptions& options, kutrace_config& config);
  Status configure_or_join(const kutrace_config& config);
  Status check_room() const;
  bool is_about_to_share() const;
  Status switch_on(kutrace_lifetime lifetime);
  Status begin_joined();
  Result<std::vector<FinishedBlock>> take();
  Result<std::vector<FinishedBlock>> take_settled();
  Status share_if_joined();
  void remember_last(const std::vector<FinishedBlock>& blocks);
  void give_to_reader(const std::vector<FinishedBlock>& blocks, std::vector<FinishedBlock>& late);
  Result<bool> take_all(std::vector<FinishedBlock>& late);
  Status fill_gaps(std::vector<FinishedBlock>& late);
  std::vector<OpenLoss> losses_of_cpus() const;
  std::uint32_t copied() const { return reader_ ? reader_->used() : 0; }
  kutrace_status read_status() const { return device_.status().value_or(kutrace_status{}); }
  FinishedBlock block_at(std::uint32_t index, CpuId cpu, std::uint32_t end) const {
    FinishedBlock block{index, cpu, end, buffer_.data() + std::size_t{index} * KUTRACE_BLOCK_WORDS,
                        nullptr};
    if (counters_ != 0) block.trailer = trailer_of(index);
    return block;
  }
  FinishedBlock taken(const kutrace_block_info& info) {
    serials_.at(info.index) = info.serial;
    return block_at(info.index, info.cpu, info.end);
  }
  const std::uint8_t* trailer_of(std::uint32_t index) const {
    const auto* trailers = reinterpret_cast<const std::uint8_t*>(
        buffer_.data() + std::size_t{blocks_} * KUTRACE_BLOCK_WORDS);
    return trailers + std::size_t{index} * KUTRACE_TRAILER_BYTES;
  }

  std::vector<std::string> newly_lacking();

  ModuleDevice device_;
  kutrace_config config_{};  // as it is now
  EventGroups groups_;       // as they are now
  std::span<const std::uint64_t> buffer_;
  std::uint32_t blocks_ = 0;
  std::uint32_t room_ = 0;  // blocks that were asked for
  unsigned counters_ = 0;
  std::vector<CpuId> cpus_ = online_cpus();
  std::string hooks_;
  std::vector<std::string> unseen_;
  std::vector<std::string> switched_off_;
  std::vector<std::string> lacking_;
  std::vector<std::uint32_t> serials_;  // by index, of those that were taken
  std::vector<FinishedBlock> unsettled_;
  std::uint64_t stranded_ = 0;  // blocks that the module did not take back
  bool fault_returns_ = true;
  bool follows_ = false;          // the filter has processes that pass because others started them
  bool knows_processes_ = false;  // a byte for each
  bool keeps_ = false;            // finished blocks stay in the module until the end
  bool copies_ = false;           // or here
  bool owners_ = false;           // several users read
  bool records_ = false;

  // A shared recording: from when another reads it, too, this reader's blocks are copies.
  struct Last {
    std::uint64_t next = 0;  // number of the block behind it
    Ticks end = 0;
  };
  bool shares_ = false;              // others may join
  bool joined_ = false;              // another process had begun it
  bool filters_later_ = false;       // it was, and this reader asked for some threads
  bool ended_ = false;               // by this reader
  std::uint64_t lapped_before_ = 0;  // blocks that were overwritten before it began
  std::unique_ptr<SharedReader> reader_;
  std::map<CpuId, Last> last_;  // of what was handed over as it was
  std::vector<OpenLoss> losses_at_stop_;
};

Status ModuleSource::open(const SourceOptions& options) {
  KUTRACE_TRY(check_arguments_known(options.arguments));
  kutrace_config config = module_config(options);
  const bool keeps = options.mode != RecordMode::kStream;
  room_ = options.blocks;
  if (keeps && can_share(options)) {
    config.mode = KUTRACE_MODE_STREAM;
    config.blocks = kSharedBlocks;
  }
  blocks_ = config.blocks;
  KUTRACE_TRY(can_join(options) ? configure_or_join(config) : configure(options, config));
  shares_ = joined_ || can_share(options);
  keeps_ = keeps && !shares_;
  copies_ = keeps && shares_;
  KUTRACE_TRY(check_room());
  KUTRACE_TRY(choose(options));
  const std::uint32_t trailers = counters_ != 0 ? KUTRACE_TRAILER_BLOCKS(blocks_) : 0;
  KUTRACE_ASSIGN(buffer_, device_.map(blocks_ + trailers));
  serials_.resize(blocks_);
  KUTRACE_ASSIGN(auto hooks, device_.hooks());
  if (options.arguments.is_set()) leave_to_tracepoints("patch_syscall", hooks);
  if (options.stacks) leave_to_tracepoints("patch_sched", hooks);
  if (options.owners) leave_all_to_tracepoints(hooks);
  module_unseen(hooks, config, lacking_, switched_off_);
  groups_ = options.groups;
  owners_ = options.owners;
  if (owners_) groups_ = only_switches();
  if (std::string deaf = hear_marks(groups_, kCarriers); !deaf.empty())
    lacking_.push_back(std::move(deaf));
  unseen_ = lacking_;
  std::ranges::move(never_seen(patched_calls(hooks)), std::back_inserter(unseen_));
  config_ = config;
  hooks_ = hooks_text(hooks);
  fault_returns_ = options.fault_return;
  return {};
}

Status ModuleSource::configure(const SourceOptions& options, kutrace_config& config) {
  KUTRACE_ASSIGN(const bool has_counters, device_.try_configure(config));
  if (has_counters) {
    counters_ = options.counters;
    return {};
  }
  config.flags &= ~(KUTRACE_CONFIG_IPC | KUTRACE_CONFIG_LLC);
  lacking_.push_back(no_counters("this machine has no such counter: ENODEV"));
  return device_.configure(config);
}

// What is shared is a stream; what is kept of it, are this reader's copies.
Status ModuleSource::configure_or_join(const kutrace_config& config) {
  kutrace_config wish = config;
  wish.mode = KUTRACE_MODE_STREAM;
  for (int tries = 0;; ++tries) {
    KUTRACE_ASSIGN(const bool is_own, device_.configure_unless_busy(config));
    if (is_own) return {};
    KUTRACE_ASSIGN(const auto joined, device_.join(wish));
    if (joined) {
      joined_ = true;
      blocks_ = joined->blocks;
      return {};
    }
    if (tries == kTries || !is_about_to_share()) return device_.configure(config);
    usleep(kBetweenTries_us);
  }
}

// Of copies that it keeps, as the module checks its own buffer.
Status ModuleSource::check_room() const {
  if (!copies_ || room_ >= KUTRACE_MIN_BLOCKS_PER_CPU * device_.version().cpus) return {};
  return fail(ModuleDevice::too_small());
}

// Its process has not begun, or tries what a call takes; or it is over, and the last of it is read.
bool ModuleSource::is_about_to_share() const {
  const kutrace_status status = read_status();
  const bool is_shared = status.recording != 0 && status.lifetime == KUTRACE_ON_SHARED;
  return status.mode == KUTRACE_MODE_STREAM && !is_shared;
}

// Whose calls, and which of their arguments.
Status ModuleSource::choose(const SourceOptions& options) {
  if (options.arguments.is_set()) KUTRACE_TRY(choose_arguments(options.arguments));
  filters_later_ = joined_ && options.filter.is_set();
  if (!options.filter.is_set() || joined_) return {};
  follows_ = options.filter.follow;
  knows_processes_ = follows_ || !options.filter.processes.empty();
  KUTRACE_TRY(device_.choose_threads(options.filter.settings()));
  if (options.filter.processes.empty()) return {};
  return device_.tell_processes(options.filter.processes, KUTRACE_PROCESS_NAMED);
}

ClockReading ModuleSource::read_clocks() const {
  const kutrace_clocks clocks = device_.clocks().value_or(kutrace_clocks{});
  return {clocks.counter, clocks.real_ns / 1000, clocks.monotonic_ns};
}

// What is on for others stays on.
Result<CallTime> ModuleSource::time_recorded_call() {
  if (joined_) return time_one_call();
  KUTRACE_TRY(switch_on(KUTRACE_ON_ATTACHED));
  const CallTime time = time_one_call();
  KUTRACE_TRY(device_.switch_off());
  records_ = false;
  KUTRACE_TRY(device_.reset());
  return time;
}

// A rate of samples is configured with their group alone, so groups of users are switched here.
Status ModuleSource::switch_on(kutrace_lifetime lifetime) {
  KUTRACE_TRY(device_.switch_on(lifetime));
  records_ = true;
  if (!owners_) return {};
  const auto done = device_.switch_groups(config_.groups);
  return done ? Status() : fail(done.error());
}

// What came since it joined is not this reader's, nor is what was overwritten of that.
Status ModuleSource::begin_joined() {
  lapped_before_ = read_status().lapped;
  std::map<CpuId, std::uint64_t> newest;
  for (int i = 0; i < kMostTakes; ++i) {
    KUTRACE_ASSIGN(const std::vector<FinishedBlock> found, take());
    if (found.empty()) break;
    for (const FinishedBlock& block : found) {
      std::uint64_t& number = newest[block.cpu];
      number = std::max(number, block.sequence());
      release(block);
    }
  }
  KUTRACE_ASSIGN(const kutrace_clocks clocks, device_.clocks());
  reader_ = std::make_unique<SharedReader>(groups_, clocks.counter, blocks_);
  for (const auto& [cpu, sequence] : newest) reader_->begin_behind(cpu, sequence);
  reader_->begin(cpus_);
  return {};
}

Status ModuleSource::start() {
  if (joined_) {
    KUTRACE_TRY(begin_joined());
  } else {
    KUTRACE_TRY(switch_on(shares_ ? KUTRACE_ON_SHARED : KUTRACE_ON_ATTACHED));
  }
  ask_for_names();
  return {};
}

// What this kernel cannot show of the groups, beside what is known already.
std::vector<std::string> ModuleSource::newly_lacking() {
  const auto hooks = device_.hooks();
  if (!hooks) return {};
  std::vector<std::string> all;
  std::vector<std::string> off;
  module_unseen(*hooks, config_, all, off);
  std::erase_if(all, [this](const std::string& line) {
    return std::ranges::find(lacking_, line) != lacking_.end();
  });
  std::ranges::copy(all, std::back_inserter(lacking_));
  std::ranges::copy(all, std::back_inserter(unseen_));
  return all;
}

Result<GroupSwitch> ModuleSource::switch_groups(const EventGroups& groups) {
  if (shares_) return Source::switch_groups(groups);
  std::uint32_t bits = groups.bits() & KUTRACE_GROUPS_ALL;
  if (owners_ && config_.sample_hz == 0) bits &= ~KUTRACE_GROUP_SAMPLES;
  Ticks at = 0;
  if (records_ || !owners_) {
    KUTRACE_ASSIGN(at, device_.switch_groups(bits));
  }
  config_.groups = bits;
  GroupSwitch done{.at = at, .lacking = newly_lacking()};
  const EventGroups before = std::exchange(groups_, groups);
  if (std::string deaf = hear_marks_after(before, groups, kCarriers); !deaf.empty())
    done.lacking.push_back(std::move(deaf));
  return done;
}

std::optional<FinishedBlock> ModuleSource::open_block(CpuId cpu) const {
  if (owners_) return std::nullopt;  // see wait_for_writers()
  if (joined_) return reader_->open_block(cpu);
  const auto status = device_.cpu_status(cpu);
  if (!status || status->open_block == 0) return std::nullopt;
  return block_at(status->open_block - 1, cpu, KUTRACE_HEADER_WORDS);
}

// Whatever writes holds its CPU: a grace period of the kernel outlasts it. Where users come and go
// blocks are finished, too, also those that a CPU holds back: what is open then is newer.
void ModuleSource::wait_for_writers() const {
  if (owners_ && device_.flush()) return;
  constexpr unsigned kLongEnough_us = 20'000;  // where the kernel refuses to wait for one
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) != 0) usleep(kLongEnough_us);
}

// ---- blocks ------------------------------------------------------------------------------------

Result<std::vector<FinishedBlock>> ModuleSource::take() {
  KUTRACE_ASSIGN(const auto infos, device_.take());
  std::vector<FinishedBlock> found;
  for (const kutrace_block_info& info : infos) found.push_back(taken(info));
  return found;
}

Result<std::vector<FinishedBlock>> ModuleSource::take_settled() {
  KUTRACE_ASSIGN(const std::vector<FinishedBlock> found, take());
  std::vector<FinishedBlock> settled;
  std::vector<FinishedBlock> looked = std::exchange(unsettled_, {});
  std::ranges::copy(found, std::back_inserter(looked));
  for (const FinishedBlock& block : looked)
    (is_settled(block) ? settled : unsettled_).push_back(block);
  return settled;
}

// To be asked when blocks were taken: whoever joined before they were finished is known then. Who
// keeps copies does so from the begin on.
Status ModuleSource::share_if_joined() {
  if (!shares_ || reader_) return {};
  KUTRACE_ASSIGN(const kutrace_status status, device_.status());
  if (status.joins == 0 && !copies_) return {};
  reader_ = std::make_unique<SharedReader>(groups_, status.start_counter, blocks_);
  for (const CpuId cpu : cpus_) reader_->go_on_from(cpu, 0, status.start_counter);
  for (const auto& [cpu, last] : last_) reader_->go_on_from(cpu, last.next, last.end);
  return {};
}

void ModuleSource::remember_last(const std::vector<FinishedBlock>& blocks) {
  std::map<CpuId, FinishedBlock> newest;
  for (const FinishedBlock& block : blocks) {
    const auto [at, is_first] = newest.try_emplace(block.cpu, block);
    if (!is_first && at->second.sequence() < block.sequence()) at->second = block;
  }
  for (const auto& [cpu, block] : newest) {
    Last& last = last_[cpu];
    if (last.next <= block.sequence()) last = {block.sequence() + 1, end_time(block)};
  }
}

// What comes too late was finished before anybody joined: it is handed over as it is.
void ModuleSource::give_to_reader(const std::vector<FinishedBlock>& blocks,
                                  std::vector<FinishedBlock>& late) {
  for (const FinishedBlock& block : blocks) {
    if (reader_->add(block))
      release(block);
    else
      late.push_back(block);
  }
  reader_->pass();
}

// Until there are none, as far as it is seen: a reader may hold but a few at once. Who keeps copies
// lets the oldest go before there are many more.
Result<bool> ModuleSource::take_all(std::vector<FinishedBlock>& late) {
  for (int i = 0; i < kMostTakes; ++i) {
    if (copies_ && reader_->used() >= room_ + kMostAhead) return false;
    KUTRACE_ASSIGN(const std::vector<FinishedBlock> more, take_settled());
    if (more.empty()) return true;
    give_to_reader(more, late);
  }
  return false;
}

// A CPU finishes its blocks in order, but for moments in which it cannot be moved to another
// thread. What is not there when these are over, and all was taken once more, was overwritten.
Status ModuleSource::fill_gaps(std::vector<FinishedBlock>& late) {
  if (!reader_->has_gap() || !unsettled_.empty()) return {};
  const SharedReader::Newest newest = reader_->newest();
  wait_for_writers();
  KUTRACE_ASSIGN(const bool is_all, take_all(late));
  if (is_all && unsettled_.empty()) reader_->pass_up_to(newest);
  return {};
}

Status ModuleSource::collect(std::vector<FinishedBlock>& out) {
  keep_names_coming();
  if (keeps_) return {};
  KUTRACE_ASSIGN(const std::vector<FinishedBlock> found, take_settled());
  KUTRACE_TRY(share_if_joined());
  if (!reader_) {
    if (shares_) remember_last(found);
    std::ranges::copy(found, std::back_inserter(out));
    return {};
  }
  give_to_reader(found, out);
  KUTRACE_TRY(take_all(out));
  KUTRACE_TRY(fill_gaps(out));
  std::ranges::copy(reader_->take(), std::back_inserter(out));
  return {};
}

void ModuleSource::release(const FinishedBlock& block) {
  if (block.index >= blocks_) return reader_->release(block);
  if (!device_.release({block.index, serials_.at(block.index)})) ++stranded_;
}

std::string ModuleSource::ended_by() const {
  const std::uint32_t ended = read_status().ended;
  if ((owners_ || shares_) && !ended_ && ended == KUTRACE_ENDED_OFF)
    return "the module was switched off";
  return ended == KUTRACE_ENDED_SUSPEND ? "the machine went to sleep" : "";
}

// A recording that ended by itself has its own end.
Result<Ticks> ModuleSource::halt() {
  KUTRACE_ASSIGN(const kutrace_status status, device_.status());
  const Ticks stop = status.stop_counter != 0 ? status.stop_counter : now();
  if (shares_) losses_at_stop_ = losses_of_cpus();
  return stop;
}

// Of a shared recording this reader leaves, and takes what there is for it.
Status ModuleSource::drain(std::vector<FinishedBlock>& left) {
  KUTRACE_ASSIGN(const kutrace_status status, device_.status());
  if (status.recording != 0)
    if (Status off = device_.switch_off(); !off && read_status().recording != 0) return off;
  ended_ = status.recording != 0;
  std::vector<FinishedBlock> found = std::exchange(unsettled_, {});
  do {
    KUTRACE_ASSIGN(const std::vector<FinishedBlock> more, take());
    std::ranges::copy(more, std::back_inserter(found));
    KUTRACE_TRY(share_if_joined());
    if (!reader_) {
      std::ranges::copy(found, std::back_inserter(left));
      return {};
    }
    give_to_reader(found, left);
    found.clear();
    if (more.empty()) break;
  } while (true);
  std::ranges::copy(reader_->finish(), std::back_inserter(left));
  return {};
}

std::vector<OpenLoss> ModuleSource::losses_of_cpus() const {
  std::vector<OpenLoss> losses;
  for (CpuId cpu = 0; cpu < device_.version().cpus; ++cpu)
    if (const auto status = device_.cpu_status(cpu); status && status->lost_reason != 0)
      losses.push_back({cpu, static_cast<kutrace_loss_reason>(status->lost_reason),
                        status->lost_begin, status->lost});
  return losses;
}

// Where others go on recording, what a CPU lost when this reader stopped may be told by now, in a
// block that is not this reader's. And of blocks that were overwritten at the end none that comes
// later tells: as it is not known whose they were, no CPU is trusted behind its last entry.
std::vector<OpenLoss> ModuleSource::open_losses() const {
  if (!reader_) return losses_of_cpus();
  std::vector<OpenLoss> losses;
  for (OpenLoss loss : losses_at_stop_) {
    loss.begin = std::max(loss.begin, reader_->begin_time());
    if (reader_->end_of(loss.cpu) <= loss.begin) losses.push_back(loss);
  }
  if (read_status().lapped > lapped_before_ + reader_->missed())
    for (const CpuId cpu : cpus_)
      losses.push_back(
          {cpu, KUTRACE_LOSS_BUFFER_FULL, reader_->end_of(cpu), KUTRACE_LOSS_UNKNOWN_COUNT});
  return losses;
}

std::vector<StackRecord> ModuleSource::stacks() const {
  std::vector<StackRecord> all;
  const auto kept = device_.stacks();
  for (const kutrace_stack& stack : kept.value_or(std::vector<kutrace_stack>()))
    all.push_back({stack.number, 0, {stack.frames, stack.frames + stack.count}});
  return all;
}

std::vector<std::string> ModuleSource::missed() const {
  const kutrace_status status = read_status();
  std::vector<std::string> lines =
      misses_text({status.packets_unhashed, status.inserts_refused, status.inserts_unreadable,
                   status.foreign_frequency, status.stacks_lost, 0});
  if (stranded_ != 0)
    lines.push_back(std::to_string(stranded_) + " blocks that could not be used again");
  return lines;
}

}  // namespace

kutrace_config module_config(const SourceOptions& options) {
  kutrace_config config{};
  config.mode = as_bits(options.mode);
  config.groups = options.groups.bits() & KUTRACE_GROUPS_ALL;
  config.blocks = options.blocks;
  config.flags = (options.merge ? 0 : KUTRACE_CONFIG_NO_FOLD) |
                 (options.fault_return ? 0 : KUTRACE_CONFIG_NO_FAULT_RETURN) |
                 (options.arguments.is_set() ? KUTRACE_CONFIG_ARGUMENTS : 0) |
                 (options.stacks ? KUTRACE_CONFIG_STACKS : 0) |
                 (options.owners ? KUTRACE_CONFIG_OWNERS : 0);
  if (options.owners)
    config.groups &= KUTRACE_GROUP_SCHED | (options.sample_hz != 0 ? KUTRACE_GROUP_SAMPLES : 0);
  if ((options.counters & KUTRACE_FLAG_IPC) != 0) config.flags |= KUTRACE_CONFIG_IPC;
  if ((options.counters & KUTRACE_FLAG_LLC) != 0) config.flags |= KUTRACE_CONFIG_LLC;
  config.sample_hz = options.sample_hz;
  config.packet_mask = options.packets.mask;
  config.packet_match = options.packets.match;
  std::ranges::fill(config.idle_hint, std::uint16_t{255});
  const std::vector<IdleState> states = read_idle_states();
  for (std::size_t i = 0; i < std::min(states.size(), std::size(config.idle_hint)); ++i)
    config.idle_hint[i] = static_cast<std::uint16_t>(states[i].mwait_hint);
  return config;
}

void module_unseen(const std::vector<kutrace_hook_info>& hooks, const kutrace_config& config,
                   std::vector<std::string>& lacking, std::vector<std::string>& switched_off) {
  for (const kutrace_hook_info& hook : hooks) {
    if (is_patched_call(hook) || is_of_owners(hook.name)) continue;
    const std::string_view what = shows(hook.name);
    const bool returns = (config.flags & KUTRACE_CONFIG_NO_FAULT_RETURN) == 0;
    const bool wanted = (hook.group == 0 || (hook.group & config.groups) != 0) &&
                        (returns || !is_fault_return(hook.name));
    if ((wanted && hook.error == 0) || what.empty()) continue;
    if (wanted)
      lacking.push_back(fmt::format("{} (this kernel has no {})", what, hook.name));
    else
      switched_off.emplace_back(what);
  }
  // The module is built without hooks for which its kernel has no tracepoint.
  for (const Hook& hook : all_hooks()) {
    EventGroups group;
    group.set(hook.group, true);
    const bool wanted = (group.bits() & config.groups) != 0;
    if (!wanted || hook.shows.empty() || !hook.name.starts_with("point_")) continue;
    if (std::ranges::none_of(hooks, [&](const auto& one) { return one.name == hook.name; })) {
      lacking.push_back(fmt::format("{} (this kernel has no such tracepoint)", hook.shows));
    }
  }
}

Result<std::unique_ptr<Source>> open_module_source(const SourceOptions& options) {
  KUTRACE_ASSIGN(ModuleDevice device, ModuleDevice::open());
  auto source = std::make_unique<ModuleSource>(std::move(device));
  KUTRACE_TRY(source->open(options));
  return source;
}

}  // namespace kutrace::record
