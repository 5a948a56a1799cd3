// SPDX-License-Identifier: BSD-3-Clause
// What a page shows when it is opened. In: a time, what is selected or explained in it; out: the
// text that stands in the page for that, as the page itself saves it (web/src/model/saved.js).
#pragma once

#include <optional>
#include <string>

#include "base/units.h"

namespace kutrace::emit {

// An interval of a thread whose critical path is drawn.
struct PageInterval {
  Pid pid = kNoPid;
  Ns begin = 0;
  Ns end = 0;
  std::string title;  // "call fsync"
};

struct PageView {
  Ns begin = 0;
  Ns end = 0;                         // behind the begin
  bool selects = false;               // that time, with room around it, is the selected range
  std::optional<PageInterval> why{};  // the time of the view is its own then
  std::string asks{};  // requests that are listed, as "request read..write"; may be empty
};

std::string saved_view(const PageView& view);

}  // namespace kutrace::emit
