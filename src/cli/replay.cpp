// SPDX-License-Identifier: BSD-3-Clause
// The bar.
#include "cli/replay.h"

#include "cli/progress.h"

namespace kutrace {

Result<TraceInfo> replay_shown(const TraceInput& input, NameTable& names, SpanSink& sink) {
  Progress bar;
  return input.replay(names, sink, [&bar](double share) { bar.show(share); });
}

}  // namespace kutrace
