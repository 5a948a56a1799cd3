// SPDX-License-Identifier: BSD-3-Clause
// Whether an ELF file has code that Go's compiler made. In: the file; out: yes or no.
#pragma once

#include <libelf.h>

namespace kutrace::symbols {

bool has_go_code(Elf* elf);

}  // namespace kutrace::symbols
