// SPDX-License-Identifier: BSD-3-Clause
// Events of CTF to tracepoints of the kernel, by name: LTTng's and perf's. In: an event as the
// metadata describe it; out: the same, with what becomes of it and what its fields mean.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "read/ctf/ctf_schema.h"

namespace kutrace::read {

class CtfEvents {
 public:
  // As uname has it. Empty: names of calls are taken for those of x86-64, which has all of them.
  explicit CtfEvents(std::string_view machine);

  void use(CtfEventClass& event);
  // Whose calls have these numbers.
  const std::string& machine() const { return machine_; }
  // Calls without a number.
  const std::set<std::string, std::less<>>& unknown_calls() const { return unknown_calls_; }

 private:
  bool use_call(CtfEventClass& event, std::string_view begin, What what);
  std::int64_t call_number(std::string_view name) const;

  std::string machine_;
  std::set<std::string, std::less<>> unknown_calls_;
};

}  // namespace kutrace::read
