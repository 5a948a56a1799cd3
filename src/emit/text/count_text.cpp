// SPDX-License-Identifier: BSD-3-Clause
// Columns as wide as what stands in them; distributions below their rows.
#include "emit/text/count_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include "base/append_format.h"
#include "base/distribution.h"
#include "base/json_text.h"
#include "emit/stream/csv_field.h"
#include "emit/text/table_numbers.h"

namespace kutrace::emit {

namespace {

using count::Aggregate;
using count::AggregateKind;
using count::Sums;

bool is_distribution(const Aggregate& aggregate) {
  return aggregate.kind == AggregateKind::kQuantize || aggregate.kind == AggregateKind::kLquantize;
}

bool has_fraction(const Aggregate& aggregate) {
  return aggregate.kind == AggregateKind::kAvg || aggregate.kind == AggregateKind::kStddev;
}

bool is_time(const Aggregate& aggregate) {
  return aggregate.kind != AggregateKind::kCount &&
         count::info(aggregate.of).unit == count::Unit::kNanoseconds;
}

double fraction(const Aggregate& aggregate, const Sums& sums) {
  return aggregate.kind == AggregateKind::kAvg ? sums.mean() : sums.deviation();
}

// False: nothing was added, or the sum does not fit.
bool has_value(const Aggregate& aggregate, const Sums& sums) {
  if (aggregate.kind == AggregateKind::kCount) return true;
  return sums.values != 0 && (aggregate.kind != AggregateKind::kSum || sums.has_sum());
}

std::int64_t whole(const Aggregate& aggregate, const Sums& sums) {
  switch (aggregate.kind) {
    case AggregateKind::kCount:
      return static_cast<std::int64_t>(sums.values);
    case AggregateKind::kMin:
      return sums.least;
    case AggregateKind::kMax:
      return sums.greatest;
    default:
      return sums.sum;
  }
}

// "avg(duration) us", "sum(bytes)", "calls"
std::string heading(const count::Question& question, const Aggregate& aggregate) {
  if (aggregate.kind == AggregateKind::kCount) return std::string(count::info(question.probe).many);
  return fmt::format("{}({}){}", count::word_of(aggregate.kind), count::info(aggregate.of).word,
                     is_time(aggregate) ? " us" : "");
}

std::string cell(const Aggregate& aggregate, const Sums& sums) {
  if (!has_value(aggregate, sums)) return "-";
  if (has_fraction(aggregate)) {
    const double value = fraction(aggregate, sums);
    return fmt::format("{:.3f}", is_time(aggregate) ? value / 1e3 : value);
  }
  const std::int64_t value = whole(aggregate, sums);
  return is_time(aggregate) ? fmt::format("{:.3f}", us(value)) : std::to_string(value);
}

std::string picture(const Aggregate& aggregate, const Sums& sums) {
  return aggregate.kind == AggregateKind::kQuantize ? quantize_text(sums.counts)
                                                    : lquantize_text(sums.counts, aggregate.bounds);
}

std::size_t shown_rows(const count::Answer& answer, std::size_t top) {
  return top == 0 ? answer.rows.size() : std::min(top, answer.rows.size());
}

// Keys to the left, numbers to the right.
class Columns {
 public:
  Columns(std::size_t keys, std::vector<std::vector<std::string>> rows)
      : keys_(keys), rows_(std::move(rows)) {
    for (const auto& row : rows_) {
      widths_.resize(std::max(widths_.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], row[i].size());
    }
  }

  std::string line(std::size_t number) const {
    std::string text;
    const std::vector<std::string>& row = rows_[number];
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap = i == 0 ? "" : "  ";
      text += i < keys_ ? fmt::format("{}{:<{}}", gap, row[i], widths_[i])
                        : fmt::format("{}{:>{}}", gap, row[i], widths_[i]);
    }
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }

 private:
  std::size_t keys_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> widths_;
};

std::vector<std::string> head_cells(const count::Question& question) {
  std::vector<std::string> cells;
  for (const count::Field key : question.keys) cells.emplace_back(count::info(key).word);
  for (const Aggregate& aggregate : question.aggregates)
    if (!is_distribution(aggregate)) cells.push_back(heading(question, aggregate));
  return cells;
}

std::vector<std::string> row_cells(const count::Question& question, const count::Row& row) {
  std::vector<std::string> cells;
  for (const count::Key& key : row.keys)
    cells.push_back(key.frames.empty() ? key.text : key.frames.front());
  for (std::size_t i = 0; i < row.sums.size(); ++i)
    if (!is_distribution(question.aggregates[i]))
      cells.push_back(cell(question.aggregates[i], row.sums[i]));
  return cells;
}

// Who called the function that stands in the row.
void frame_lines(const count::Row& row, const LineSink& line) {
  for (const count::Key& key : row.keys)
    for (std::size_t i = 1; i < key.frames.size(); ++i) line("  < " + key.frames[i]);
}

void picture_lines(const count::Question& question, const count::Row& row, const LineSink& line) {
  for (std::size_t i = 0; i < row.sums.size(); ++i) {
    const Aggregate& aggregate = question.aggregates[i];
    if (!is_distribution(aggregate) || row.sums[i].values == 0) continue;
    line(fmt::format("{}({}){}:", count::word_of(aggregate.kind), count::info(aggregate.of).word,
                     is_time(aggregate) ? ", ns" : ""));
    line(picture(aggregate, row.sums[i]));
    line("");
  }
}

std::string key_text(const count::Key& key) {
  if (key.frames.empty()) return key.text;
  std::string text;
  for (const std::string& frame : key.frames | std::views::reverse)
    text += (text.empty() ? "" : ";") + frame;
  return text;
}

std::string_view word_of(CountSpan span) { return span == CountSpan::kAll ? "all" : "interval"; }

std::string csv_cell(const Aggregate& aggregate, const Sums& sums) {
  if (is_distribution(aggregate)) {
    std::string text;
    for (const auto& [bound, count] : sums.counts)
      append_format(text, "{}{}:{}", text.empty() ? "" : " ", bound, count);
    return text;
  }
  if (!has_value(aggregate, sums)) return {};
  return has_fraction(aggregate) ? fmt::format("{:.3f}", fraction(aggregate, sums))
                                 : std::to_string(whole(aggregate, sums));
}

void aggregate_json(const Aggregate& aggregate, const Sums& sums, JsonText& json) {
  if (is_distribution(aggregate)) {
    json.key(count_column(aggregate)).begin_array();
    for (const auto& [bound, count] : sums.counts)
      json.begin_object().key("from").value(bound).key("count").value(count).end_object();
    json.end_array();
    return;
  }
  if (!has_value(aggregate, sums)) return;
  json.key(count_column(aggregate));
  if (has_fraction(aggregate))
    json.value(fraction(aggregate, sums));
  else
    json.value(whole(aggregate, sums));
}

void key_json(const count::Key& key, JsonText& json) {
  if (key.number)
    json.value(*key.number);
  else
    json.value(std::string_view(key_text(key)));
}

void row_json(const count::Question& question, const count::Row& row, JsonText& json) {
  json.begin_object();
  for (std::size_t i = 0; i < row.keys.size(); ++i) {
    json.key(count::info(question.keys[i]).word);
    key_json(row.keys[i], json);
  }
  for (std::size_t i = 0; i < row.sums.size(); ++i)
    aggregate_json(question.aggregates[i], row.sums[i], json);
  json.end_object();
}

}  // namespace

std::string count_column(const Aggregate& aggregate) {
  if (aggregate.kind == AggregateKind::kCount) return "count";
  return fmt::format("{}_{}{}", count::word_of(aggregate.kind), count::info(aggregate.of).word,
                     is_time(aggregate) ? "_ns" : "");
}

void count_table(const count::Question& question, const count::Answer& answer, std::size_t top,
                 const LineSink& line) {
  line(answer.begin == 0
           ? fmt::format("in {:.3f} s:", seconds(answer.end))
           : fmt::format("from {:.3f} s to {:.3f} s:", seconds(answer.begin), seconds(answer.end)));
  if (answer.rows.empty()) {
    line(fmt::format("no {}", count::info(question.probe).many));
    return;
  }
  std::vector<std::vector<std::string>> cells = {head_cells(question)};
  const std::size_t shown = shown_rows(answer, top);
  for (std::size_t i = 0; i < shown; ++i) cells.push_back(row_cells(question, answer.rows[i]));
  const Columns columns(question.keys.size(), std::move(cells));
  const bool has_pictures = std::ranges::any_of(question.aggregates, is_distribution);
  if (!columns.line(0).empty()) line(columns.line(0));
  for (std::size_t i = 0; i < shown; ++i) {
    if (!columns.line(i + 1).empty()) line(columns.line(i + 1));
    frame_lines(answer.rows[i], line);
    if (has_pictures) picture_lines(question, answer.rows[i], line);
  }
  if (shown < answer.rows.size())
    line(fmt::format("{} more of {} rows", answer.rows.size() - shown, answer.rows.size()));
}

std::string count_csv_head(const count::Question& question) {
  std::string head = "span,begin_ns,end_ns";
  for (const count::Field key : question.keys) head += fmt::format(",{}", count::info(key).word);
  for (const Aggregate& aggregate : question.aggregates) head += "," + count_column(aggregate);
  return head;
}

void count_csv(const count::Question& question, const count::Answer& answer, CountSpan span,
               std::size_t top, const LineSink& line) {
  for (std::size_t i = 0; i < shown_rows(answer, top); ++i) {
    const count::Row& row = answer.rows[i];
    std::string text = fmt::format("{},{},{}", word_of(span), answer.begin, answer.end);
    for (const count::Key& key : row.keys) text += "," + csv_field(key_text(key));
    for (std::size_t j = 0; j < row.sums.size(); ++j)
      text += "," + csv_cell(question.aggregates[j], row.sums[j]);
    line(text);
  }
}

std::string count_json(const count::Question& question, const std::string& asked,
                       const count::Answer& answer, CountSpan span, std::size_t top) {
  JsonText json;
  json.begin_answer("count/1").key("question").value(std::string_view(asked));
  json.key("span").value(word_of(span));
  json.key("begin_ns").value(answer.begin).key("end_ns").value(answer.end);
  json.key("rows").begin_array();
  for (std::size_t i = 0; i < shown_rows(answer, top); ++i)
    row_json(question, answer.rows[i], json);
  json.end_array().key("rows_in_all").value(std::uint64_t{answer.rows.size()});
  const count::Missed& missed = answer.missed;
  json.key("missed").begin_object();
  json.key("no_room").value(missed.no_room);
  json.key("no_begin").value(missed.no_begin);
  json.key("too_many").value(missed.too_many);
  json.key("children").value(missed.children);
  json.key("stacks").value(missed.stacks);
  json.key("skipped").value(missed.skipped);
  json.end_object().end_object();
  return json.text();
}

}  // namespace kutrace::emit
