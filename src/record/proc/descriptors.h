// SPDX-License-Identifier: BSD-3-Clause
// What descriptors of processes stand for, as /proc shows it.
#pragma once

#include <functional>
#include <vector>

#include "base/units.h"
#include "format/process_text.h"

namespace kutrace::record {

// Of these processes; of all, if there are none. `now` reads the counter. What cannot be read is
// left out.
std::vector<DescriptorRecord> read_descriptors(const std::vector<Pid>& processes,
                                               const std::function<Ticks()>& now);

}  // namespace kutrace::record
