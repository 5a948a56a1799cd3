// SPDX-License-Identifier: BSD-3-Clause
// Formatting answers.
#include "emit/text/why_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/counted.h"
#include "base/json_text.h"
#include "emit/stream/csv_field.h"
#include "emit/text/fitted_table.h"
#include "emit/text/table_numbers.h"

namespace kutrace::emit {

using reports::Comparison;
using reports::Explained;
using reports::PathPiece;

namespace {

double mean(Ns time, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(time) / static_cast<double>(count);
}

std::string thread_of(const PathPiece& piece, const CauseText& text) {
  return piece.cause.thread == reports::kNoRow ? "" : text.thread(piece.cause.thread);
}

std::string cpu_of(const PathPiece& piece) {
  return piece.cpu == kNoCpu ? "-" : fmt::format("{}", piece.cpu);
}

std::size_t shown_of(std::size_t rows, const WhyHead& head) {
  return head.top == 0 ? rows : std::min(rows, head.top);
}

// Which causes a table shows: waits, and as many others as were asked for.
class Shown {
 public:
  explicit Shown(const WhyHead& head) : left_(shown_of(kAll, head)) {}
  bool has(const reports::Cause& cause) {
    if (reports::is_wait(cause.kind)) return true;
    if (left_ == 0) return false;
    --left_;
    return true;
  }

 private:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  std::size_t left_;
};

// In the order of time, and what the others take together.
struct Steps {
  std::vector<const PathPiece*> longest;
  std::size_t more = 0;
  Ns rest = 0;
};

Steps longest_of(const std::vector<PathPiece>& path, std::size_t count) {
  Steps steps;
  for (const PathPiece& piece : path) steps.longest.push_back(&piece);
  const auto is_longer = [](const PathPiece* a, const PathPiece* b) {
    return a->duration() > b->duration();
  };
  std::ranges::stable_sort(steps.longest, is_longer);
  for (std::size_t i = count; i < steps.longest.size(); ++i) {
    steps.rest += steps.longest[i]->duration();
  }
  steps.more = steps.longest.size() - count;
  steps.longest.resize(count);
  std::ranges::sort(steps.longest);  // they stand in one vector, the first first
  return steps;
}

void head_json(const WhyHead& head, JsonText& json) {
  json.key("question").value(head.what);
  json.key("found").value(head.found);
}

void cause_json(const reports::Cause& cause, const std::string& words, JsonText& json) {
  json.key("cause").value(reports::cause_name(cause.kind));
  json.key("text").value(words);
}

}  // namespace

void why_story(const Explained& explained, const WhyHead& head, const CauseText& text,
               const LineSink& line) {
  const reports::Interval& interval = explained.interval;
  line(fmt::format("The {} of {}{} took {:.6f} ms, from {:.9f} s to {:.9f} s.", head.what,
                   text.thread(explained.thread), text.on(interval.file), ms(interval.duration()),
                   seconds(interval.begin), seconds(interval.end)));
  line("");
  const FittedTable causes({{"ms", 13, 0}, {"%", 7, 1}}, 0, head.width);
  const auto put = [&](Ns time, const std::string& words) {
    causes.row({ms_cell(time), percent_cell(time, interval.duration())}, "", words, line);
  };
  causes.head("", "why", line);
  Shown shown(head);
  std::size_t more = 0;
  Ns rest = 0;
  for (const reports::CauseTime& cause : explained.causes) {
    if (shown.has(cause.cause)) {
      put(cause.time, text.words(cause.cause, explained.thread));
    } else {
      ++more;
      rest += cause.time;
    }
  }
  if (more != 0) put(rest, counted(more, "more cause", "more causes"));
  put(interval.duration(), "in all");
  causes.foot(line);
  line("");
  const FittedTable way({{"from_s", 15, 0}, {"took_us", 14, 0}, {"cpu", 4, 1}}, 20, head.width);
  way.head("thread", "what led to its end", line);
  const Steps steps = longest_of(explained.path, shown_of(explained.path.size(), head));
  for (const PathPiece* piece : steps.longest) {
    way.row({seconds_cell(piece->begin), us_cell(piece->duration()), cpu_of(*piece)},
            thread_of(*piece, text), text.words(piece->cause, explained.thread), line);
  }
  if (steps.more != 0) {
    way.row({"", us_cell(steps.rest), ""}, counted(steps.more, "shorter step", "shorter steps"), "",
            line);
  }
  way.foot(line);
}

std::vector<PathLine> path_lines(const Explained& explained, const CauseText& text) {
  std::vector<PathLine> lines;
  for (const PathPiece& piece : explained.path) {
    lines.push_back({piece.begin, piece.duration(), piece.cpu, thread_of(piece, text),
                     reports::cause_name(piece.cause.kind),
                     text.words(piece.cause, explained.thread)});
  }
  return lines;
}

void why_path_csv(const Explained& explained, const CauseText& text, const LineSink& line) {
  line("begin_ns,duration_ns,cpu,thread,cause,text");
  for (const PathLine& piece : path_lines(explained, text)) {
    line(fmt::format("{},{},{},{},{},{}", piece.begin, piece.duration,
                     piece.cpu == kNoCpu ? "" : std::to_string(piece.cpu), csv_field(piece.thread),
                     piece.cause, csv_field(piece.text)));
  }
}

std::string why_json(const Explained& explained, const WhyHead& head, const CauseText& text) {
  const reports::Interval& interval = explained.interval;
  JsonText json;
  json.begin_answer("why/1");
  head_json(head, json);
  json.key("thread").value(text.thread(explained.thread));
  json.key("pid").value(interval.pid);
  json.key("begin_ns").value(interval.begin);
  json.key("duration_ns").value(interval.duration());
  if (interval.has_result) json.key("result").value(interval.result);
  if (interval.file != kNoName) json.key("file").value(text.name_of(interval.file));
  json.key("causes").begin_array();
  for (const reports::CauseTime& cause : explained.causes) {
    json.begin_object();
    cause_json(cause.cause, text.words(cause.cause, explained.thread), json);
    json.key("ns").value(cause.time).end_object();
  }
  json.end_array().key("path").begin_array();
  for (const PathPiece& piece : explained.path) {
    json.begin_object().key("begin_ns").value(piece.begin);
    json.key("duration_ns").value(piece.duration());
    if (piece.cpu != kNoCpu) json.key("cpu").value(piece.cpu);
    json.key("thread").value(thread_of(piece, text));
    cause_json(piece.cause, text.words(piece.cause, explained.thread), json);
    json.end_object();
  }
  json.end_array().end_object();
  return json.text();
}

void why_comparison(const Comparison& comparison, const std::vector<reports::Interval>& slow,
                    const WhyHead& head, const CauseText& text, const LineSink& line) {
  line(fmt::format("{}: {} found; the {} slowest took {:.6f} ms to {:.6f} ms, {:.6f} ms on average",
                   head.what, grouped(head.found), grouped(comparison.slow),
                   ms(slow.back().duration()), ms(slow.front().duration()),
                   mean(comparison.slow_time, comparison.slow) / 1e6));
  const bool compares = comparison.others != 0;
  line(compares ? fmt::format("{} of the others are looked at: {:.6f} ms on average",
                              grouped(comparison.others),
                              mean(comparison.others_time, comparison.others) / 1e6)
                : "these are all, so there are no others to compare them with");
  line("");
  std::vector<FittedColumn> columns = {{"slow_ms", 13, 2}};
  if (compares) columns.insert(columns.end(), {{"others_ms", 14, 1}, {"more_ms", 14, 0}});
  const FittedTable fitted(columns, 0, head.width);
  fitted.head("", "why, on average of one", line);
  const auto put = [&](const reports::ComparedCause& cause, const std::string& words) {
    std::vector<std::string> cells = {ms_cell(mean(cause.slow, comparison.slow))};
    if (compares) {
      cells.push_back(ms_cell(mean(cause.others, comparison.others)));
      cells.push_back(fmt::format("{:+.6f}", comparison.more(cause) / 1e6));
    }
    fitted.row(cells, "", words, line);
  };
  Shown shown(head);
  std::size_t more = 0;
  reports::ComparedCause rest;
  for (const reports::ComparedCause& cause : comparison.causes) {
    if (shown.has(cause.cause)) {
      put(cause, text.words(cause.cause, reports::kNoRow));
    } else {
      ++more;
      rest.slow += cause.slow;
      rest.others += cause.others;
    }
  }
  if (more != 0) put(rest, counted(more, "more cause", "more causes"));
  fitted.foot(line);
  line("");
  line("the slowest:");
  line("        begin_s        took_ms  thread");
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(kShown, slow.size()); ++i) {
    line(fmt::format("{:15.9f} {:14.6f}  {}{}", seconds(slow[i].begin), ms(slow[i].duration()),
                     text.thread(comparison.threads[i]), text.on(slow[i].file)));
  }
  if (slow.size() > kShown) line(fmt::format("and {} more", grouped(slow.size() - kShown)));
}

void why_comparison_csv(const Comparison& comparison, const CauseText& text, const LineSink& line) {
  line("cause,text,slow,slow_ns,others,others_ns");
  for (const reports::ComparedCause& cause : comparison.causes) {
    line(fmt::format("{},{},{},{},{},{}", reports::cause_name(cause.cause.kind),
                     csv_field(text.words(cause.cause, reports::kNoRow)), comparison.slow,
                     cause.slow, comparison.others, cause.others));
  }
}

std::string why_comparison_json(const Comparison& comparison, const WhyHead& head,
                                const CauseText& text) {
  JsonText json;
  json.begin_answer("why-comparison/1");
  head_json(head, json);
  json.key("slow").value(comparison.slow);
  json.key("slow_ns").value(comparison.slow_time);
  json.key("others").value(comparison.others);
  json.key("others_ns").value(comparison.others_time);
  json.key("causes").begin_array();
  for (const reports::ComparedCause& cause : comparison.causes) {
    json.begin_object();
    cause_json(cause.cause, text.words(cause.cause, reports::kNoRow), json);
    json.key("slow_ns").value(cause.slow);
    json.key("others_ns").value(cause.others).end_object();
  }
  json.end_array().end_object();
  return json.text();
}

}  // namespace kutrace::emit
