// SPDX-License-Identifier: BSD-3-Clause
// The block of sums by CPU and kind. In: its bytes, of any origin, and how many kinds there are;
// out: the sums, in order of CPU and kind; false if that is not what the bytes hold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/span_slabs.h"

namespace kutrace::read {

bool read_cpu_sums(std::span<const std::uint8_t> bytes, std::size_t kinds,
                   std::vector<SpanSlabs::CpuSums>& sums);

}  // namespace kutrace::read
