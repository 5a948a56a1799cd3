// SPDX-License-Identifier: BSD-3-Clause
// Reading what happened, and walking back.
#include "cli/path_rows.h"

#include <algorithm>
#include <utility>

#include "cli/replay.h"
#include "emit/text/why_text.h"

namespace kutrace::cli {

// Keeps lives, too: they tell which thread had a number at a time.
class PathRows::Keep : public SpanStage {
 public:
  Keep(std::multimap<Pid, ThreadLife>& lives, SpanSink& next) : SpanStage(next), lives_(lives) {}
  void life(const ThreadLife& life) override {
    lives_.emplace(life.pid, life);
    SpanStage::life(life);
  }

 private:
  std::multimap<Pid, ThreadLife>& lives_;
};

Status PathRows::read(const reports::Interval& interval) {
  const TimeWindow wanted{interval.begin, interval.end};
  if (happenings_ != nullptr && kept_.begin <= wanted.begin && wanted.end <= kept_.end) return {};
  kept_ = happenings_ == nullptr ? wanted : TimeWindow{-kForever, kForever};
  happenings_ = std::make_unique<reports::Happenings>(std::vector<TimeWindow>{kept_}, names_);
  lives_.clear();
  Keep keep(lives_, *happenings_);
  KUTRACE_ASSIGN(info_, replay_shown(input_, names_, keep));
  return {};
}

Result<query::RowFunction::Rows> PathRows::rows(reports::Interval interval) {
  query::RowFunction::Rows rows;
  interval.begin = std::max(interval.begin, -kForever);
  interval.end = std::min(interval.end, kForever);
  if (interval.pid <= 0 || interval.begin >= interval.end) return rows;
  KUTRACE_TRY(read(interval));
  interval.begin = std::max(interval.begin, info_.begin);
  interval.end = std::min(interval.end, info_.end);
  const auto [first, last] = lives_.equal_range(interval.pid);
  for (auto life = first; life != last; ++life) {
    if (life->second.begin < interval.end) interval.thread = life->second.thread;
    if (life->second.end > interval.begin) break;
  }
  const bool known = first != last || info_.threads.contains(interval.pid);
  if (!known || interval.begin >= interval.end) return rows;
  reports::CriticalPath path(*happenings_);
  const emit::CauseText text(*happenings_, names_, info_.facts);
  const auto explained = reports::explain(interval, *happenings_, path);
  for (emit::PathLine& line : emit::path_lines(explained, text)) {
    std::vector<query::RowFunction::Value>& row = rows.emplace_back();
    row = {line.begin,          line.duration,          line.begin + line.duration,
           std::monostate(),    std::move(line.thread), std::move(line.cause),
           std::move(line.text)};
    if (line.cpu != kNoCpu) row[3] = std::int64_t{line.cpu};
  }
  return rows;
}

query::RowFunction PathRows::function() {
  return {
      .name = "critical_path",
      .meaning =
          "critical_path(tid, from_ns, to_ns): what led to the end of that time of a "
          "thread",
      .arguments = {"tid", "from_ns", "to_ns"},
      .columns = {{"start_ns", "INTEGER", "when it began"},
                  {"dur_ns", "INTEGER", "how long it lasted; all together are that time"},
                  {"end_ns", "INTEGER", "when it ended"},
                  {"cpu", "INTEGER", "number of the CPU"},
                  {"thread", "TEXT", "whose piece it is: name.number"},
                  {"cause", "TEXT", "as kutrace why --format csv says it"},
                  {"text", "TEXT", "the same in words"}},
      .rows = [this](const std::vector<std::int64_t>& given) -> Result<query::RowFunction::Rows> {
        if (!std::in_range<Pid>(given[0])) return query::RowFunction::Rows();
        return rows({.begin = given[1], .end = given[2], .pid = static_cast<Pid>(given[0])});
      },
      .failure = {}};
}

}  // namespace kutrace::cli
