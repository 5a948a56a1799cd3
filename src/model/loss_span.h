// SPDX-License-Identifier: BSD-3-Clause
// A span that says that nobody knows what a CPU did. In: when, and why; out: the span.
#pragma once

#include "model/span.h"

namespace kutrace {

// `reason`: enum kutrace_loss_reason.
Span loss_span(CpuId cpu, Ns start, Ns end, unsigned reason, NameId name);

}  // namespace kutrace
