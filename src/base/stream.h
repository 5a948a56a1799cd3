// SPDX-License-Identifier: BSD-3-Clause
// The bytes of what cannot be mapped: a pipe, a device, a file of /proc. In: a descriptor; out: all
// its bytes, in memory. Such an input need not end, so reading has a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace kutrace {

constexpr std::size_t kStreamFront = std::size_t{1} << 20;

struct StreamRules {
  std::uint64_t most = 0;  // bytes; 0: half of the machine's memory
  // Asked about the first kStreamFront bytes: an error ends the reading.
  std::function<Status(std::span<const std::byte> front, const std::string& name)> doubt = {};
};

// Fails if reading fails, if there are more bytes than the rules allow, or if they are doubted.
// `name` is what errors call the input.
Result<std::vector<std::byte>> read_stream(int descriptor, const std::string& name,
                                           const StreamRules& rules);

Error cannot_read(const std::string& name, int number);

}  // namespace kutrace
