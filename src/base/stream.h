// SPDX-License-Identifier: BSD-3-Clause
// The bytes of what is no file: a pipe, a device, a file of /proc. They are kept in memory, and
// need not end. In: a descriptor; out: all of them, or why there are too many.
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
  // Says of the first kStreamFront bytes whether it is worth while to read on.
  std::function<Status(std::span<const std::byte> front, const std::string& name)> doubt = {};
};

// `name` is what errors call it.
Result<std::vector<std::byte>> read_stream(int descriptor, const std::string& name,
                                           const StreamRules& rules);

Error cannot_read(const std::string& name, int number);

}  // namespace kutrace
