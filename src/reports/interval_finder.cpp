// SPDX-License-Identifier: BSD-3-Clause
// Finding intervals.
#include "reports/interval_finder.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/function_pattern.h"
#include "base/shell_pattern.h"
#include "format/errno_name.h"
#include "format/event_table.h"
#include "model/mark_label.h"
#include "model/native_call.h"
#include "model/rpc_names.h"
#include "reports/syscalls.h"
#include "reports/wait_times.h"

namespace kutrace::reports {

namespace {

constexpr std::int64_t kAnyFile = -1;
constexpr std::string_view kNext = "next";
// Requests of one number that wait for a response, marks of a thread that wait for their end; who
// never answers has no more.
constexpr std::size_t kMostOpen = 1024;

template <typename Open>
void add_open(std::vector<Open>& open, std::type_identity_t<Open> one) {
  if (open.size() == kMostOpen) open.erase(open.begin());
  open.push_back(std::move(one));
}

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, native_call(name)) != names.end();
}

// Calls whose first argument is the file that they are about.
bool names_file(std::string_view call) {
  constexpr std::array<std::string_view, 27> kCalls = {
      "read",      "write",    "readv",   "writev",    "pread64",  "pwrite64",  "preadv",
      "pwritev",   "recvfrom", "sendto",  "recvmsg",   "sendmsg",  "recvmmsg",  "sendmmsg",
      "close",     "shutdown", "fsync",   "fdatasync", "sendfile", "ftruncate", "lseek",
      "fallocate", "splice",   "preadv2", "pwritev2",  "connect",  "getdents64"};
  return is_among(kCalls, call);
}

// Calls that return one.
bool returns_file(std::string_view call) {
  constexpr std::array<std::string_view, 6> kCalls = {"accept", "accept4", "open",
                                                      "openat", "socket",  "openat2"};
  return is_among(kCalls, call);
}

bool says_file(std::string_view call) { return names_file(call) || returns_file(call); }

bool failed(const Call& call) { return call.has_result && !errno_name(call.result.value).empty(); }

// A read of no bytes is the end of a file or connection.
bool is_of_nothing(const Call& call, std::string_view name) {
  const bool reads = name.starts_with("read") || name.starts_with("recv");
  return reads && call.has_result && call.result.value == 0;
}

ByName<bool>::Ask pattern(const Question& question, const std::string& pattern) {
  if (question.asked == Asked::kCall) {
    std::vector<std::string> patterns;
    for (const auto one : std::views::split(pattern, ','))
      patterns.emplace_back(one.begin(), one.end());
    return [patterns](const std::string& name) { return fits_any(patterns, name); };
  }
  const auto ask = question.asked == Asked::kFunction ? fits_function : fits;
  return [pattern, ask](const std::string& name) { return ask(pattern, name); };
}

Interval interval_of(const Call& call) {
  return {.begin = call.begin,
          .end = call.end,
          .pid = call.pid,
          .thread = call.thread,
          .cpu = call.cpu,
          .name = call.name,
          .has_result = call.has_result,
          .file = call.details != nullptr ? call.details->file : kNoName,
          .result = call.result.value};
}

Interval interval_of(const Span& span) {
  return {.begin = span.start,
          .end = span.start + span.duration,
          .pid = span.pid,
          .thread = span.thread,
          .cpu = span.cpu,
          .name = span.name,
          .wait = span.kind == SpanKind::kWait ? wait_letter(span.event) : '\0'};
}

}  // namespace

Result<Question> request_of(const std::string& text) {
  const std::size_t between = text.find(kBetween);
  if (between == std::string::npos || between == 0 || between + kBetween.size() == text.size()) {
    return fail(usage_error("'" + text + "' is not a request")
                    .with_hint("write for example recvfrom..sendto, or epoll_wait..next"));
  }
  return Question{.asked = Asked::kRequest,
                  .name = text.substr(0, between),
                  .until = text.substr(between + kBetween.size())};
}

bool is_seen_whole(const Question& question, const Interval& interval, const GroupTimes& groups) {
  const bool is_of_several = question.asked == Asked::kMark || question.asked == Asked::kRpc ||
                             question.asked == Asked::kRequest;
  return !is_of_several || groups.was_on(EventGroup::kSyscalls, interval.begin, interval.end);
}

IntervalFinder::IntervalFinder(const Question& question, const NameTable& names, Found found,
                               Found cut)
    : question_(question),
      names_(names),
      found_(std::move(found)),
      cut_(std::move(cut)),
      name_(names, pattern(question, question.name)),
      until_(names, pattern(question, question.until)),
      end_label_(end_of_label(question.name)) {}

void IntervalFinder::found(const Interval& interval) {
  if (interval.duration() > 0 && is_seen_whole(question_, interval, groups_)) found_(interval);
}

ThreadId IntervalFinder::thread_of(Pid pid) const {
  const auto known = threads_.find(pid);
  return known == threads_.end() ? ThreadId::kNone : known->second;
}

void IntervalFinder::SeenTimes::push(const Span& span) {
  const Ns end = span.start + span.duration;
  if (span.kind == SpanKind::kLoss) lost_until_ = std::max(lost_until_, end);
  const bool is_lived = is_execution(span.kind) || span.kind == SpanKind::kWait;
  if (!is_lived || span.thread == ThreadId::kNone) return;
  const auto id = static_cast<std::size_t>(span.thread);
  if (id >= threads_.size()) threads_.resize(id + 1);
  Track& track = threads_[id];
  if (track.until != kNever && span.start > track.until) {
    if (in_loss(track)) track.doubt_end = track.gap_end;
    track.gap_begin = track.until;
    track.gap_end = span.start;
  }
  track.until = std::max(track.until, end);
}

// Of a file without lives nothing is known to be seen while anything was lost.
Ns IntervalFinder::SeenTimes::begin(ThreadId thread) const {
  const auto id = static_cast<std::size_t>(thread);
  if (thread == ThreadId::kNone || id >= threads_.size()) return lost_until_;
  const Track& track = threads_[id];
  return in_loss(track) ? track.gap_end : track.doubt_end;
}

void IntervalFinder::push(const Span& span) {
  if (question_.asked == Asked::kRequest) seen_times_.push(span);
  const bool by_points = question_.asked == Asked::kMark || question_.asked == Asked::kRpc;
  if (by_points && is_execution(span.kind) && span.pid > 0) threads_[span.pid] = span.thread;
  if (question_.asked == Asked::kMark && span.kind == SpanKind::kMark) mark(span);
  if (question_.asked == Asked::kRpc && span.kind == SpanKind::kPoint) rpc(span);
  if (question_.asked == Asked::kFunction && span.kind == SpanKind::kFunction &&
      name_.of(span.name))
    found(interval_of(span));
  if (question_.asked == Asked::kMoment && span.kind == SpanKind::kWait)
    at_moment(interval_of(span), false);
}

void IntervalFinder::mark(const Span& span) {
  const std::string label = mark_label(span, names_);
  if (label == question_.name) {
    seen_.begun_by.insert(span.pid);
    add_open(marks_[span.pid], {span.name, span.start});
  } else if (label == end_label_) {
    const auto open = marks_.find(span.pid);
    if (open == marks_.end()) {
      seen_.lone_ends_by.insert(span.pid);
      return;
    }
    const OpenMark last = open->second.back();
    found({.begin = last.begin,
           .end = span.start,
           .pid = span.pid,
           .thread = thread_of(span.pid),
           .cpu = span.cpu,
           .name = last.name});
    open->second.pop_back();
    if (open->second.empty()) marks_.erase(open);
  }
}

// The response may come from another thread than the request went to.
void IntervalFinder::rpc(const Span& span) {
  const std::uint32_t id = rpc_id(span.arg);
  if (id == 0) return;
  if (span.event == ev::kRPC_REQUEST) {
    const std::string& name = names_.text(span.name);
    if (!fits(question_.name, method_of(name))) return;
    return add_open(rpcs_[id], {span.pid, span.start, span.name});
  }
  const auto open = rpcs_.find(id);
  if (span.event != ev::kRPC_RESPONSE || open == rpcs_.end()) return;
  std::vector<OpenRpc>& waiting = open->second;
  const auto own = std::ranges::find(waiting, span.pid, &OpenRpc::pid);
  const auto answered = own != waiting.end() ? own : std::prev(waiting.end());
  found({.begin = answered->begin,
         .end = span.start,
         .pid = span.pid,
         .thread = thread_of(span.pid),
         .cpu = span.cpu,
         .name = answered->name});
  waiting.erase(answered);
  if (waiting.empty()) rpcs_.erase(open);
}

// What was under way on a file that the call closes, or that had the number of a new one.
void IntervalFinder::forget_file(const Call& call, std::string_view name) {
  if (failed(call) || until_.of(call.name)) return;
  const WhichThread thread(call.pid, call.thread);
  if (name == "close") requests_.erase({thread, static_cast<std::int64_t>(call.arg)});
  if (returns_file(name) && call.has_result) requests_.erase({thread, call.result.value});
}

void IntervalFinder::request(const Call& call) {
  const WhichThread thread(call.pid, call.thread);
  const std::string_view name = names_.text(call.name);
  const bool to_next = question_.until == kNext;
  const bool is_by_file =
      !to_next && says_file(question_.name) && says_file(question_.until) && says_file(name);
  const auto file_of = [&](bool begins) {
    if (!is_by_file) return kAnyFile;
    return begins && returns_file(name) ? call.result.value : static_cast<std::int64_t>(call.arg);
  };
  if (is_by_file) forget_file(call, name);
  if (to_next ? name_.of(call.name) : until_.of(call.name)) {
    const auto open = requests_.find({thread, file_of(false)});
    if (open != requests_.end()) {
      Interval interval = interval_of(call);
      interval.begin = open->second;
      if (to_next) interval.end = call.begin;
      found(interval);
      requests_.erase(open);
      if (!to_next) return;
    }
  }
  if (!name_.of(call.name) || failed(call) || is_of_nothing(call, name)) return;
  const auto [open, is_new] = requests_.try_emplace({thread, file_of(true)}, call.end);
  // Of one that began before something was lost the end may be what was.
  if (!is_new && open->second < seen_times_.begin(call.thread)) open->second = call.end;
}

void IntervalFinder::call(const Call& call) {
  if (call.kind != SpanKind::kSyscall) return;
  ++seen_.calls;
  const bool is_cut = call.begin_inferred || call.end_inferred;
  if (question_.asked == Asked::kCall && name_.of(call.name)) {
    if (!is_cut) {
      found(interval_of(call));
    } else if (cut_ && !is_birth(call, names_)) {
      cut_(interval_of(call));
    }
  }
  if (question_.asked == Asked::kRequest && !call.end_inferred) request(call);
  if (question_.asked == Asked::kMoment) at_moment(interval_of(call), true);
}

// A call counts more than a wait in it.
void IntervalFinder::at_moment(const Interval& interval, bool is_call) {
  const bool covers = interval.pid == question_.pid && interval.begin <= question_.time &&
                      question_.time < interval.end;
  if (!covers || (moment_ && moment_is_call_ && !is_call)) return;
  moment_ = interval;
  moment_is_call_ = is_call;
}

void IntervalFinder::end(TraceInfo&) {
  if (moment_) found(*moment_);
}

}  // namespace kutrace::reports
