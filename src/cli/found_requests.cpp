// SPDX-License-Identifier: BSD-3-Clause
// Finding requests.
#include "cli/found_requests.h"

#include "cli/question.h"

namespace kutrace::cli {

Result<std::string> find_requests(const std::string& request, const read::TraceInput& input,
                                  const NameTable& names, TraceSelection& part,
                                  const reports::IntervalFinder::Found& found) {
  KUTRACE_ASSIGN(const reports::Question question, reports::request_of(request));
  bool any = false;
  reports::IntervalFinder finder(question, names, [&](const reports::Interval& interval) {
    if (!part.wants(interval)) return;
    any = true;
    found(interval);
  });
  KUTRACE_TRY(part.replay_whole(finder));
  if (any) return name_of(question);
  return fail(
      input_error("has no such " + name_of(question))
          .with_file(input.name())
          .with_hint(
              "kutrace syscalls lists the calls there are; span JSON does not tell of calls"));
}

}  // namespace kutrace::cli
