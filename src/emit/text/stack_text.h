// SPDX-License-Identifier: BSD-3-Clause
// Profiles of stacks: folded, a line for each stack, as tools for flame graphs take them; CSV;
// JSON.
#pragma once

#include <string>
#include <vector>

#include "emit/text/text_sink.h"
#include "reports/stack_profile.h"

namespace kutrace::emit {

// "server;main;work;wait:disk 1500": the reason of a wait stands innermost; samples have none, and
// are counted, waits are in ns.
void folded_stacks(const std::vector<reports::StackRow>& rows, const LineSink& line);
void stacks_csv(const std::vector<reports::StackRow>& rows, const LineSink& line);
std::string stacks_json(const std::vector<reports::StackRow>& rows);

}  // namespace kutrace::emit
