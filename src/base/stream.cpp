// SPDX-License-Identifier: BSD-3-Clause
// Reading to the end, with a bound.
#include "base/stream.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"

namespace kutrace {

namespace {

std::uint64_t half_of_memory() {
  const auto pages = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  return pages / 2 * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

Error too_much(const std::string& name, std::uint64_t most) {
  return input_error("more than " + byte_size(most) + " come out of what is no file")
      .with_file(name)
      .with_hint("write it to a file first: what is no file is kept in memory");
}

}  // namespace

Result<std::vector<std::byte>> read_stream(int descriptor, const std::string& name,
                                           const StreamRules& rules) {
  const std::uint64_t most = rules.most != 0 ? rules.most : half_of_memory();
  std::vector<std::byte> bytes;
  for (bool doubted = !rules.doubt;;) {
    const std::size_t size = bytes.size();
    if (size > most) return fail(too_much(name, most));
    if (!doubted && size == kStreamFront) {
      KUTRACE_TRY(rules.doubt(bytes, name));
      doubted = true;
    }
    const std::size_t step = doubted ? kStreamFront : kStreamFront - size;
    bytes.resize(size + step);
    const ssize_t got = ::read(descriptor, bytes.data() + size, step);
    if (got < 0 && errno != EINTR) return fail(cannot_read(name, errno));
    bytes.resize(size + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return bytes;
  }
}

Error cannot_read(const std::string& name, int number) {
  return input_error("cannot be read: " + errno_text(number)).with_file(name);
}

}  // namespace kutrace
