// SPDX-License-Identifier: BSD-3-Clause
// Saying why nothing was found.
#include "cli/nothing_found.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "cli/next_command.h"
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

// "has no such RPC get"; of any RPC, "has no RPCs".
std::string not_there(const Question& question) {
  const std::string name = name_of(question);
  const std::size_t word = name.find(' ');
  const bool any =
      question.name == "*" && (question.asked == Asked::kRpc || question.asked == Asked::kFunction);
  return any ? "has no " + name.substr(0, word) + "s" : "has no such " + name;
}

bool is_of_calls(Asked asked) { return asked == Asked::kCall || asked == Asked::kRequest; }

std::string what_there_is(const Question& question, const reports::IntervalFinder::Seen& seen,
                          const std::string& trace) {
  if (is_of_calls(question.asked) && seen.calls == 0)
    return "the trace tells of no system calls: span JSON holds pieces of them only";
  switch (question.asked) {
    case Asked::kFunction:
      return about_file("kutrace stat --by function FILE lists what there is", trace);
    case Asked::kMark:
      return fmt::format("it goes to a mark {} of the same thread; {}", end_of_label(question.name),
                         lists_marks(trace));
    case Asked::kCall:
      return about_file(
          "only system calls are asked about, which kutrace syscalls FILE lists; kutrace profile "
          "has faults and interrupts, too",
          trace);
    case Asked::kRequest:
      return about_file("kutrace syscalls FILE lists the calls there are", trace);
    default:
      return about_file("kutrace query FILE 'select * from rpcs' lists what there is", trace);
  }
}

// The mark is there; what it would be the begin of is not.
Error unended_mark(const Question& question, const reports::IntervalFinder::Seen& seen,
                   const std::string& trace) {
  const std::string end = end_of_label(question.name);
  const bool others_end_it = !std::ranges::includes(seen.begun_by, seen.lone_ends_by);
  if (!others_end_it)
    return input_error(fmt::format("has mark {}, but no mark {} behind it", question.name, end))
        .with_hint(lists_marks(trace));
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
  const bool there_are = found.all != 0 || found.cut != 0;
  const Error error =
      input_error(there_are ? "has no such " + name_of(question) : not_there(question))
          .with_file(input.name());
  if (found.cut != 0)
    return Error(error).with_hint(
        fmt::format("of {} begin or return is not in the trace; --at TID@TIME asks about one",
                    counted(found.cut, "call", "calls")));
  if (found.all != 0)
    return Error(error).with_hint(part.none_chosen(count_of(question, found.all)));
  if (question.asked == Asked::kMark && !seen.begun_by.empty())
    return unended_mark(question, seen, input.name()).with_file(input.name());
  return Error(error).with_hint(what_there_is(question, seen, input.name()));
}

}  // namespace kutrace::cli
