// SPDX-License-Identifier: BSD-3-Clause
// Asynchronous slices to RPCs with one end, as kutrace_async_begin() and kutrace_async_end() of
// mark.h make them: a request where one begins, a response where it ends. In: begins and ends in
// any order, times in ns; out: points in the order of time. Memory grows with the slices.
//
// An RPC has one of 65,535 numbers while it is under way. A slice that finds none free is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "format/counters.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "read/chrome/chrome_event.h"

namespace kutrace::read {

class ChromeAsyncs {
 public:
  explicit ChromeAsyncs(NameTable& names) : names_(names) {}

  // What begins and ends have in common: category, name, number, and the process where the number
  // is its own. An end without a name is that of the innermost one that has the rest in common.
  void begin(const ChromeEvent& event, Pid pid, Ns time, NameId name) {
    add(event, pid, time, name, true);
  }
  void end(const ChromeEvent& event, Pid pid, Ns time, NameId name) {
    add(event, pid, time, name, false);
  }

  void finish(SpanSink& sink, Counters& counters);

 private:
  struct Edge {
    Ns time = 0;
    std::uint32_t key = 0;
    std::uint32_t id = 0;  // the same without the name
    Pid pid = kNoPid;
    NameId name = kNoName;
    bool begins = false;
    bool ends_any = false;
  };

  void add(const ChromeEvent& event, Pid pid, Ns time, NameId name, bool begins);
  Span point(const Edge& edge, std::uint32_t rpc, NameId name) const;

  NameTable& names_;
  std::vector<Edge> edges_;
  std::unordered_map<std::string, std::uint32_t> keys_;
  std::unordered_map<std::string, std::uint32_t> ids_;
};

}  // namespace kutrace::read
