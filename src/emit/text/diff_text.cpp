// SPDX-License-Identifier: BSD-3-Clause
// Formatting comparisons.
#include "emit/text/diff_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "base/counted.h"
#include "base/json_text.h"
#include "base/text.h"
#include "emit/stream/csv_field.h"
#include "emit/text/fitted_table.h"
#include "emit/text/table_numbers.h"
#include "emit/text/wait_words.h"
#include "reports/significance.h"

namespace kutrace::emit {

namespace {

using reports::DiffBy;
using reports::DiffKey;
using reports::DiffMeasure;
using reports::DiffRow;
using reports::DiffSums;

// Of a side; with fewer, only changes that are far larger than what runs differ by are told.
constexpr std::size_t kEnoughRuns = 5;

constexpr DiffBy kAllBys[] = {DiffBy::kProgram, DiffBy::kThread, DiffBy::kCall, DiffBy::kWait,
                              DiffBy::kKind};

std::string name_in(const DiffKey& key) {
  return key.by == DiffBy::kWait ? std::string(short_wait(key.name.front())) : key.name;
}

std::string kind_in(const DiffKey& key) {
  return key.by == DiffBy::kCall ? span_kind_name(key.kind) : "";
}

// "+3.1", of noise "+0.2~".
std::string growth_text(const DiffMeasure& measure, bool noise) {
  const double growth = measure.growth();
  std::string text = fmt::format("{:+.1f}", growth);
  if (std::isinf(growth)) text = "new";
  if (measure.before != 0 && measure.after == 0) text = "gone";
  return text + (noise && !measure.changed ? "~" : " ");
}

// Of one run a side it is known that these two differ; not that equal ones would not.
std::string_view more_than_noise(const DiffTold& told) {
  return told.between_runs() ? "changed" : "differs";
}

std::string_view verdict_of(const DiffMeasure& measure, const DiffTold& told) {
  if (!measure.tested) return "untold";
  return measure.changed ? more_than_noise(told) : "noise";
}

double ms_of(double ns) { return ns / 1e6; }
double us_of(double ns) { return ns / 1e3; }

// Of several rows together.
struct Together {
  Ns shift = 0;
  Ns more = 0;
  Ns slower = 0;
  double time_before = 0;
  double time_after = 0;
  double count_before = 0;
  double count_after = 0;

  bool left_out = false;  // some of which a side does not tell

  void add(const DiffRow& row) {
    if (row.lacks()) {
      left_out = true;
      return;
    }
    shift += row.shift;
    more += row.more;
    slower += row.slower;
    time_before += row.time.before;
    time_after += row.time.after;
    count_before += row.count.before;
    count_after += row.count.after;
  }
};

char mark_of(const DiffRow& row, bool noise) {
  if (!noise || row.lacks()) return '?';
  return row.changed() ? ' ' : '~';
}

void row_line(const FittedTable& fitted, const DiffRow& row, const DiffTold& told,
              const LineSink& line) {
  const auto number = [](double value, int digits) {
    return fmt::format("{:.{}f}", value, digits);
  };
  const auto signed_ms = [](Ns time) { return fmt::format("{:+.3f}", ms(time)); };
  const auto growth = [&](const DiffMeasure& measure) {
    return row.lacks() ? "- " : growth_text(measure, told.noise);
  };
  std::vector<std::string> cells = {
      fmt::format("{} {:+12.3f}", mark_of(row, told.noise), ms(row.shift)),
      row.time.tested ? number(ms_of(row.time.off), 3) : "-",
      signed_ms(row.more),
      signed_ms(row.slower),
      number(ms_of(row.time.before), 3),
      number(ms_of(row.time.after), 3),
      growth(row.time),
      number(row.count.before, 1),
      number(row.count.after, 1),
      growth(row.count),
      number(us_of(row.mean.before), 3),
      number(us_of(row.mean.after), 3),
      growth(row.mean),
      number(us(row.before.durations.quantile(0.5)), 3),
      number(us(row.after.durations.quantile(0.5)), 3),
      number(us(row.before.durations.quantile(0.99)), 3),
      number(us(row.after.durations.quantile(0.99)), 3)};
  if (row.lacks()) {
    cells[0] = fmt::format("{} {:>12}", mark_of(row, told.noise), "-");
    cells[2] = cells[3] = "-";
  }
  // What is not recorded is not none.
  constexpr std::size_t kOfBefore[] = {4, 7, 10, 13, 15};
  for (const std::size_t cell : kOfBefore) {
    if (!row.before_lacks.empty() && row.before.count == 0) cells[cell] = "-";
    if (!row.after_lacks.empty() && row.after.count == 0) cells[cell + 1] = "-";
  }
  fitted.row(cells, diff_row_name(row.key), "", line);
}

void together_line(const FittedTable& fitted, const Together& sum, const std::string& name,
                   const LineSink& line) {
  const auto growth = [](double before, double after) {
    return before == 0 ? std::string("- ")
                       : fmt::format("{:+.1f} ", 100 * (after - before) / before);
  };
  fitted.row({fmt::format("  {:+12.3f}", ms(sum.shift)), "", fmt::format("{:+.3f}", ms(sum.more)),
              fmt::format("{:+.3f}", ms(sum.slower)), fmt::format("{:.3f}", ms_of(sum.time_before)),
              fmt::format("{:.3f}", ms_of(sum.time_after)), growth(sum.time_before, sum.time_after),
              fmt::format("{:.1f}", sum.count_before), fmt::format("{:.1f}", sum.count_after),
              growth(sum.count_before, sum.count_after), "", "", "", "", "", "", ""},
             name, "", line);
}

void table_of(DiffBy by, const std::vector<const DiffRow*>& rows, const DiffTold& told,
              const LineSink& line) {
  const std::string unit = told.totals ? "" : "/s";
  line("");
  const FittedTable fitted({{"shift_ms" + unit, 14, 0},
                            {"+-_ms" + unit, 11, 1},
                            {"more_ms" + unit, 12, 7},
                            {"slower_ms" + unit, 12, 7},
                            {"A_ms" + unit, 12, 6},
                            {"B_ms" + unit, 12, 6},
                            {"time_% ", 9, 0},
                            {"A_n" + unit, 11, 9},
                            {"B_n" + unit, 11, 9},
                            {"n_% ", 9, 2},
                            {"A_mean_us", 12, 8},
                            {"B_mean_us", 12, 8},
                            {"mean_% ", 9, 2},
                            {"A_p50_us", 11, 11},
                            {"B_p50_us", 11, 11},
                            {"A_p99_us", 11, 10},
                            {"B_p99_us", 11, 10}},
                           16, told.width);
  fitted.head(diff_by_name(by), "", line);
  const bool all = told.top == 0 || by == DiffBy::kWait || by == DiffBy::kKind;
  const std::size_t shown = all ? rows.size() : std::min(told.top, rows.size());
  Together rest;
  Together sum;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i < shown) row_line(fitted, *rows[i], told, line);
    if (i >= shown) rest.add(*rows[i]);
    sum.add(*rows[i]);
  }
  if (shown < rows.size()) {
    together_line(fitted, rest, fmt::format("{} more", rows.size() - shown), line);
  }
  // Kinds overlap: waits, what executes meanwhile, locks; and so do calls and what they call.
  const bool is_sum = by != DiffBy::kKind && by != DiffBy::kCall;
  if (is_sum) together_line(fitted, sum, sum.left_out ? "total without ?" : "total", line);
  fitted.foot(line);
}

void measure_json(const char* name, const DiffMeasure& measure, const DiffTold& told,
                  JsonText& json) {
  json.key(name).begin_object();
  json.key("before").value(measure.before);
  json.key("after").value(measure.after);
  json.key("change").value(measure.change());
  if (measure.tested) {
    json.key("low").value(measure.change() - measure.off);
    json.key("high").value(measure.change() + measure.off);
    json.key("p").value(measure.p);
    json.key("p_corrected").value(measure.corrected);
  }
  json.key("verdict").value(verdict_of(measure, told));
  json.end_object();
}

void sums_json(const char* name, const DiffSums& sums, JsonText& json) {
  json.key(name).begin_object();
  json.key("total_ns").value(sums.total);
  json.key("count").value(sums.count);
  json.key("p50_ns").value(sums.durations.quantile(0.5));
  json.key("p99_ns").value(sums.durations.quantile(0.99));
  json.end_object();
}

void lacks_json(const char* name, const std::vector<std::string>& lacks, JsonText& json) {
  if (lacks.empty()) return;
  json.key(name).begin_array();
  for (const std::string& word : lacks) json.value(word);
  json.end_array();
}

void side_json(const char* name, const DiffSideTold& side, JsonText& json) {
  json.key(name).begin_object();
  json.key("name").value(side.name);
  json.key("recorded_ns").value(side.recorded);
  json.key("block_ns").value(side.block);
  json.key("cpus").value(std::uint64_t{side.cpus});
  json.key("runs").value(std::uint64_t{side.runs});
  json.end_object();
}

const char* per(const DiffTold& told) { return told.totals ? "recording" : "second"; }

std::string side_text(const char* which, const DiffSideTold& side) {
  const std::string runs = side.runs == 1 ? "" : fmt::format("{} runs: ", side.runs);
  return fmt::format("{}: {}{}, {:.6f} s on {}", which, runs, side.name, seconds(side.recorded),
                     counted(side.cpus, "CPU", "CPUs"));
}

std::uint64_t tests_of(const std::vector<DiffRow>& rows) {
  std::uint64_t tests = 0;
  for (const DiffRow& row : rows) {
    for (const DiffMeasure* measure : {&row.time, &row.count, &row.mean}) {
      tests += measure->tested ? 1u : 0u;
    }
  }
  return tests;
}

std::string noise_text(std::uint64_t tests, const DiffTold& told) {
  if (!told.noise) {
    return "no verdict is possible: a side is too short, or was not ended in order";
  }
  if (told.between_runs()) {
    return fmt::format("~ is within what runs differ by: {} against {} runs, {}, Holm at {:.0f} %",
                       told.before.runs, told.after.runs, counted(tests, "test", "tests"),
                       100 * reports::kDiffLevel);
  }
  return fmt::format(
      "~ is within noise of these two: {} blocks of {:.3f} and {:.3f} ms, {}, Holm at {:.0f} %",
      reports::TimeBlocks::kCount, ms(told.before.block), ms(told.after.block),
      counted(tests, "test", "tests"), 100 * reports::kDiffLevel);
}

// How many standard deviations of runs a change of one number takes, if both sides vary alike.
double least_change(std::size_t before, std::size_t after, std::uint64_t tests) {
  const auto runs_before = static_cast<double>(before);
  const auto runs_after = static_cast<double>(after);
  return reports::critical(reports::kDiffLevel / static_cast<double>(tests),
                           runs_before + runs_after - 2) *
         std::sqrt(1 / runs_before + 1 / runs_after);
}

std::string few_runs_text(std::uint64_t tests, const DiffTold& told) {
  return fmt::format(
      "Few runs: a change counts from {:.0f} times what equal runs differ by (their standard "
      "deviation) on; with {} a side, from {:.0f} times. Fewer rows (--by, --only, --name) help, "
      "too.",
      least_change(told.before.runs, told.after.runs, tests), kEnoughRuns,
      least_change(kEnoughRuns, kEnoughRuns, tests));
}

void measure_csv_head(const std::string& name, const std::string& unit, std::string& head) {
  for (const char* column : {"before", "after", "change", "low", "high"}) {
    head += fmt::format(",{}_{}{}", name, column, unit);
  }
  head += fmt::format(",{0}_p,{0}_p_corrected,{0}_verdict", name);
}

std::string measure_csv(const DiffMeasure& measure, const DiffTold& told) {
  std::string text = fmt::format(",{},{},{}", measure.before, measure.after, measure.change());
  if (measure.tested) {
    text += fmt::format(",{},{},{},{}", measure.change() - measure.off,
                        measure.change() + measure.off, measure.p, measure.corrected);
  } else {
    text += ",,,,";
  }
  return text + fmt::format(",{}", verdict_of(measure, told));
}

std::string_view row_verdict(const DiffRow& row, const DiffTold& told) {
  if (!told.noise || !row.tested()) return "untold";
  return row.changed() ? more_than_noise(told) : "noise";
}

}  // namespace

std::string diff_lacks(const std::vector<DiffRow>& rows, const DiffTold& told) {
  std::string text;
  const auto add = [&](const char* which, const DiffSideTold& side,
                       std::vector<std::string> DiffRow::* lacks) {
    std::set<std::string> words;
    for (const DiffRow& row : rows) words.insert((row.*lacks).begin(), (row.*lacks).end());
    if (words.empty()) return;
    text += fmt::format("{}{} ({}) does not tell of {}", text.empty() ? "" : "; ", which,
                        printable(side.name), fmt::join(words, ", "));
  };
  add("A", told.before, &DiffRow::before_lacks);
  add("B", told.after, &DiffRow::after_lacks);
  return text;
}

std::string diff_row_name(const DiffKey& key) {
  const std::string name = name_in(key);
  const bool plain = key.by != DiffBy::kCall || key.kind == SpanKind::kSyscall;
  return plain ? name : fmt::format("{} ({})", name, span_kind_name(key.kind));
}

void diff_table(const std::vector<DiffRow>& rows, const DiffTold& told, const LineSink& line) {
  line(side_text("A", told.before));
  line(side_text("B", told.after));
  const std::uint64_t tests = tests_of(rows);
  line(fmt::format("per {}; {}", per(told), noise_text(tests, told)));
  if (told.between_runs() && std::min(told.before.runs, told.after.runs) < kEnoughRuns && tests > 0)
    line(few_runs_text(tests, told));
  if (told.noise && !told.between_runs()) {
    line(
        "One run a side: rows without ~ differ between these two recordings; whether equal runs "
        "would, too, is not known. Several a side tell: A1,A2,A3 B1,B2,B3.");
  }
  if (const std::string lacks = diff_lacks(rows, told); !lacks.empty()) {
    line(lacks + ": rows with ? have no verdict");
  }
  for (const DiffBy by : kAllBys) {
    std::vector<const DiffRow*> of;
    for (const DiffRow& row : rows) {
      if (row.key.by == by) of.push_back(&row);
    }
    if (!of.empty()) table_of(by, of, told, line);
  }
}

void diff_csv(const std::vector<DiffRow>& rows, const DiffTold& told, const LineSink& line) {
  std::string head =
      "by,name,kind,per,verdict,shift_ns,more_ns,slower_ns,before_total_ns,after_total_ns,"
      "before_count,after_count,before_p50_ns,after_p50_ns,before_p99_ns,after_p99_ns";
  measure_csv_head("time", "_ns", head);
  measure_csv_head("count", "", head);
  measure_csv_head("mean", "_ns", head);
  head += ",before_lacks,after_lacks";
  line(head);
  for (const DiffRow& row : rows) {
    line(fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", diff_by_name(row.key.by),
                     csv_field(name_in(row.key)), kind_in(row.key), per(told),
                     row_verdict(row, told), row.shift, row.more, row.slower, row.before.total,
                     row.after.total, row.before.count, row.after.count,
                     row.before.durations.quantile(0.5), row.after.durations.quantile(0.5),
                     row.before.durations.quantile(0.99), row.after.durations.quantile(0.99)) +
         measure_csv(row.time, told) + measure_csv(row.count, told) + measure_csv(row.mean, told) +
         fmt::format(",{},{}", fmt::join(row.before_lacks, " "), fmt::join(row.after_lacks, " ")));
  }
}

std::string diff_json(const std::vector<DiffRow>& rows, const DiffTold& told) {
  JsonText json;
  json.begin_answer("diff/1");
  json.key("per").value(std::string_view(per(told)));
  json.key("level").value(reports::kDiffLevel);
  json.key("blocks").value(std::uint64_t{reports::TimeBlocks::kCount});
  json.key("between_runs").value(told.between_runs() ? 1 : 0);
  side_json("before", told.before, json);
  side_json("after", told.after, json);
  json.key("rows").begin_array();
  for (const DiffRow& row : rows) {
    json.begin_object();
    json.key("by").value(std::string_view(diff_by_name(row.key.by)));
    json.key("name").value(name_in(row.key));
    if (row.key.by == DiffBy::kCall) json.key("kind").value(kind_in(row.key));
    json.key("verdict").value(row_verdict(row, told));
    json.key("shift_ns").value(row.shift);
    json.key("more_ns").value(row.more);
    json.key("slower_ns").value(row.slower);
    sums_json("before", row.before, json);
    sums_json("after", row.after, json);
    measure_json("time_ns", row.time, told, json);
    measure_json("count", row.count, told, json);
    measure_json("mean_ns", row.mean, told, json);
    lacks_json("before_lacks", row.before_lacks, json);
    lacks_json("after_lacks", row.after_lacks, json);
    json.end_object();
  }
  json.end_array().end_object();
  return json.text();
}

}  // namespace kutrace::emit
