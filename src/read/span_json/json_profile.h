// SPDX-License-Identifier: BSD-3-Clause
// Rows of a profile ("presorted", what upstream's spantoprof writes) as rows of a trace. In: a
// record with the number of its row in one of its id fields; out: a span on a CPU of its own. Such
// a row begins at time 0.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "read/span_json/json_record.h"

namespace kutrace::read {

class JsonProfileRows {
 public:
  // CPUs get the order of the rows; a row that is not a CPU's gets a thread number that no thread
  // has.
  void place(JsonRecord& record);

  static bool is_row(std::int64_t pid) { return pid >= kFirstRowPid; }

 private:
  static constexpr std::int64_t kFirstRowPid = 1 << 24;  // above the ids of threads

  std::unordered_map<std::int64_t, std::int64_t> rows_;  // by number in the file
};

}  // namespace kutrace::read
