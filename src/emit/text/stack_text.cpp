// SPDX-License-Identifier: BSD-3-Clause
// One line per row.
#include "emit/text/stack_text.h"

#include <fmt/format.h>

#include "base/json_text.h"
#include "emit/stream/csv_field.h"
#include "format/wait_word.h"
#include "model/stack_text.h"

namespace kutrace::emit {

void folded_stacks(const std::vector<reports::StackRow>& rows, const LineSink& line) {
  for (const reports::StackRow& row : rows) {
    std::string text;
    add_frame(text, row.label);
    text += ';';
    text += row.stack.empty() ? kStackUnknown : row.stack;
    if (row.wait != 0) add_frame(text, fmt::format("wait:{}", short_wait(row.wait)));
    const auto value = row.wait != 0 ? static_cast<std::uint64_t>(row.time) : row.count;
    line(fmt::format("{} {}", text, value));
  }
}

void stacks_csv(const std::vector<reports::StackRow>& rows, const LineSink& line) {
  line("thread,tid,wait,count,time_ns,stack");
  for (const reports::StackRow& row : rows) {
    line(fmt::format("{},{},{},{},{},{}", csv_field(row.thread),
                     row.pid == kNoPid ? "" : fmt::format("{}", row.pid),
                     row.wait != 0 ? short_wait(row.wait) : "", row.count, row.time,
                     csv_field(row.stack)));
  }
}

std::string stacks_json(const std::vector<reports::StackRow>& rows) {
  JsonText json;
  json.begin_answer("stacks/1").key("rows").begin_array();
  for (const reports::StackRow& row : rows) {
    json.begin_object();
    json.key("thread").value(row.thread);
    if (row.pid != kNoPid) json.key("tid").value(std::int64_t{row.pid});
    if (row.wait != 0) json.key("wait").value(short_wait(row.wait));
    json.key("count").value(row.count);
    json.key("time_ns").value(static_cast<std::int64_t>(row.time));
    json.key("stack").value(row.stack);
    json.end_object();
  }
  json.end_array().end_object();
  return json.text();
}

}  // namespace kutrace::emit
