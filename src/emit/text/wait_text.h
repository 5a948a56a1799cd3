// SPDX-License-Identifier: BSD-3-Clause
// Waits by reason as text, CSV and JSON, named alike in all of them. In: sums of waits; out: text.
#pragma once

#include <string>

#include "base/json_text.h"
#include "reports/wait_times.h"

namespace kutrace::emit {

// "disk 1.200 ms, lock 0.003 ms": those that are not 0.
std::string waits_text(const reports::WaitTimes& waits);
// "waits_ns": {"disk": 1200000}, those that are not 0.
void waits_json(const reports::WaitTimes& waits, JsonText& json);
// ",disk_ns,lock_ns": all there are; and a row's fields of them.
std::string waits_csv_head();
std::string waits_csv(const reports::WaitTimes& waits);

}  // namespace kutrace::emit
