// SPDX-License-Identifier: BSD-3-Clause
#include "read/span_json/json_profile.h"

#include <algorithm>

namespace kutrace::read {

void JsonProfileRows::place(JsonRecord& record) {
  const std::int64_t row = std::max({record.cpu, record.pid, record.rpc});
  const bool of_cpu = record.cpu == row;
  const auto next = static_cast<std::int64_t>(rows_.size());
  record.cpu = rows_.try_emplace(row, next).first->second;
  record.pid = of_cpu ? -1 : kFirstRowPid + record.cpu;
  record.rpc = 0;
  while (record.name.ends_with(' ')) record.name.remove_suffix(1);  // of the rows' names
}

}  // namespace kutrace::read
