// SPDX-License-Identifier: BSD-3-Clause
// Pieces of blocks arrive at the socket, and are put together in memory of this process.
#include "record/served/served_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <utility>

#include "files/descriptor.h"
#include "files/local_socket.h"
#include "format/unseen.h"
#include "record/blocks/clock.h"
#include "record/served/served_protocol.h"
#include "record/view/growing_blocks.h"

namespace kutrace::record {

namespace {

constexpr int kOpening_ms = 60'000;  // the first reader waits for programs to be loaded
constexpr int kEnding_ms = 20'000;
constexpr std::size_t kLongestLine = 1u << 20;
constexpr std::size_t kReadAtOnce = 1u << 18;

Result<files::Descriptor> connect_to(const std::string& path) {
  KUTRACE_ASSIGN(files::Descriptor fd, files::connect_to_socket(path));
  if (fd) return fd;
  return fail(
      host_error("no daemon listens at " + path)
          .with_hint("systemctl enable --now kutrace-daemon.socket, or sudo kutrace daemon"));
}

// Whether this is less than what he sees.
bool needs_filter(const ThreadFilter& filter) {
  return !filter.processes.empty() || !filter.names.empty() || filter.follow;
}

class ServedSource final : public Source {
 public:
  ServedSource(SourceOptions options, files::Descriptor socket)
      : options_(std::move(options)), socket_(std::move(socket)) {}
  Status open();

  std::string_view name() const override { return answer_.source; }
  std::string_view clock_name() const override { return answer_.clock; }
  TickRate tick_rate() const override { return answer_.tick_rate(); }
  Ticks now() const override { return read_clocks().counter; }
  ClockReading read_clocks() const override;
  const std::vector<CpuId>& cpus() const override { return answer_.cpus; }

  Result<CallTime> time_recorded_call() override;
  Status tell_processes(std::span<const std::uint32_t> /*processes*/, unsigned /*what*/) override {
    return {};
  }
  Status choose_arguments(const CallChoice& /*choice*/) override { return {}; }
  bool shows_own_only() const override { return answer_.own_only; }
  bool leaves_filter_to_end() const override;
  Status start() override;
  std::optional<FinishedBlock> open_block(CpuId cpu) const override {
    return blocks_.open_block(cpu);
  }
  void wait_for_writers() const override {}  // pieces are whole
  Status collect(std::vector<FinishedBlock>& out) override;
  void release(const FinishedBlock& block) override { blocks_.release(block); }
  bool supply() override { return true; }
  std::uint32_t wanted() override {
    return blocks_.used() > options_.blocks ? blocks_.used() - options_.blocks : 0;
  }
  bool is_full() const override { return blocks_.used() >= options_.blocks; }
  int wake_fd() const override { return socket_.get(); }
  std::string ended_by() const override { return ended_by_; }
  Result<Ticks> halt() override;
  Status drain(std::vector<FinishedBlock>& left) override;
  std::vector<OpenLoss> open_losses() const override { return losses_; }
  std::uint32_t blocks_used() const override { return blocks_.used(); }
  std::string hooks() const override { return answer_.hooks; }
  bool has_fault_returns() const override { return answer_.fault_returns; }
  const std::vector<std::string>& unseen() const override { return answer_.unseen; }
  const std::vector<std::string>& switched_off() const override { return switched_off_; }
  const std::vector<std::string>& lacking() const override { return answer_.lacking; }
  std::vector<std::string> missed() const override { return missed_; }
  std::vector<SkippedRuns> skipped_runs() override { return skipped_; }
  SourceShare share_of(const SourceOptions& asked) const override;

 private:
  void lack(const std::string& what);
  void compare_answer();
  Status say(std::string_view line);
  enum class OnSignal { kWait, kGiveUp };
  bool read_some(int wait_ms, OnSignal on_signal = OnSignal::kWait);
  bool is_readable(int wait_ms, OnSignal on_signal) const;
  std::optional<std::string> next_line();
  Result<std::string> wait_for_line(int wait_ms);
  void take_all();
  bool take_piece(const Piece& piece, std::string_view words);
  void gone(std::string why);
  void end_with(const ServedEnd& end);

  const SourceOptions options_;
  files::Descriptor socket_;
  const CallTime unrecorded_ = time_one_call();
  ServedAnswer answer_;
  std::string received_;
  std::size_t taken_ = 0;  // bytes of it
  std::optional<Piece> piece_;
  GrowingBlocks blocks_;
  std::optional<ServedEnd> end_;
  std::string ended_by_;
  std::vector<OpenLoss> losses_;
  std::vector<std::string> missed_;
  std::vector<SkippedRuns> skipped_;
  std::vector<std::string> switched_off_;
};

bool ServedSource::leaves_filter_to_end() const { return needs_filter(options_.filter); }

Status ServedSource::say(std::string_view line) {
  if (files::send_all(socket_.get(), line)) return {};
  return fail(host_error("cannot reach the daemon: " + errno_text(errno))
                  .with_hint("systemctl status kutrace-daemon"));
}

// A signal does not shorten the wait of who is waiting for the end.
bool ServedSource::is_readable(int wait_ms, OnSignal on_signal) const {
  using std::chrono::milliseconds;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point until = Clock::now() + milliseconds(wait_ms);
  pollfd watch{socket_.get(), POLLIN, 0};
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
    const int ready = poll(&watch, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready >= 0 || errno != EINTR || on_signal == OnSignal::kGiveUp) return ready > 0;
  }
}

// Appends what is there. False: there will be nothing more, or not in this time.
bool ServedSource::read_some(int wait_ms, OnSignal on_signal) {
  if (!is_readable(wait_ms, on_signal)) return false;
  received_.erase(0, std::exchange(taken_, 0));
  const std::size_t before = received_.size();
  received_.resize(before + kReadAtOnce);
  ssize_t got = 0;
  do {
    got = recv(socket_.get(), received_.data() + before, kReadAtOnce, MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  received_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got > 0 || (got < 0 && errno == EAGAIN)) return got > 0;
  gone("the daemon is gone");
  return false;
}

std::optional<std::string> ServedSource::next_line() {
  const std::size_t end = received_.find('\n', taken_);
  if (end == received_.npos) {
    if (received_.size() - taken_ > kLongestLine) gone("the daemon is not understood");
    return std::nullopt;
  }
  std::string line = received_.substr(taken_, end - taken_);
  taken_ = end + 1;
  return line;
}

// Who is told to end before it has begun need not wait.
Result<std::string> ServedSource::wait_for_line(int wait_ms) {
  for (;;) {
    if (auto line = next_line()) return std::move(*line);
    if (!read_some(wait_ms, OnSignal::kGiveUp))
      return fail(host_error(ended_by_.empty() ? "the daemon does not answer" : ended_by_)
                      .with_hint("journalctl -u kutrace-daemon says why"));
  }
}

// How what is recorded is written down, which is one for all readers.
const char* refused_of_entries(const SourceOptions& options) {
  if (options.packets.mask != PacketFilter().mask) return "--packets";
  if (!options.merge) return "--no-merge";
  return options.fault_return ? nullptr : "--no-fault-exit";
}

// What the daemon cannot do for one reader alone is refused, rather than left out.
Status check_served(const SourceOptions& options) {
  const ThreadFilter& filter = options.filter;
  const bool is_other = filter.user && *filter.user != geteuid();
  const bool is_late = needs_filter(filter) && !options.filter_at_end;
  const char* const refused = is_late ? "--pid, --comm, --follow into a stream"
                              : is_other || !filter.cgroups.empty() ? "--uid, --cgroup, --unit"
                              : options.stacks                      ? "--stacks"
                              : !options.functions.empty()          ? "--functions"
                              : options.counters != 0               ? "--ipc, --llc"
                                                                    : refused_of_entries(options);
  if (refused == nullptr) return {};
  return fail(usage_error(fmt::format("{}: not through the daemon", refused))
                  .with_hint("record all, then select with kutrace trim; or record as root"));
}

// The daemon chooses no calls.
Status check_calls(const CallChoice& arguments) {
  if (!arguments.is_set()) return {};
  KUTRACE_ASSIGN(const std::vector<std::uint32_t> all, choose_calls({}));
  if (arguments.calls == all) return {};
  return fail(
      usage_error("--syscalls: not through the daemon, which records arguments of all calls")
          .with_hint("--args or --strings; or record as root"));
}

void ServedSource::lack(const std::string& what) {
  answer_.lacking.push_back(what + std::string(kNotAllowed));
  answer_.unseen.push_back(answer_.lacking.back());
}

// Less than what was asked for is told.
void ServedSource::compare_answer() {
  if (const EventGroups refused = options_.groups.without(share_of(options_).groups);
      !refused.empty())
    lack(fmt::format("events of {}", fmt::join(refused.names(), ",")));
  const std::uint32_t wanted = options_.arguments.string_bytes;
  if (options_.arguments.is_set() && !answer_.arguments)
    lack("arguments of system calls");
  else if (wanted != 0 && answer_.string_bytes == 0)
    lack("what arguments of system calls point to");
  else if (wanted > answer_.string_bytes)
    lack(fmt::format("more than {} bytes of buffers", answer_.string_bytes));
}

// Counters are read by the reader itself.
SourceShare ServedSource::share_of(const SourceOptions& asked) const {
  SourceShare share{answer_.groups, {}};
  share.groups.set(EventGroup::kCounters, asked.groups.has(EventGroup::kCounters));
  if (answer_.arguments && share.groups.has(EventGroup::kSyscalls))
    share.arguments = asked.arguments;
  return share;
}

// Who may not read is told so before he asks, and may find nobody any more who hears him.
Status ServedSource::open() {
  KUTRACE_TRY(check_served(options_));
  KUTRACE_TRY(check_calls(options_.arguments));
  Status asked = say(line_of(ServedRequest{options_.groups, options_.arguments.is_set(), true}));
  const Result<std::string> line = wait_for_line(kOpening_ms);
  if (!line) return asked ? fail(line.error()) : asked;
  KUTRACE_ASSIGN(answer_, parse_answer(*line));
  if (options_.filter.user && !answer_.own_only)
    return fail(usage_error("--uid: not through the daemon, for who sees all users")
                    .with_hint("record all, then select with kutrace trim; or record as root"));
  compare_answer();
  opening_.over("wait for the daemon");
  return {};
}

// Another counter than the kernel's clock is not read here: the time since the daemon's moment
// tells.
ClockReading ServedSource::read_clocks() const {
  ClockReading clocks = read_monotonic_clocks();
  if (answer_.clock == kMonotonicClock) return clocks;
  const auto since = static_cast<std::int64_t>(clocks.monotonic_ns - answer_.monotonic_ns);
  const Ticks ticks = tick_rate().ticks(std::max<std::int64_t>(since, 0));
  clocks.counter = answer_.counter + ticks;
  return clocks;
}

// What recording adds was measured by the daemon; by now it may record this process, too.
Result<CallTime> ServedSource::time_recorded_call() {
  CallTime time = unrecorded_;
  time.ns += answer_.call_ns;
  time.spread = std::max(time.spread, answer_.call_spread);
  return time;
}

// Until something arrives a CPU's block holds its begin alone.
Status ServedSource::start() {
  KUTRACE_TRY(say(kBeginLine));
  KUTRACE_ASSIGN(const std::string line, wait_for_line(kOpening_ms));
  const std::optional<Ticks> begin = parse_begin(line);
  if (!begin) return fail(host_error("the daemon did not begin to record; it answered: " + line));
  for (const CpuId cpu : answer_.cpus) blocks_.begin(cpu, *begin);
  return {};
}

bool ServedSource::take_piece(const Piece& piece, std::string_view words) {
  if (std::ranges::find(answer_.cpus, piece.cpu) == answer_.cpus.end())
    answer_.cpus.push_back(piece.cpu);
  return blocks_.add(piece, words);
}

void ServedSource::take_all() {
  while (ended_by_.empty() && !end_) {
    if (!piece_) {
      const auto line = next_line();
      if (!line) return;
      piece_ = parse_piece(*line);
      if (!piece_) {
        if (const auto end = parse_end(*line)) return end_with(*end);
        const auto refusal = parse_refusal(*line);
        return gone(refusal ? refusal->sentence : "the daemon is not understood");
      }
    }
    const std::size_t bytes = std::size_t{piece_->words} * sizeof(std::uint64_t);
    if (received_.size() - taken_ < bytes) return;
    if (!take_piece(*piece_, std::string_view(received_).substr(taken_, bytes)))
      return gone("the daemon is not understood");
    taken_ += bytes;
    piece_.reset();
  }
}

void ServedSource::end_with(const ServedEnd& end) {
  end_ = end;
  ended_by_ = end.ended_by;
  missed_ = end.missed;
  skipped_ = end.skipped;
  for (const ServedEnd::Loss& loss : end.losses)
    losses_.push_back({loss.cpu, KUTRACE_LOSS_BUFFER_FULL, loss.begin, loss.entries});
}

// Of what comes after the last entry of each CPU nothing is known.
void ServedSource::gone(std::string why) {
  if (!ended_by_.empty() || end_) return;
  ended_by_ = std::move(why);
  for (const auto& [cpu, end] : blocks_.ends())
    losses_.push_back({cpu, KUTRACE_LOSS_LIMIT, end, KUTRACE_LOSS_UNKNOWN_COUNT});
}

// A full memory leaves the rest to the daemon, which tells what it could not send.
Status ServedSource::collect(std::vector<FinishedBlock>& out) {
  const bool may_grow = options_.mode == RecordMode::kWrap || !is_full();
  for (int i = 0; may_grow && i < 64 && ended_by_.empty() && read_some(0); ++i) take_all();
  std::ranges::copy(blocks_.take_finished(), std::back_inserter(out));
  return {};
}

Result<Ticks> ServedSource::halt() {
  if (ended_by_.empty() && !say(kEndLine)) gone("the daemon is gone");
  while (ended_by_.empty() && !end_) {
    if (read_some(kEnding_ms))
      take_all();
    else
      gone("the daemon does not answer");
  }
  if (end_) return end_->stop;
  Ticks last = now();  // of another clock an estimate
  for (const auto& [cpu, end] : blocks_.ends()) last = std::max(last, end);
  return last;
}

Status ServedSource::drain(std::vector<FinishedBlock>& left) {
  std::ranges::copy(blocks_.take_finished(), std::back_inserter(left));
  std::ranges::copy(blocks_.open_blocks(), std::back_inserter(left));
  return {};
}

}  // namespace

Result<std::unique_ptr<Source>> open_served_source(const SourceOptions& options,
                                                   const std::string& socket) {
  KUTRACE_ASSIGN(files::Descriptor fd, connect_to(socket));
  auto source = std::make_unique<ServedSource>(options, std::move(fd));
  KUTRACE_TRY(source->open());
  return source;
}

bool daemon_listens(const std::string& socket) { return connect_to(socket).has_value(); }

}  // namespace kutrace::record
