// SPDX-License-Identifier: BSD-3-Clause
// A line per lock.
#include "emit/text/locks_text.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/json_text.h"
#include "emit/stream/csv_field.h"
#include "emit/text/table_numbers.h"
#include "model/thread_label.h"

namespace kutrace::emit {

using reports::LockRow;

namespace {

std::string thread_text(const std::string& name, Pid pid, const char* none, const Facts& facts) {
  return pid == kNoPid ? none : thread_label(name, pid, facts);
}

std::string address_text(std::uint64_t address, Addresses told) {
  return told == Addresses::kWhole ? fmt::format("{:#x}", address)
                                   : fmt::format("...{:08x}", address & 0xffff'ffff);
}

}  // namespace

void locks_table(const std::vector<LockRow>& rows, std::size_t top, Addresses told,
                 const Facts& facts, const LineSink& line) {
  line(fmt::format("{:<13} {:>8} {:>14} {:>13} {:>7}  {:<18} {:<22} {:<20} {}", "kind", "waits",
                   "total_ms", "longest_ms", "waiters", "address", "process", "held by",
                   "ended by"));
  std::size_t shown = 0;
  for (const LockRow& row : rows) {
    if (top != 0 && ++shown > top) break;
    line(fmt::format("{:<13} {:>8} {:>14.6f} {:>13.6f} {:>7}  {:<18} {:<22} {:<20} {}",
                     reports::lock_kind_name(row.kind), row.waits, ms(row.total), ms(row.longest),
                     row.waiters, address_text(row.address, told),
                     thread_text(row.process_name, row.process, "kernel", facts),
                     thread_text(row.owner_name, row.owner, "not known", facts),
                     thread_text(row.ended_by_name, row.ended_by, "not known", facts)));
  }
  if (top != 0 && rows.size() > top)
    line("and " + counted(rows.size() - top, "lock", "locks") + " more");
}

void locks_csv(const std::vector<LockRow>& rows, Addresses told, const LineSink& line) {
  line(
      "kind,contention,waits,failed,total_ns,longest_ns,waiters,address,process,process_name,"
      "owner_tid,owner,ended_by_tid,ended_by");
  const auto number = [](Pid pid) {
    return pid == kNoPid ? std::string() : fmt::format("{}", pid);
  };
  for (const LockRow& row : rows) {
    line(fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}", reports::lock_kind_name(row.kind),
                     reports::is_contention(row.kind) ? 1 : 0, row.waits, row.failed, row.total,
                     row.longest, row.waiters, address_text(row.address, told), number(row.process),
                     csv_field(row.process_name), number(row.owner), csv_field(row.owner_name),
                     number(row.ended_by), csv_field(row.ended_by_name)));
  }
}

std::string locks_json(const std::vector<LockRow>& rows, Addresses told) {
  JsonText json;
  json.begin_answer("locks/1").key("locks").begin_array();
  const auto who = [&](const char* key, Pid pid, const std::string& name) {
    if (pid == kNoPid) return;
    json.key(std::string(key) + "_tid").value(std::int64_t{pid});
    json.key(key).value(name);
  };
  for (const LockRow& row : rows) {
    json.begin_object().key("kind").value(std::string_view(reports::lock_kind_name(row.kind)));
    json.key("contention").value(reports::is_contention(row.kind));
    json.key("waits").value(row.waits);
    json.key("failed").value(row.failed);
    json.key("total_ns").value(static_cast<std::int64_t>(row.total));
    json.key("longest_ns").value(static_cast<std::int64_t>(row.longest));
    json.key("waiters").value(row.waiters);
    json.key("address").value(address_text(row.address, told));
    if (row.process != kNoPid) {
      json.key("process").value(std::int64_t{row.process});
      json.key("process_name").value(row.process_name);
    }
    who("owner", row.owner, row.owner_name);
    who("ended_by", row.ended_by, row.ended_by_name);
    json.end_object();
  }
  json.end_array().end_object();
  return json.text();
}

}  // namespace kutrace::emit
