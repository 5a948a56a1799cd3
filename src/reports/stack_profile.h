// SPDX-License-Identifier: BSD-3-Clause
// How threads came to where they ran or waited. In: spans with stacks; out: a row for each thread,
// stack and reason, with samples and times. Of waits all count, those without a stack as well, so
// that they add up to the waits of the trace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/names.h"
#include "model/span_sink.h"
#include "model/trace_info.h"
#include "reports/thread_names.h"

namespace kutrace::reports {

struct StackRow {
  std::string thread;       // its name, the last one that it had
  Pid pid = kNoPid;         // of the thread; kNoPid: of all that have the name
  std::string label;        // of the thread, or of all that have the name
  char wait = 0;            // letter of the reason; 0: it ran
  std::string stack;        // the outermost first, with ; between them; empty: not recorded
  std::uint64_t count = 0;  // of samples, or of waits
  Ns time = 0;              // from each sample's predecessor on its CPU to it; or waiting
};

class StackProfile : public SpanSink {
 public:
  explicit StackProfile(const NameTable& names) : names_(names), who_(names) {}
  void push(const Span& span) override;
  void life(const ThreadLife& life) override { who_.life(life); }

  // Whether any span had a stack.
  bool has_stacks() const { return has_stacks_; }
  // Most time first. Threads of one name are one unless `by_thread`.
  std::vector<StackRow> rows(const TraceInfo& info, bool by_thread) const;

 private:
  struct Key {
    std::uint32_t thread = 0;  // as who_ has it
    NameId stack = kNoName;
    char wait = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Sum {
    std::uint64_t count = 0;
    Ns time = 0;
  };

  const NameTable& names_;
  ThreadNames who_;
  std::map<Key, Sum> sums_;
  bool has_stacks_ = false;
};

}  // namespace kutrace::reports
