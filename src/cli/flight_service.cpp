// SPDX-License-Identifier: BSD-3-Clause
// Rounds: blocks in, triggers evaluated, snapshots begun and finished.
#include "cli/flight_service.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <utility>

#include "base/counted.h"
#include "base/json_text.h"
#include "base/signal_text.h"
#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/log.h"
#include "cli/snapshot_hook.h"
#include "live/live_stream.h"
#include "live/trigger_watch.h"
#include "model/thread_label.h"
#include "record/flight/governor.h"
#include "record/flight/machine_watch.h"
#include "record/flight/snapshot_socket.h"
#include "record/run/stop_signal.h"

namespace kutrace::cli {

namespace {

using live::Trigger;
using live::TriggerKind;
using reports::Asked;

constexpr std::size_t kMostTold = 100;  // firings in one snapshot's facts
constexpr Ns kLookPeriod = 1'000'000'000;
constexpr Ns kGovernPeriod = 100'000'000;
constexpr double kUsualCost_ns = 100;  // of an event, where it could not be measured
constexpr Ns kPrunePeriod = 60'000'000'000;
constexpr Ns kLeastOverlap = 60'000'000'000;

std::atomic<bool> is_asked_for{false};

void ask_for_snapshot(int /*signal*/) { is_asked_for = true; }

// What a snapshot is to tell: who, when, how long; `when` is the trigger as it was written.
struct Told {
  std::string when;
  live::Firing firing;
};

Ns own_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return Ns{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Options of `kutrace why` for what fired.
std::vector<std::string> question_for(const Trigger& trigger) {
  if (trigger.kind != TriggerKind::kInterval) return {};
  const std::string& name = trigger.question.name;
  switch (trigger.question.asked) {
    case Asked::kCall:
      return {"--call", name};
    case Asked::kMark:
      return {"--mark", name};
    case Asked::kRpc:
      return {"--rpc", name};
    default:
      return {"--request", name + std::string(reports::kBetween) + trigger.question.until};
  }
}

std::string sentence(const Told& told) {
  const live::Firing& firing = told.firing;
  std::string text = firing.what;
  if (firing.pid != kNoPid) text += " of " + thread_label(firing.thread, firing.pid, {});
  if (firing.length != 0)
    text += fmt::format(", {:.3f} ms", static_cast<double>(firing.length) / 1e6);
  if (firing.goes_on) text += " and not over";
  const auto status = static_cast<int>(firing.status);
  if (WIFSIGNALED(status))
    text += ", " + signal_text(WTERMSIG(status));
  else if (status != 0)
    text += fmt::format(", status {}", WEXITSTATUS(status));
  return text;
}

// First word of the trigger, for the name of the file.
std::string kind_of(const std::string& when) {
  return when.substr(0, when.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
}

class Flight {
 public:
  Flight(const FlightWish& wish, SnapshotFolder folder, record::FlightRecorder recorder,
         record::MachineWatch machine, record::SnapshotSocket socket)
      : wish_(wish),
        folder_(std::move(folder)),
        recorder_(std::move(recorder)),
        machine_(std::move(machine)),
        socket_(std::move(socket)),
        hook_(wish.on_snapshot) {}

  Status run();
  // That could not be written.
  std::uint64_t lost_snapshots() const { return lost_snapshots_; }

 private:
  // Firings for one snapshot.
  struct Pending {
    std::vector<Told> told;
    std::vector<std::string> question;
    Ns begin = 0;  // of what began first
    Ns due = 0;
    std::uint64_t more = 0;  // that are not told
    std::uint64_t left_out = 0;
  };

  void follow();
  Status work();
  void fired(const std::string& when, const live::Firing& firing, std::vector<std::string> why);
  void wished(const std::string& when, const live::Firing& firing);
  bool join_pending(const Told& told);
  void plan(const Told& told, std::vector<std::string> why);
  void hear_callers();
  void look_around();
  void switch_groups();
  void govern();
  Status record_groups(const EventGroups& groups);
  Status change_groups(const std::vector<std::string>& words);
  void snapshots();
  void begin();
  void made(const Result<record::Snapshot>& snapshot);
  void prune() const;
  void close();
  std::vector<std::string> needed_files() const;
  Ns now() const { return stream_->to_ns(recorder_.now()); }
  record::SnapshotOrder order_of(const Pending& pending) const;

  const FlightWish& wish_;
  SnapshotFolder folder_;
  record::FlightRecorder recorder_;
  record::MachineWatch machine_;
  record::SnapshotSocket socket_;
  SnapshotHook hook_;
  std::unique_ptr<live::LiveStream> stream_;
  Ticks known_until_ = 0;
  std::optional<Pending> pending_;
  std::optional<Pending> under_way_;
  std::vector<files::Descriptor> callers_;            // who wait for the pending one
  std::vector<files::Descriptor> callers_under_way_;  // and for that one
  std::string newest_file_;
  bool ends_ = false;  // no other snapshot is planned
  std::optional<Ns> last_begun_;
  std::uint64_t left_out_ = 0;  // firings since the last snapshot, for which there was none
  std::optional<record::Governor> governor_;
  bool was_helpless_ = false;
  Ns next_governed_ = 0;
  std::uint64_t lost_snapshots_ = 0;
  std::uint64_t missed_lines_ = 0;  // of the kernel's log
  Ns next_look_ = 0;
  Ns next_prune_ = 0;
};

void Flight::follow() {
  live::LiveOptions options = live::options_for(recorder_);
  options.make_sink = [this](const live::LaneView& view) {
    return std::make_unique<live::TriggerWatch>(
        wish_.triggers, view, [this](const live::Firing& firing) {
          const Trigger& trigger = wish_.triggers[firing.trigger];
          fired(trigger.text, firing, question_for(trigger));
        });
  };
  Ns longest = 0;
  for (const Trigger& trigger : wish_.triggers) longest = std::max(longest, trigger.limit);
  options.overlap = std::max(kLeastOverlap, 2 * longest);
  stream_ = std::make_unique<live::LiveStream>(std::move(options));
  known_until_ = recorder_.start_clocks().counter;
}

// What fires before a snapshot ends is told by it. What fires too soon after the last one, or when
// the recorder ends, waits for none, but is counted.
void Flight::fired(const std::string& when, const live::Firing& firing,
                   std::vector<std::string> why) {
  const Told told{when, firing};
  if (join_pending(told)) return;
  if (ends_ || (last_begun_ && now() - *last_begun_ < wish_.every)) {
    ++left_out_;
    log_debug("{}: {}; the last snapshot is not {} s old", when, printable(sentence(told)),
              wish_.every / 1'000'000'000);
    return;
  }
  plan(told, std::move(why));
}

// What somebody asks for is made, however old the last one is.
void Flight::wished(const std::string& when, const live::Firing& firing) {
  const Told told{when, firing};
  if (!join_pending(told) && !ends_) plan(told, {});
}

bool Flight::join_pending(const Told& told) {
  if (!pending_) return false;
  pending_->begin = std::min(pending_->begin, told.firing.begin);
  if (pending_->told.size() < kMostTold)
    pending_->told.push_back(told);
  else
    ++pending_->more;
  return true;
}

void Flight::plan(const Told& told, std::vector<std::string> why) {
  const Ns moment = now();
  last_begun_ = moment;
  pending_ = Pending{.told = {told},
                     .question = std::move(why),
                     .begin = told.firing.begin,
                     .due = moment + wish_.after,
                     .left_out = std::exchange(left_out_, 0)};
  log_info("{}: {}", printable(told.when), printable(sentence(told)));
}

void Flight::hear_callers() {
  std::vector<files::Descriptor> callers = socket_.take_callers();
  if (callers.empty()) return;
  wished("asked", {.what = "asked for", .begin = now()});
  if (pending_)
    std::ranges::move(callers, std::back_inserter(callers_));
  else
    record::SnapshotSocket::answer(callers,
                                   record::refusal(host_error("the flight recorder ends")));
}

// As others ask for; without words, they ask what is recorded.
void Flight::switch_groups() {
  while (const auto words = socket_.groups_asked()) {
    const auto changed = change_groups(*words);
    if (changed && !words->empty())
      log_info("recorded from now on: {}", fact::to_text(recorder_.groups().names()));
    socket_.answer_groups(changed ? "recorded: " + fact::to_text(recorder_.groups().names())
                                  : record::refusal(changed.error()));
  }
}

Status Flight::change_groups(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const EventGroups chosen = governor_ ? governor_->wanted() : recorder_.groups();
  KUTRACE_ASSIGN(const EventGroups wanted, EventGroups::parse_change(chosen, words));
  KUTRACE_TRY(record_groups(wanted));
  if (governor_) governor_->choose(wanted);
  return {};
}

Status Flight::record_groups(const EventGroups& groups) {
  KUTRACE_ASSIGN(const auto change, recorder_.switch_groups(groups));
  if (change) stream_->groups_change(*change);
  return {};
}

// What it costs stays below --max-share. What cannot be switched stays as it is.
void Flight::govern() {
  const Ns moment = now();
  if (!governor_ || moment < next_governed_) return;
  next_governed_ = moment + kGovernPeriod;
  const EventGroups before = recorder_.groups();
  const EventGroups wanted =
      governor_->look({.at = moment, .own_cpu = own_cpu_time(), .events = recorder_.recorded()});
  const double percent = 100 * governor_->share_now();
  if (governor_->is_helpless() && !std::exchange(was_helpless_, true))
    log_warn("recording costs {:.2f} % of the machine, and nothing is left to shed", percent);
  if (wanted == before) return;
  if (const Status done = record_groups(wanted); !done) {
    log_error("{}", describe(done.error()));
    governor_.reset();
    return;
  }
  was_helpless_ = false;
  for (const std::string& name : before.without(wanted).names())
    log_warn("recording cost {:.2f} % of the machine: {} is not recorded from now on", percent,
             name);
  for (const std::string& name : wanted.without(before).names())
    log_info("{} is recorded again", name);
}

// Of what spans do not tell.
void Flight::look_around() {
  const Ns moment = now();
  live::Firing firing{.begin = moment};
  if (is_asked_for.exchange(false)) {
    firing.what = "signal SIGUSR1";
    wished("signal", firing);
  }
  hear_callers();
  machine_.read_log();
  for (const Trigger& trigger : wish_.triggers) {
    if (trigger.kind != TriggerKind::kLog) continue;
    for (const std::string& line : machine_.log_lines(trigger.pattern)) {
      firing.what = "kernel log: " + line;
      fired(trigger.text, firing, {});
    }
  }
  machine_.forget_log();
  if (const std::uint64_t missed = machine_.take_missed_lines(); missed != 0) {
    missed_lines_ += missed;
    log_warn("{} of the kernel's log: no trigger saw what was overwritten before it was read",
             counted(missed, "line", "lines"));
  }
  if (moment < next_look_) return;
  next_look_ = moment + kLookPeriod;
  for (const Trigger& trigger : wish_.triggers) {
    std::optional<double> level;
    if (trigger.kind == TriggerKind::kPressure) level = machine_.pressure(trigger.resource);
    if (trigger.kind == TriggerKind::kLoad) level = machine_.load();
    if (!level || !machine_.has_risen(trigger.text, *level > trigger.level)) continue;
    firing.what =
        fmt::format("{} is {:.2f}", trigger.text.substr(0, trigger.text.find('>')), *level);
    fired(trigger.text, firing, {});
  }
}

record::SnapshotOrder Flight::order_of(const Pending& pending) const {
  record::SnapshotOrder order;
  const Told& first = pending.told.front();
  order.path = folder_.new_path(kind_of(first.when));
  order.before = wish_.before;
  order.of = recorder_.start_clocks().counter + recorder_.tick_rate().ticks(pending.begin);
  order.add_facts = [this, pending](NameEntries& names, Ticks zero) {
    const Ns start = stream_->to_ns(zero);
    for (const Told& told : pending.told) {
      JsonText json;
      const live::Firing& firing = told.firing;
      json.begin_object().key("when").value(told.when).key("what").value(firing.what);
      if (firing.pid != kNoPid)
        json.key("thread").value(firing.thread).key("tid").value(std::int64_t{firing.pid});
      json.key("begin_ns").value(std::int64_t{firing.begin - start});
      json.key("length_ns").value(std::int64_t{firing.length});
      const auto status = static_cast<int>(firing.status);
      if (WIFSIGNALED(status))
        json.key("signal").value(signal_text(WTERMSIG(status)));
      else if (status != 0)
        json.key("status").value(std::int64_t{WEXITSTATUS(status)});
      if (firing.goes_on) json.key("goes_on").value(std::int64_t{1});
      json.end_object();
      names.add(fact::kTrigger, json.text());
    }
    if (missed_lines_ != 0)
      names.add(fact::kUnseen, counted(missed_lines_, "line", "lines") + " of the kernel's log");
    if (const std::uint64_t count = pending.left_out + pending.more; count != 0)
      names.add(fact::kTriggersBefore, count);
  };
  return order;
}

void Flight::begin() {
  under_way_ = std::exchange(pending_, std::nullopt);
  callers_under_way_ = std::exchange(callers_, {});
  recorder_.begin_snapshot(order_of(*under_way_));
}

// What is removed no sooner than somebody has looked at it: by its name, which is a time of day,
// the one that was just made may be an old one.
std::vector<std::string> Flight::needed_files() const {
  std::vector<std::string> files = hook_.paths();
  if (!newest_file_.empty()) files.push_back(newest_file_);
  return files;
}

void Flight::prune() const {
  for (const std::string& path : folder_.prune(needed_files()))
    log_info("removed: {}", printable(path));
}

void Flight::made(const Result<record::Snapshot>& snapshot) {
  const Pending pending = *std::exchange(under_way_, std::nullopt);
  const std::vector<files::Descriptor> callers = std::exchange(callers_under_way_, {});
  if (!snapshot) {
    ++lost_snapshots_;
    log_error("{}", describe(snapshot.error()));
    record::SnapshotSocket::answer(callers, record::refusal(snapshot.error()));
    return;
  }
  log_info("snapshot: {}: {:.3f} s, {}", printable(snapshot->path), snapshot->seconds,
           counted(pending.told.size(), "trigger", "triggers"));
  newest_file_ = snapshot->path;
  hook_.add(snapshot->path, pending.question);
  prune();
  record::SnapshotSocket::answer(callers, snapshot->path);
}

void Flight::snapshots() {
  if (const auto done = recorder_.take_snapshot()) made(*done);
  if (pending_ && !recorder_.makes_snapshot() && now() >= pending_->due) begin();
  if (const Ns moment = now(); moment >= next_prune_) {
    next_prune_ = moment + kPrunePeriod;
    prune();
  }
  hook_.poll();
}

// What was written until the round before is known by now.
Status Flight::work() {
  KUTRACE_ASSIGN(const record::FlightRound round,
                 recorder_.round([this](const record::FinishedBlock& block) {
                   return stream_->is_done_with(block);
                 }));
  stream_->add(round);
  stream_->advance(std::exchange(known_until_, round.at));
  look_around();
  switch_groups();
  govern();
  snapshots();
  return {};
}

Status Flight::run() {
  KUTRACE_TRY(recorder_.start());
  follow();
  if (wish_.max_share != 0)
    governor_.emplace(wish_.max_share, static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_ONLN)),
                      recorder_.ns_per_event().value_or(kUsualCost_ns), recorder_.groups());
  log_info("recording; snapshots go to {}", printable(wish_.folder));
  const auto is_over = [&] {
    return record::StopSignal::received() != 0 || !recorder_.ended_by().empty() ||
           (wish_.duration != 0 && now() >= wish_.duration);
  };
  while (!is_over()) {
    KUTRACE_TRY(work());
    recorder_.pause(socket_.descriptors());
  }
  if (const std::string why = recorder_.ended_by(); !why.empty())
    log_warn("the recording ended: {}", why);
  if (wish_.at_end) wished("end", {.what = "the end of the recording", .begin = now()});
  ends_ = true;
  if (pending_) pending_->due = 0;
  while (pending_ || recorder_.makes_snapshot()) {
    KUTRACE_TRY(work());
    recorder_.pause({});
  }
  const record::FlightStatus status = recorder_.status();
  log_info("recorded {} in {:.3f} s, lost {}", counted(status.events, "event", "events"),
           status.seconds, status.lost);
  close();
  hook_.finish();
  prune();
  return {};
}

// Whatever the command on snapshots still does, nothing is recorded, and nobody waits for an
// answer.
void Flight::close() {
  stream_.reset();
  socket_ = record::SnapshotSocket();
  const record::FlightRecorder closed = std::move(recorder_);
}

}  // namespace

Result<int> run_flight(const FlightWish& wish) {
  const record::StopSignal signals;
  signal(SIGUSR1, ask_for_snapshot);  // before it could be asked for
  KUTRACE_ASSIGN(SnapshotFolder folder, SnapshotFolder::open(wish.folder, wish.limits));
  record::SnapshotSocket socket;
  if (Result<record::SnapshotSocket> listening = record::SnapshotSocket::listen())
    socket = std::move(*listening);
  else
    log_warn("nobody can ask for a snapshot: {}", describe(listening.error()));
  const bool with_log = std::ranges::any_of(
      wish.triggers, [](const Trigger& trigger) { return trigger.kind == TriggerKind::kLog; });
  KUTRACE_ASSIGN(record::MachineWatch machine, record::MachineWatch::open(with_log));
  for (const Trigger& trigger : wish.triggers)
    if (trigger.kind == TriggerKind::kPressure && !machine.pressure(trigger.resource))
      return fail(host_error("--when " + trigger.text + ": this kernel tells of no pressure")
                      .with_hint("boot it with psi=1"));
  KUTRACE_ASSIGN(record::FlightRecorder recorder, record::FlightRecorder::open(wish.flight));
  Flight flight(wish, std::move(folder), std::move(recorder), std::move(machine),
                std::move(socket));
  KUTRACE_TRY(flight.run());
  if (flight.lost_snapshots() == 0) return static_cast<int>(ExitCode::kDone);
  log_error("{} could not be written", counted(flight.lost_snapshots(), "snapshot", "snapshots"));
  return static_cast<int>(ExitCode::kOutput);
}

}  // namespace kutrace::cli
