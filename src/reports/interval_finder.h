// SPDX-License-Identifier: BSD-3-Clause
// The intervals that a question is about. In: a stream of spans and calls; out: each interval, once
// it is over. Memory grows with what is under way at one time.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/group_times.h"
#include "model/by_name.h"
#include "model/call.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "reports/interval.h"

namespace kutrace::reports {

enum class Asked : std::uint8_t {
  kCall,      // `name`: system calls, shell patterns with commas between them; those whose begin
              // and return were seen
  kMark,      // from mark `name` to the mark that ends it, of the same thread
  kRpc,       // from the request of a method `name` to its response
  kFunction,  // calls of functions `name`, a shell pattern; with or without what their names end
              // with: "(int)"
  kRequest,   // from the return of call `name` to that of call `until`, of a thread and, where both
              // say which, of a file; `until` "next": to the next call `name`
  kMoment,    // the system call of thread `pid` at `time`, else its wait
};

struct Question {
  Asked asked = Asked::kCall;
  std::string name{};
  std::string until{};
  Pid pid = kNoPid;
  Ns time = 0;
};

// "recvfrom..sendto"
constexpr std::string_view kBetween = "..";
Result<Question> request_of(const std::string& text);

// Of what several calls or marks bound, one may be missing where system calls, with which marks
// come, were not recorded all the time.
bool is_seen_whole(const Question& question, const Interval& interval, const GroupTimes& groups);

class IntervalFinder : public SpanSink {
 public:
  using Found = std::function<void(const Interval&)>;

  // What a trace has, whether or not it makes an interval.
  struct Seen {
    std::uint64_t calls = 0;     // system calls of any name
    std::set<Pid> begun_by;      // threads that have such marks
    std::set<Pid> lone_ends_by;  // threads that had marks that end it, when they had not begun it
  };

  // `cut`: system calls that fit and are left out, as they begin or end outside the recording.
  IntervalFinder(const Question& question, const NameTable& names, Found found, Found cut = {});

  void begin(const TraceInfo& known) override { groups_ = GroupTimes(known.facts); }
  void push(const Span& span) override;
  void call(const Call& call) override;
  void end(TraceInfo& info) override;

  const Seen& seen() const { return seen_; }

 private:
  // A thread, and a file of its process; or any file.
  using Where = std::pair<WhichThread, std::int64_t>;
  struct OpenMark {
    NameId name = kNoName;
    Ns begin = 0;
  };
  struct OpenRpc {
    Pid pid = kNoPid;
    Ns begin = 0;
    NameId name = kNoName;  // of its request, which was asked for
  };

  // From when on all that a thread did was seen: what is not told of its time may lie in a loss, be
  // that on another CPU.
  class SeenTimes {
   public:
    void push(const Span& span);
    Ns begin(ThreadId thread) const;

   private:
    struct Track {
      Ns until = kNever;
      Ns gap_begin = kNever;  // the last one
      Ns gap_end = kNever;
      Ns doubt_end = kNever;  // of earlier ones that lie in a loss
    };
    static constexpr Ns kNever = std::numeric_limits<Ns>::min();

    bool in_loss(const Track& track) const { return track.gap_begin < lost_until_; }

    std::vector<Track> threads_;  // by id
    Ns lost_until_ = kNever;      // end of the last loss
  };

  void mark(const Span& span);
  void rpc(const Span& span);
  void request(const Call& call);
  void forget_file(const Call& call, std::string_view name);
  void at_moment(const Interval& interval, bool is_call);
  void found(const Interval& interval);
  ThreadId thread_of(Pid pid) const;

  Question question_;
  GroupTimes groups_;
  const NameTable& names_;
  Found found_;
  Found cut_;
  ByName<bool> name_;
  ByName<bool> until_;
  std::string end_label_;
  std::unordered_map<Pid, ThreadId> threads_;                     // who has a number by now
  std::unordered_map<Pid, std::vector<OpenMark>> marks_;          // open, outermost first
  std::unordered_map<std::uint32_t, std::vector<OpenRpc>> rpcs_;  // open, by number
  std::map<Where, Ns> requests_;                                  // open
  SeenTimes seen_times_;                                          // of threads with requests
  std::optional<Interval> moment_;
  bool moment_is_call_ = false;
  Seen seen_;
};

}  // namespace kutrace::reports
