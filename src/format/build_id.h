// SPDX-License-Identifier: BSD-3-Clause
// The build-id that a linker put into an ELF file. In: the file's bytes; out: hexadecimal text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace kutrace {

// Empty if the bytes are no ELF file, are cut before their notes, or have no build-id.
std::string build_id_of(std::span<const std::byte> elf_file);

}  // namespace kutrace
