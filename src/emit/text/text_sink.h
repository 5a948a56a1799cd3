// SPDX-License-Identifier: BSD-3-Clause
// The stable text forms of the stages, one line per event or span, for tests, reports of defects
// and learning. In: events or spans; out: lines, to a callback. Nothing here opens a file.
//
//   event line:  time_ns cpu number name arg [left=...] [ret=...] [dur=...] ["text"]
//   span line:   start_ns duration_ns cpu pid kind event arg result rpc ipc "name" [other=pid]
//   [pc=..]
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.h"
#include "model/span_sink.h"
#include "spans/name_book.h"
#include "timeline/event.h"

namespace kutrace::emit {

using LineSink = std::function<void(std::string_view)>;

// Line of one event, without a newline: calls are named by what they are, "syscall".
std::string event_line(const timeline::Event& event);

// Lines of events that say which call it was, "syscall:read", by the names that the trace has.
class EventText {
 public:
  // `preamble`: what holds from the start.
  explicit EventText(const std::vector<decode::Entry>& preamble);
  // The events must come in their order.
  std::string line(const timeline::Event& event);

 private:
  NameTable texts_;
  spans::NameBook names_;
};

class SpanText : public SpanSink {
 public:
  SpanText(const NameTable& names, LineSink line) : names_(names), line_(std::move(line)) {}
  void push(const Span& span) override;

 private:
  const NameTable& names_;
  LineSink line_;
};

}  // namespace kutrace::emit
