// SPDX-License-Identifier: BSD-3-Clause
// Which intervals a command is asked about: --call --mark --rpc --function
// --request --at. In: their words;
// out: one question.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "reports/interval_finder.h"

namespace kutrace::cli {

struct QuestionOptions {
  std::vector<std::string> calls;
  std::string mark;
  std::string rpc;
  std::string function;
  std::string request;
  std::string at;
};

// --request alone.
Option add_request_option(const Command& command, std::string& request);
// At most one of them may be given.
void add_question_options(const Command& command, QuestionOptions& options);

// None if nothing is asked.
Result<std::optional<reports::Question>> question_of(const QuestionOptions& options);
// "call read", "request read..write", "mark work": what its intervals are called.
std::string name_of(const reports::Question& question);

}  // namespace kutrace::cli
