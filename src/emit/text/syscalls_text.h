// SPDX-License-Identifier: BSD-3-Clause
// System calls as a table, as CSV, as JSON, with histograms; and one line each, much as strace
// shows them. In: sums, or calls as they end; out: lines.
#pragma once

#include <string>
#include <vector>

#include "emit/text/text_sink.h"
#include "reports/requests.h"
#include "reports/syscalls.h"

namespace kutrace::emit {

struct SyscallTable {
  std::size_t top = 0;     // rows of a group; what is left out is counted
  bool histogram = false;  // below each row: how many calls took how long
  std::size_t width = 0;   // of a line, as in fitted_table.h
};

void syscalls_table(const std::vector<reports::SyscallGroup>& groups, const SyscallTable& table,
                    const LineSink& line);
void slowest_table(const std::vector<reports::SlowCall>& calls, std::size_t width,
                   const LineSink& line);
void syscalls_csv(const std::vector<reports::SyscallGroup>& groups, const LineSink& line);
// `requests`: null where none were asked for.
std::string syscalls_json(const std::vector<reports::SyscallGroup>& groups,
                          const std::vector<reports::SlowCall>& slowest,
                          const reports::Requests* requests);

// Seconds [thread] call(argument, ...) = result <seconds>
class SyscallLines : public SpanSink {
 public:
  SyscallLines(const NameTable& names, reports::Syscalls::Wanted wanted, LineSink line)
      : names_(names), wanted_(std::move(wanted)), line_(std::move(line)) {}
  void push(const Span&) override {}
  void call(const Call& call) override;

 private:
  const NameTable& names_;
  reports::Syscalls::Wanted wanted_;
  LineSink line_;
};

}  // namespace kutrace::emit
