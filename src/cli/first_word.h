// SPDX-License-Identifier: BSD-3-Clause
// The first words of a command line, before options are parsed: none, `help` with a topic or a
// command, a command or a typing error.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace::cli {

// `help COMMAND...` as what it stands for, `COMMAND... --help`; every other line as it is.
std::vector<std::string> without_help_verb(std::vector<std::string> words);

// The text of the topic in `help TOPIC`; empty of every other line.
std::string_view topic_asked_for(const std::vector<std::string>& words);

// What is wrong with a line that names no command, or asks for help on what is none and no topic,
// with what may have been meant; empty if nothing is. Options stand for themselves.
std::string wrong_command(const std::vector<std::string>& words,
                          std::span<const std::string> commands);

}  // namespace kutrace::cli
