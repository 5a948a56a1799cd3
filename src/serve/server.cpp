// SPDX-License-Identifier: BSD-3-Clause
// Rounds: requests in, blocks to every reader, bytes out.
#include "serve/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "record/blocks/block_walk.h"
#include "record/run/open_source.h"
#include "record/run/stop_signal.h"
#include "record/served/served_protocol.h"
#include "record/view/reader_stream.h"
#include "serve/block_queue.h"
#include "serve/outgoing.h"
#include "serve/peer.h"

namespace kutrace::serve {

namespace {

using Clock = std::chrono::steady_clock;
using record::FinishedBlock;

constexpr std::size_t kMostReaders = 32;
constexpr std::size_t kMostOfUser = 4;
constexpr auto kPatience = std::chrono::seconds(30);  // with who asks, or takes the end
constexpr int kRound_ms = 10;
constexpr int kHurriedRound_ms = 1;
constexpr int kIdleRound_ms = 1000;
constexpr std::size_t kReadAtOnce = 4096;
// Of one round, so that none keeps the others waiting.
constexpr int kPartsOfReader = 4;
constexpr int kNewReaders = 64;
// What readers who have gone asked for is recorded for so long: to begin with it costs more.
constexpr auto kLinger = std::chrono::seconds(1);

constexpr const char* kUnseenByUser =
    "packets, kernel code, stacks, moments with numbers (the daemon shows a user what his own "
    "processes do)";

enum class Stage { kAsks, kWaits, kReads, kEnds };

struct Reader {
  files::Descriptor socket;
  Peer peer;
  Stage stage = Stage::kAsks;
  Clock::time_point since = Clock::now();  // in this stage
  record::ServedRequest request;           // what it may have of what it asked for
  std::string said;                        // by it, not yet a line
  std::string answer;                      // for it, before it reads
  Outgoing outgoing;                       // what it reads
  std::unique_ptr<record::ReaderStream> stream;
  Ticks begin = 0;
  std::optional<std::uint32_t> owner;  // the source's number of its user, if it has one
  std::vector<record::SkippedRuns> skipped_before;  // its begin
  bool wants_end = false;
  bool is_gone = false;

  bool takes_part() const { return !is_gone && (stage == Stage::kWaits || stage == Stage::kReads); }
  void enter(Stage next) {
    stage = next;
    since = Clock::now();
  }
};

EventGroups only(const EventGroups& groups, const EventGroups& allowed) {
  EventGroups both = groups.without(groups.without(allowed));
  both.set(EventGroup::kSched, true);
  return both;
}

class Server {
 public:
  Server(const ServerOptions& options, files::Descriptor listener)
      : options_(options), listener_(std::move(listener)) {
    fcntl(listener_.get(), F_SETFL, O_NONBLOCK);
  }

  Status run();

 private:
  void wait() const;
  bool is_over() const;
  void accept_readers();
  void hear(Reader& reader);
  void line(Reader& reader, std::string_view text);
  Status answer(Reader& reader, std::string_view request);
  void add_clock(record::ServedAnswer& answer) const;
  Status open_source(const EventGroups& groups);
  Status begin(Reader& reader);
  void refuse(Reader& reader, const Error& error);
  void refuse_all(const Error& error);
  Status switch_to(const EventGroups& groups);
  bool lingers() const;
  bool has_ended() const { return source_ && !source_->ended_by().empty(); }
  Status record_union();
  void record_less();
  Status round();
  std::optional<std::string> why_ends(const Reader& reader) const;
  void end(Reader& reader, const std::vector<FinishedBlock>& open, Ticks stop,
           const std::string& why);
  void hand_out(const std::vector<FinishedBlock>& blocks);
  void send_to(Reader& reader);
  void forget_gone();
  void close_source();

  const ServerOptions& options_;
  files::Descriptor listener_;
  std::list<Reader> readers_;
  std::unique_ptr<record::Source> source_;
  double call_ns_ = 0;
  double call_spread_ = 0;
  BlockQueue queue_;
  bool hurry_ = false;
  bool is_full_ = false;  // of descriptors
  Clock::time_point last_reader_ = Clock::now();
  Clock::time_point left_;  // somebody did
  EventGroups recorded_;
  bool may_record_less_ = false;
};

Status Server::run() {
  const record::StopSignal signals;
  while (!is_over()) {
    wait();
    accept_readers();
    for (Reader& reader : readers_) hear(reader);
    if (source_) {
      if (const Status done = round(); !done) refuse_all(done.error());
    }
    for (Reader& reader : readers_) send_to(reader);
    forget_gone();
    if (may_record_less_ && (!lingers() || has_ended())) record_less();
  }
  refuse_all(host_error("the daemon is stopping")
                 .with_hint("start it again: kutrace daemon, or systemctl start "
                            "kutrace-daemon"));
  return {};
}

bool Server::is_over() const {
  if (record::StopSignal::received() != 0) return true;
  return options_.idle != 0 && readers_.empty() &&
         Clock::now() - last_reader_ > std::chrono::nanoseconds(options_.idle);
}

void Server::wait() const {
  std::vector<pollfd> watch;
  if (!is_full_) watch.push_back({listener_.get(), POLLIN, 0});
  if (source_) watch.push_back({source_->wake_fd(), POLLIN, 0});
  for (const Reader& reader : readers_) {
    const bool has_more = !reader.answer.empty() || reader.outgoing.waiting() != 0;
    watch.push_back(
        {reader.socket.get(), static_cast<short>(has_more ? POLLIN | POLLOUT : POLLIN), 0});
  }
  const int ms = !source_ ? kIdleRound_ms : hurry_ ? kHurriedRound_ms : kRound_ms;
  poll(watch.data(), watch.size(), ms);
}

// ---- who asks ----------------------------------------------------------------------------------

void Server::accept_readers() {
  for (int readers = 0; readers < kNewReaders; ++readers) {
    files::Descriptor socket(
        accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    // Who cannot be let in stands in the queue until the next round, and wakes nobody.
    is_full_ = !socket && errno != EAGAIN && errno != EWOULDBLOCK && errno != ECONNABORTED;
    if (!socket) return;
    // Who only looked whether anybody listens has gone.
    char byte = 0;
    if (recv(socket.get(), &byte, 1, MSG_PEEK) == 0) continue;
    const std::optional<Peer> peer = peer_of(socket.get(), options_.policy, options_.group);
    if (!peer) continue;
    last_reader_ = Clock::now();
    // Who was refused, or has gone, takes nobody's place.
    const auto count = [this](const auto& wanted) {
      return static_cast<std::size_t>(std::ranges::count_if(readers_, [&](const Reader& reader) {
        return !reader.is_gone && reader.stage != Stage::kEnds && wanted(reader);
      }));
    };
    const std::size_t of_user =
        count([&](const Reader& reader) { return reader.peer.user == peer->user; });
    const std::size_t of_users =
        count([](const Reader& reader) { return reader.peer.right != Right::kRoot; });
    const bool is_root = peer->right == Right::kRoot;
    Reader& reader = readers_.emplace_back();
    reader.socket = std::move(socket);
    reader.peer = *peer;
    if (!is_root && of_user >= kMostOfUser)
      refuse(reader, host_error(fmt::format("this user reads {} times already", kMostOfUser))
                         .with_hint("end one of them"));
    else if (!is_root && of_users >= kMostReaders)
      refuse(reader, host_error("too many read already").with_hint("try again later"));
    else if (peer->right == Right::kNone)
      refuse(reader, host_error("this user may not read")
                         .with_hint(fmt::format("the administrator can allow it: {}, or "
                                                "group {}",
                                                kPolicyFile, options_.policy.group)));
  }
}

void Server::hear(Reader& reader) {
  std::array<char, kReadAtOnce> part{};
  for (int parts = 0; parts < kPartsOfReader && !reader.is_gone; ++parts) {
    const ssize_t got = recv(reader.socket.get(), part.data(), part.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) {
      reader.is_gone = true;
      return;
    }
    if (reader.stage == Stage::kEnds) continue;  // whatever it says now
    reader.said.append(part.data(), static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = reader.said.find('\n')) != reader.said.npos;) {
      const std::string text = reader.said.substr(0, end);
      reader.said.erase(0, end + 1);
      line(reader, text);
    }
    if (reader.said.size() > record::kLongestRequest)
      refuse(reader, usage_error(fmt::format("the request is longer than {} bytes",
                                             record::kLongestRequest)));
  }
  const bool is_slow = Clock::now() - reader.since > kPatience;
  if (!is_slow || reader.is_gone || reader.stage == Stage::kReads) return;
  if (reader.stage == Stage::kEnds)
    reader.is_gone = true;
  else
    refuse(reader, usage_error(fmt::format("no request came for {} s", kPatience.count())));
}

void Server::line(Reader& reader, std::string_view text) {
  if (reader.stage == Stage::kEnds) return;
  Status done;
  const auto order = record::parse_order(text);
  if (reader.stage == Stage::kAsks)
    done = answer(reader, text);
  else if (reader.stage == Stage::kWaits && order == record::ServedOrder::kBegin)
    done = begin(reader);
  else if (reader.stage == Stage::kReads && order == record::ServedOrder::kEnd)
    reader.wants_end = true;
  else
    done = fail(usage_error("this request is out of order"));
  if (!done) refuse(reader, done.error());
}

void Server::refuse(Reader& reader, const Error& error) {
  if (reader.stage == Stage::kEnds) return;
  const std::string said = record::line_of(error);
  if (reader.stream)
    reader.outgoing.say(said);
  else
    reader.answer += said;
  reader.enter(Stage::kEnds);
  send_to(reader);
}

void Server::refuse_all(const Error& error) {
  for (Reader& reader : readers_) refuse(reader, error);
}

Status Server::answer(Reader& reader, std::string_view request) {
  KUTRACE_ASSIGN(reader.request, record::parse_request(request));
  const Policy& policy = options_.policy;
  const bool own_only = reader.peer.right == Right::kOwn;
  const EventGroups all = Policy().groups;
  reader.request.groups =
      only(reader.request.groups, reader.peer.right == Right::kRoot ? all : policy.groups);
  reader.request.groups.set(EventGroup::kCounters, false);  // each reads them himself
  reader.request.arguments = reader.request.arguments && policy.arguments;
  if (!source_) {
    Status opened = open_source(reader.request.groups);
    if (!opened) {
      options_.on_trouble(opened.error());
      return opened;
    }
  }
  if (source_->clock_name() != record::kMonotonicClock && !reader.request.clocks)
    return fail(host_error("this reader does not know the clock of the kernel module")
                    .with_hint("use the kutrace that was installed with the daemon"));
  reader.enter(Stage::kWaits);
  KUTRACE_TRY(record_union());
  record::ServedAnswer answer;
  answer.own_only = own_only;
  answer.groups = reader.request.groups;
  answer.arguments = reader.request.arguments;
  answer.string_bytes = answer.arguments ? policy.string_bytes : 0;
  answer.cpus = source_->cpus();
  answer.call_ns = call_ns_;
  answer.call_spread = call_spread_;
  answer.hooks = source_->hooks();
  answer.fault_returns = source_->has_fault_returns();
  answer.unseen = source_->unseen();
  answer.lacking = source_->lacking();
  add_clock(answer);
  if (own_only) answer.unseen.emplace_back(kUnseenByUser);
  reader.answer += record::line_of(answer);
  return {};
}

void Server::add_clock(record::ServedAnswer& answer) const {
  const TickRate rate = source_->tick_rate();
  const record::ClockReading moment = source_->read_clocks();
  answer.source = source_->name();
  answer.clock = source_->clock_name();
  answer.tick_ns_numerator = static_cast<std::uint64_t>(rate.numerator);
  answer.tick_ns_denominator = static_cast<std::uint64_t>(rate.denominator);
  answer.counter = moment.counter;
  answer.monotonic_ns = moment.monotonic_ns;
}

// The source is opened with all groups that there are, and records those that are asked for.
Status Server::open_source(const EventGroups& groups) {
  const Policy& policy = options_.policy;
  record::SourceOptions options;
  options.owners = true;
  options.groups = Policy().groups;
  options.groups.set(EventGroup::kCounters, false);
  options.blocks = options_.buffer_mb * record::kBlocksPerMb;
  options.sample_hz = policy.sample_hz;
  if (policy.arguments) {
    KUTRACE_ASSIGN(options.arguments.calls, record::choose_calls({}));
    options.arguments.string_bytes = policy.string_bytes;
  }
  const record::CallTime without = record::time_one_call();
  KUTRACE_ASSIGN(source_, record::open_source_of(options_.source(), options));
  Status done = switch_to(groups);
  if (done) {
    const auto with = source_->time_recorded_call();
    call_ns_ = with ? std::max(0.0, with->ns - without.ns) : 0;
    call_spread_ = with ? std::max(with->spread, without.spread) : 0;
    done = source_->start();
  }
  if (!done) close_source();
  return done;
}

Status Server::switch_to(const EventGroups& groups) {
  const Result<record::GroupSwitch> done = source_->switch_groups(groups);
  return done ? Status() : fail(done.error());
}

bool Server::lingers() const { return Clock::now() - left_ < kLinger; }

// Whose a thread is may change in a system call: where that counts, they are recorded in any case.
Status Server::record_union() {
  EventGroups all = lingers() ? recorded_ : EventGroups();
  all.set(EventGroup::kSched, true);
  for (const Reader& reader : readers_) {
    if (!reader.takes_part()) continue;
    all = all.with(reader.request.groups);
    if (reader.peer.right == Right::kOwn) all.set(EventGroup::kSyscalls, true);
  }
  recorded_ = all;
  return switch_to(all);
}

Status Server::begin(Reader& reader) {
  const Policy& policy = options_.policy;
  record::ReaderRights rights;
  rights.groups = reader.request.groups;
  rights.arguments = reader.request.arguments;
  rights.memory = policy.memory;
  rights.ticks = source_->tick_rate();
  if (reader.peer.right != Right::kRoot) rights.rate = policy.rate;
  if (reader.peer.right == Right::kOwn) {
    KUTRACE_ASSIGN(reader.owner, source_->number_user(reader.peer.user, reader.peer.group));
    rights.owner = reader.owner;
  }
  reader.begin = source_->now();
  reader.skipped_before = source_->skipped_runs();
  reader.stream = std::make_unique<record::ReaderStream>(rights, reader.begin, reader.outgoing);
  reader.answer += record::line_of_begin(reader.begin);
  reader.enter(Stage::kReads);
  return {};
}

// ---- blocks ------------------------------------------------------------------------------------

void Server::hand_out(const std::vector<FinishedBlock>& blocks) {
  for (const FinishedBlock& block : blocks) {
    for (Reader& reader : readers_)
      if (reader.stage == Stage::kReads && !reader.is_gone) reader.stream->add(block);
  }
}

// Why this reader's reading ends now; none: it goes on.
std::optional<std::string> Server::why_ends(const Reader& reader) const {
  if (reader.is_gone || reader.stage != Stage::kReads) return std::nullopt;
  if (reader.wants_end) return "";
  if (std::string why = source_->ended_by(); !why.empty()) return why;
  const Ns most = options_.policy.duration;
  if (most != 0 && reader.peer.right != Right::kRoot &&
      Clock::now() - reader.since > std::chrono::nanoseconds(most))
    return "the administrator's limit of time";
  return std::nullopt;
}

// Open blocks are asked for first: whichever is finished meanwhile is in both lists, and none is in
// neither; nor is it used again before all is said of it.
Status Server::round() {
  std::vector<std::pair<Reader*, std::string>> ending;
  for (Reader& reader : readers_)
    if (auto why = why_ends(reader)) ending.emplace_back(&reader, std::move(*why));
  Ticks stop = source_->now();
  if (!ending.empty() && !source_->ended_by().empty()) {
    KUTRACE_ASSIGN(stop, source_->halt());
  }
  std::vector<FinishedBlock> open;
  if (!ending.empty()) {
    source_->wait_for_writers();
    for (const CpuId cpu : source_->cpus())
      if (const auto block = source_->open_block(cpu)) open.push_back(*block);
  }
  std::vector<FinishedBlock> finished;
  KUTRACE_TRY(source_->collect(finished));
  for (const FinishedBlock& block : finished) queue_.add(block);
  const std::vector<FinishedBlock> next = queue_.take();
  hand_out(next);
  for (const auto& [reader, why] : ending) end(*reader, open, stop, why);
  for (const FinishedBlock& block : next) source_->release(block);
  hurry_ = !source_->supply();
  return {};
}

// All that was written until the stop, whatever is still on its way to others.
void Server::end(Reader& reader, const std::vector<FinishedBlock>& open, Ticks stop,
                 const std::string& why) {
  for (const FinishedBlock& block : queue_.waiting()) reader.stream->add(block);
  for (FinishedBlock block : open) {
    if (!queue_.is_newest(block)) continue;
    block.end = record::end_of_written(block, KUTRACE_HEADER_WORDS);
    reader.stream->add(block);
  }
  reader.stream->finish();
  record::ServedEnd end;
  end.stop = std::max(stop, reader.begin);
  for (const record::OpenLoss& loss : reader.stream->open_losses())
    end.losses.push_back({loss.cpu, loss.begin, loss.entries});
  if (reader.peer.right != Right::kOwn) end.missed = source_->missed();
  end.skipped = record::skipped_since(reader.begin, reader.skipped_before, source_->skipped_runs());
  end.ended_by = why;
  reader.outgoing.say(record::line_of(end));
  reader.enter(Stage::kEnds);
}

// ---- bytes -------------------------------------------------------------------------------------

// Who was told all closes the connection, or has it closed.
void Server::send_to(Reader& reader) {
  const auto put = [&](std::string_view bytes) -> std::size_t {
    const ssize_t done =
        send(reader.socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (done < 0 && errno != EAGAIN && errno != EINTR) reader.is_gone = true;
    return static_cast<std::size_t>(std::max<ssize_t>(done, 0));
  };
  if (reader.is_gone) return;
  if (!reader.answer.empty()) reader.answer.erase(0, put(reader.answer));
  if (!reader.answer.empty() || reader.is_gone) return;
  if (reader.outgoing.waiting() != 0) reader.outgoing.sent(put(reader.outgoing.bytes()));
  const bool has_more = reader.outgoing.waiting() != 0;
  if (reader.stage == Stage::kEnds && !has_more) reader.is_gone = true;
}

void Server::forget_gone() {
  std::set<std::uint32_t> owners;
  for (const Reader& reader : readers_)
    if (reader.is_gone && reader.owner) owners.insert(*reader.owner);
  const std::size_t before = readers_.size();
  std::erase_if(readers_, [](const Reader& reader) { return reader.is_gone; });
  if (readers_.size() == before) return;
  last_reader_ = left_ = Clock::now();
  may_record_less_ = true;
  if (!source_) return;
  for (const Reader& reader : readers_)
    if (reader.owner) owners.erase(*reader.owner);
  for (const std::uint32_t owner : owners)
    if (const Status done = source_->forget_user(owner); !done) refuse_all(done.error());
}

// Some time after the last one has gone who asked for more.
void Server::record_less() {
  may_record_less_ = false;
  if (!source_) return;
  if (std::ranges::none_of(readers_, &Reader::takes_part)) return close_source();
  if (const Status done = record_union(); !done) refuse_all(done.error());
}

// Numbers of users are the source's: who still takes his end has none with the next one.
void Server::close_source() {
  for (Reader& reader : readers_) reader.owner.reset();
  source_.reset();
  queue_ = {};
  hurry_ = false;
  recorded_ = {};
}

}  // namespace

Status serve(const ServerOptions& options, files::Descriptor listener) {
  return Server(options, std::move(listener)).run();
}

}  // namespace kutrace::serve
