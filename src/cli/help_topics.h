// SPDX-License-Identifier: BSD-3-Clause
// `kutrace help TOPIC`: what holds for many commands, a screen each. In: a word; out: its text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kutrace::cli {

// Empty if there is no such topic.
std::string_view help_topic(std::string_view name);

// All names, in the order in which help lists them.
std::vector<std::string_view> help_topic_names();

}  // namespace kutrace::cli
