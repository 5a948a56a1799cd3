// SPDX-License-Identifier: BSD-3-Clause
// Sorting by time, some bits at a time: many times of a slab lie within few bits. In: times; out:
// their places in ascending order, equal ones in the order in which they came.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace kutrace::emit {

std::vector<std::uint32_t> time_order(std::span<const Ns> times);

}  // namespace kutrace::emit
