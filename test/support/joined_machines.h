// SPDX-License-Identifier: BSD-3-Clause
// A trace of several machines, as kutrace align writes it, from traces in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "format/raw_file.h"

namespace kutrace::test {

struct Recorded {
  const RawFile* file = nullptr;
  std::function<Ns(Ns)> time;  // by the first one's clock; never goes back
  std::string clock;
};

Result<std::vector<std::byte>> joined_bytes(const std::vector<Recorded>& recorded);

// Of two machines that tell one time.
Result<std::vector<std::byte>> joined_bytes(const RawFile& one, const RawFile& other);

// Two machines drawn from a seed, whose threads send each other packets of which few differ.
Result<std::vector<std::byte>> talking_machines(std::uint64_t seed);

}  // namespace kutrace::test
