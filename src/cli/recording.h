// SPDX-License-Identifier: BSD-3-Clause
// What all subcommands that record share: the choice of a source, and telling how it went.
#pragma once

#include <string>
#include <vector>

#include "device/control_message.h"
#include "device/source.h"

namespace kutrace {

// Says which source it takes, and why. "auto" takes the best that works.
SourceKind choose_source(const std::string& wanted);

// This program's own command line, as the kernel keeps it.
std::string own_command_line();

void print_notes(const std::vector<Note>& notes);

}  // namespace kutrace
