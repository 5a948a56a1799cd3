// SPDX-License-Identifier: BSD-3-Clause
// Every number that a program can give to the kernel is recorded as itself or as unknown.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

#include "format/event_table.h"
#include "format/syscall_names.h"
#include "kutrace/abi.h"

namespace kutrace::test {
namespace {

std::string own_name(const std::map<unsigned, std::string>& names, unsigned number) {
  const auto found = names.find(number);
  return found == names.end() ? "" : found->second;
}

std::map<unsigned, std::string> table(std::span<const NumberedName> rows) {
  std::map<unsigned, std::string> names;
  for (const auto& [number, name] : rows) names[static_cast<unsigned>(number)] = name;
  return names;
}

TEST_CASE("no system call is recorded under the number of another") {
  for (const char* machine : {"x86_64", "aarch64"}) {
    const auto names = table(syscall_names(machine));
    const auto names32 = table(syscall32_names(machine));
    std::map<EventNum, std::string> shown;  // what a reader calls each event
    for (const auto& [number, name] : names) shown[syscall_event(number)] = name;
    for (const auto& [number, name] : names32) shown[KUTRACE_SYSCALL32_EVENT + number] = name;
    for (const bool compat : {false, true}) {
      std::set<EventNum> taken;
      for (std::int64_t signed_number = -1; signed_number <= 1023; ++signed_number) {
        const auto number = static_cast<std::uint32_t>(signed_number);
        const EventNum event = KUTRACE_CALL_EVENT(number, compat);
        CAPTURE(machine, compat, signed_number, event);
        CHECK(event_class(event) == EventClass::kSyscall);
        CHECK_FALSE(is_scheduler(event));
        if (event == KUTRACE_UNKNOWN_CALL) {
          CHECK(own_name(compat ? names32 : names, number).empty());
          CHECK_FALSE(shown.contains(event));
          continue;
        }
        CHECK(taken.insert(event).second);
        CHECK((shown.contains(event) ? shown[event] : "") ==
              own_name(compat ? names32 : names, number));
      }
    }
  }
}

}  // namespace
}  // namespace kutrace::test
