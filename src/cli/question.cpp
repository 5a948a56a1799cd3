// SPDX-License-Identifier: BSD-3-Clause
// Reading questions.
#include "cli/question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/number_text.h"
#include "cli/time_text.h"

namespace kutrace::cli {

using reports::Asked;
using reports::Question;
using reports::request_of;

namespace {

Result<Question> moment_of(const std::string& text) {
  const std::size_t sign = text.find('@');
  const auto tid = parse_number<Pid>(std::string_view(text).substr(0, sign));
  if (sign == std::string::npos || !tid || *tid <= 0) {
    return fail(usage_error("'" + text + "' is not a thread and a time")
                    .with_hint("write for example 1234@1.5s"));
  }
  KUTRACE_ASSIGN(const Ns time, parse_time(std::string_view(text).substr(sign + 1)));
  return Question{.asked = Asked::kMoment, .pid = *tid, .time = time};
}

}  // namespace

Option add_request_option(const Command& command, std::string& request) {
  return command.add_option("--request", request,
                            "A..B: from a thread's return from call A to that from B, "
                            "on one file; A..next");
}

void add_question_options(const Command& command, QuestionOptions& options) {
  const Option call = command
                          .add_option("--call", options.calls,
                                      "system calls with these names; * and ? match anything")
                          .list();
  const Option mark =
      command.add_option("--mark", options.mark, "from a thread's mark LABEL to its mark /LABEL");
  const Option rpc = command.add_option(
      "--rpc", options.rpc, "from an RPC's request to its response, by method; * and ?");
  const Option function =
      command.add_option("--function", options.function,
                         "calls of a function that was recorded (--functions); * and ?");
  const Option request = add_request_option(command, options.request);
  const Option at = command.add_option("--at", options.at,
                                       "TID@TIME: the call of a thread at this time, or its wait");
  exclude_each_other({call, mark, rpc, function, request, at});
}

Result<std::optional<Question>> question_of(const QuestionOptions& options) {
  if (!options.calls.empty())
    return Question{.asked = Asked::kCall,
                    .name = fmt::format("{}", fmt::join(options.calls, ","))};
  if (!options.mark.empty()) return Question{.asked = Asked::kMark, .name = options.mark};
  if (!options.rpc.empty()) return Question{.asked = Asked::kRpc, .name = options.rpc};
  if (!options.function.empty())
    return Question{.asked = Asked::kFunction, .name = options.function};
  if (!options.request.empty()) return request_of(options.request);
  if (!options.at.empty()) return moment_of(options.at);
  return std::nullopt;
}

std::string name_of(const Question& question) {
  switch (question.asked) {
    case Asked::kCall:
      return "call " + question.name;
    case Asked::kMark:
      return "mark " + question.name;
    case Asked::kRpc:
      return "RPC " + question.name;
    case Asked::kFunction:
      return "function " + question.name;
    case Asked::kRequest:
      return "request " + question.name + std::string(reports::kBetween) + question.until;
    case Asked::kMoment:
      return "call or wait";
  }
  return {};
}

}  // namespace kutrace::cli
