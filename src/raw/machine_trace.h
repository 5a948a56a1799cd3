// SPDX-License-Identifier: BSD-3-Clause
// One of several machines whose traces become one.
#pragma once

#include <functional>
#include <string>

#include "base/units.h"
#include "timeline/trace_layout.h"

namespace kutrace::raw {

struct MachineTrace {
  const timeline::TraceLayout* layout = nullptr;
  std::string name;            // of its file
  std::function<Ns(Ns)> time;  // by the first machine's clock; never goes back
  std::string clock;           // fact: how that is known
};

}  // namespace kutrace::raw
