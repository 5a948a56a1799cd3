// SPDX-License-Identifier: BSD-3-Clause
// Finding requests.
#include "cli/found_requests.h"

#include "cli/nothing_found.h"
#include "cli/question.h"

namespace kutrace::cli {

Result<std::string> find_requests(const std::string& request, const read::TraceInput& input,
                                  const NameTable& names, TraceSelection& part,
                                  const reports::IntervalFinder::Found& found) {
  KUTRACE_ASSIGN(const reports::Question question, reports::request_of(request));
  bool any = false;
  FoundOf of;
  reports::IntervalFinder finder(question, names, [&](const reports::Interval& interval) {
    ++of.all;
    if (!part.wants(interval)) return;
    any = true;
    found(interval);
  });
  KUTRACE_TRY(part.replay_whole(finder));
  if (any) return name_of(question);
  return fail(nothing_found(question, finder, of, part, input));
}

}  // namespace kutrace::cli
