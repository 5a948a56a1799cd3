// SPDX-License-Identifier: BSD-3-Clause
// Sets of calls, in order of their numbers.
#include "record/run/argument_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "format/syscall_names.h"

namespace kutrace::record {

namespace {

using Calls = std::vector<std::uint32_t>;

// No names mean no call here.
Result<Calls> calls_of(const std::vector<std::string>& names) {
  return names.empty() ? Result<Calls>() : choose_calls(names);
}

std::vector<std::string> names_of(const Calls& calls) {
  std::vector<std::string> names;
  for (const auto& [number, name] : syscall_names(kArgumentsMachine))
    if (std::ranges::binary_search(calls, number)) names.push_back(name);
  return names;
}

}  // namespace

Status ArgumentLog::change(const std::vector<std::string>& words, Source& source) {
  KUTRACE_ASSIGN(const SignedWords wishes,
                 parse_signed_words(words, "SYSCALL", "kutrace control args +openat,net -read"));
  if (words.empty()) return {};
  if (!is_set_)
    return fail(usage_error("it does not record arguments")
                    .with_hint("begin with some: kutrace control go --args, or --strings"));
  KUTRACE_ASSIGN(const Calls removed, calls_of(wishes.removed));
  KUTRACE_ASSIGN(const Calls added, calls_of(wishes.added));
  Calls kept;
  std::ranges::set_difference(now_.calls, removed, std::back_inserter(kept));
  CallChoice next{.calls = {}, .string_bytes = now_.string_bytes};
  std::ranges::set_union(kept, added, std::back_inserter(next.calls));
  KUTRACE_TRY(source.choose_arguments(next));
  now_ = std::move(next);
  changes_.add(source.now(), words);
  return {};
}

std::string ArgumentLog::text() const {
  if (now_.calls.empty()) return "arguments of no system call";
  constexpr std::size_t kMostNames = 20;
  if (now_.calls.size() > kMostNames)
    return fmt::format("arguments of {} system calls", now_.calls.size());
  return fmt::format("arguments of {}", fmt::join(names_of(now_.calls), ", "));
}

void ArgumentLog::add_to(NameEntries& names, Ticks zero, TickRate rate) const {
  changes_.add_to(names, fact::kArgumentsChange, zero, rate);
}

}  // namespace kutrace::record
