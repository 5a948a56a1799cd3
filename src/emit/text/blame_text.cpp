// SPDX-License-Identifier: BSD-3-Clause
// Formatting blame.
#include "emit/text/blame_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/add_time.h"
#include "base/counted.h"
#include "base/json_text.h"
#include "emit/stream/csv_field.h"
#include "emit/text/fitted_table.h"
#include "emit/text/table_numbers.h"
#include "emit/text/wait_words.h"

namespace kutrace::emit {

using reports::Blame;
using reports::BlameRow;

namespace {

std::string words(const BlameRow& row, const CauseText& text) {
  return text.words(row.cause, reports::kNoRow);
}

}  // namespace

void blame_table(const Blame& blame, const CauseText& text, const BlameShown& shown,
                 const LineSink& line) {
  line(fmt::format("{}, {:.6f} ms", counted(blame.waits, "wait", "waits"), ms(blame.total)));
  line("");
  const bool tells_who = !shown.who.what.empty();
  const auto whose = [tells_who](std::string_view who, std::string_view why) {
    return tells_who ? fmt::format("{:<16} {}", who, why) : std::string(why);
  };
  const FittedTable fitted(
      {{"total_ms", 14, 0}, {"%", 7, 1}, {"waits", 10, 2}, {"longest_ms", 14, 3}}, 12, shown.width);
  fitted.head("wait", whose("who", "why"), line);
  const std::size_t rows =
      shown.top == 0 ? blame.rows.size() : std::min(shown.top, blame.rows.size());
  Ns rest = 0;
  for (std::size_t i = 0; i < blame.rows.size(); ++i) {
    const BlameRow& row = blame.rows[i];
    if (i >= rows) {
      add_time(rest, row.total);
      continue;
    }
    fitted.row({ms_cell(row.total), percent_cell(row.total, blame.total), count_cell(row.waits),
                ms_cell(row.longest)},
               short_wait(row.letter),
               whose(tells_who ? shown.who.name(row.waiter) : "", words(row, text)), line);
  }
  if (const std::size_t more = blame.rows.size() - rows; more != 0) {
    fitted.row({ms_cell(rest), percent_cell(rest, blame.total), "", ""}, "",
               whose("", counted(more, "more row", "more rows")), line);
  }
  fitted.foot(line);
}

void blame_csv(const Blame& blame, const CauseText& text, const BlameWho& who,
               const LineSink& line) {
  const bool tells_who = !who.what.empty();
  line(std::string("wait,cause,text,waits,total_ns,longest_ns") +
       (tells_who ? "," + std::string(who.what) : ""));
  for (const BlameRow& row : blame.rows) {
    line(fmt::format("{},{},{},{},{},{}", short_wait(row.letter),
                     reports::cause_name(row.cause.kind), csv_field(words(row, text)), row.waits,
                     row.total, row.longest) +
         (tells_who ? "," + csv_field(who.name(row.waiter)) : ""));
  }
}

std::string blame_json(const Blame& blame, const CauseText& text, const BlameWho& who) {
  JsonText json;
  json.begin_answer("blame/1").key("waits").value(blame.waits);
  json.key("total_ns").value(blame.total);
  json.key("causes").begin_array();
  for (const BlameRow& row : blame.rows) {
    json.begin_object().key("wait").value(short_wait(row.letter));
    json.key("cause").value(reports::cause_name(row.cause.kind));
    json.key("text").value(words(row, text));
    json.key("waits").value(row.waits);
    json.key("total_ns").value(row.total);
    json.key("longest_ns").value(row.longest);
    if (!who.what.empty()) json.key(who.what).value(who.name(row.waiter));
    json.end_object();
  }
  json.end_array().end_object();
  return json.text();
}

}  // namespace kutrace::emit
