// SPDX-License-Identifier: BSD-3-Clause
// The first word of a command line, before options are parsed: none, `help`, a command or a typing
// error.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kutrace::cli {

// `help COMMAND...` as what it stands for, `COMMAND... --help`; every other line as it is.
std::vector<std::string> without_help_verb(std::vector<std::string> words);

// What is wrong with a line that names no command, with the command that may have been meant; empty
// if nothing is. Options stand for themselves.
std::string wrong_command(const std::vector<std::string>& words,
                          std::span<const std::string> commands);

}  // namespace kutrace::cli
