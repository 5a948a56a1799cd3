// SPDX-License-Identifier: BSD-3-Clause
// Saying why nothing was found.
#include "cli/nothing_found.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "cli/question.h"
#include "model/mark_label.h"

namespace kutrace::cli {

namespace {

using reports::Asked;
using reports::Question;

// "3 calls futex"
std::string count_of(const Question& question, std::uint64_t count) {
  if (question.asked == Asked::kMoment) return counted(count, "call or wait", "calls or waits");
  if (question.asked == Asked::kFunction)
    return counted(count, "call of ", "calls of ") + name_of(question);
  const std::string name = name_of(question);
  const std::size_t word = name.find(' ');
  return counted(count, name, name.substr(0, word) + "s" + name.substr(word));
}

bool is_of_calls(Asked asked) { return asked == Asked::kCall || asked == Asked::kRequest; }

std::string what_there_is(const Question& question, const reports::IntervalFinder::Seen& seen) {
  if (is_of_calls(question.asked) && seen.calls == 0)
    return "the trace tells of no system calls: span JSON holds pieces of them only";
  switch (question.asked) {
    case Asked::kFunction:
      return "kutrace stat --by function lists what there is";
    case Asked::kMark:
      return fmt::format("it goes to a mark {} of the same thread; {}", end_of_label(question.name),
                         kListsMarks);
    case Asked::kCall:
      return "only system calls are asked about, which kutrace syscalls lists; kutrace profile "
             "has faults and interrupts, too";
    case Asked::kRequest:
      return "kutrace syscalls lists the calls there are";
    default:
      return "kutrace query FILE 'select * from rpcs' lists what there is";
  }
}

// The mark is there; what it would be the begin of is not.
Error unended_mark(const Question& question, const reports::IntervalFinder::Seen& seen) {
  const std::string end = end_of_label(question.name);
  const bool others_end_it = !std::ranges::includes(seen.begun_by, seen.lone_ends_by);
  if (!others_end_it)
    return input_error(fmt::format("has mark {}, but no mark {} behind it", question.name, end))
        .with_hint(kListsMarks);
  return input_error(
             fmt::format("has mark {}, but its end {} is another thread's", question.name, end))
      .with_hint(fmt::format("kutrace mark '{0}' -- COMMAND has both in one thread; "
                             "kutrace trim and stat --label '{0}' take those of any",
                             question.name));
}

}  // namespace

Error nothing_found(const Question& question, const reports::IntervalFinder& finder,
                    const FoundOf& found, const TraceSelection& part,
                    const read::TraceInput& input) {
  const reports::IntervalFinder::Seen& seen = finder.seen();
  const Error error = input_error("has no such " + name_of(question)).with_file(input.name());
  if (found.cut != 0)
    return Error(error).with_hint(
        fmt::format("of {} begin or return is not in the trace; --at TID@TIME asks about one",
                    counted(found.cut, "call", "calls")));
  if (found.all != 0)
    return Error(error).with_hint(part.none_chosen(count_of(question, found.all)));
  if (question.asked == Asked::kMark && !seen.begun_by.empty())
    return unended_mark(question, seen).with_file(input.name());
  return Error(error).with_hint(what_there_is(question, seen));
}

}  // namespace kutrace::cli
