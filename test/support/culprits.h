// SPDX-License-Identifier: BSD-3-Clause
// Small traces in which one thing is to blame. In each, thread 10, "victim", makes one slow call,
// and who or what made it slow is known.
#pragma once

#include "support/trace_builder.h"

namespace kutrace::test {

struct Culprit {
  const char* name;
  TraceBuilder (*trace)();
  const char* call;   // of the victim
  const char* words;  // why it was slow, above all
};

// All of them; each ends before `kCulpritStop`.
constexpr Ticks kCulpritStop = 100'000;
const std::vector<Culprit>& culprits();

}  // namespace kutrace::test
