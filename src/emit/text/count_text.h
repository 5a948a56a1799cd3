// SPDX-License-Identifier: BSD-3-Clause
// What was counted, as text. In: the question and its answer; out: lines of a table, of CSV, or one
// line of JSON. Names of columns hold their units.
#pragma once

#include <cstddef>
#include <string>

#include "count/answer.h"
#include "emit/text/text_sink.h"

namespace kutrace::emit {

// "count", "sum_duration_ns": what a column of CSV and a member of JSON is called.
std::string count_column(const count::Aggregate& aggregate);

// top: only so many rows; 0: all.
void count_table(const count::Question& question, const count::Answer& answer, std::size_t top,
                 const LineSink& line);

// What an answer is about: the events of one interval, or all that were counted.
enum class CountSpan : std::uint8_t { kInterval, kAll };

std::string count_csv_head(const count::Question& question);
void count_csv(const count::Question& question, const count::Answer& answer, CountSpan span,
               std::size_t top, const LineSink& line);

// `asked`: the question as it was typed.
std::string count_json(const count::Question& question, const std::string& asked,
                       const count::Answer& answer, CountSpan span, std::size_t top);

}  // namespace kutrace::emit
