// SPDX-License-Identifier: BSD-3-Clause
// Where the kernel says it is, as long as its own header says.
#include "base/vdso.h"

#include <elf.h>
#include <sys/auxv.h>

#include <cstring>

namespace kutrace {

std::span<const std::byte> own_vdso() {
  // The kernel gives addresses as numbers; no pointer stands behind this one yet.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  const auto* begin = reinterpret_cast<const std::byte*>(getauxval(AT_SYSINFO_EHDR));
  if (begin == nullptr) return {};
  Elf64_Ehdr header;
  std::memcpy(&header, begin, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  // The table of sections is its last part.
  return {begin, header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize};
}

}  // namespace kutrace
