// SPDX-License-Identifier: BSD-3-Clause
// What all subcommands that record share: the choice of a source, and telling how it went.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "record/daemon/control_message.h"
#include "record/source/source.h"

namespace kutrace::cli {

// --source, auto by default, and --events: who records what.
void add_source_options(const Command& command, std::string& source, std::string& events,
                        std::vector<std::string> sources = {"auto", "ebpf", "module"});

// Says which source it takes, and why. "auto" takes the best that works.
record::SourceKind choose_source(const std::string& wanted);
// Likewise; "auto" takes the daemon for who may not record by himself, "daemon" for anybody.
record::SourceKind choose_source(const std::string& wanted, const std::string& daemon_socket,
                                 bool can_join);

// This program's own command line, as the kernel keeps it.
std::string own_command_line();

// Whether it ends in --, behind which something was forgotten or is empty.
bool ends_in_separator();

// The size that was asked for, or 0: a good one for the mode.
Result<std::uint32_t> check_buffer(std::optional<std::uint32_t> megabytes);

void print_notes(const std::vector<record::Note>& notes);

}  // namespace kutrace::cli
