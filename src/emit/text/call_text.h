// SPDX-License-Identifier: BSD-3-Clause
// The stable text form of calls, one line each, in the order in which they end.
//
//   begin_ns duration_ns cpu pid kind event arg result own_ns cpu_ns pieces id parent "name"
//   [wait_x=ns ...] [unknown=ns] [begin=inferred] [end=inferred]
#pragma once

#include <string>
#include <utility>

#include "emit/text/text_sink.h"
#include "model/call.h"
#include "model/names.h"
#include "model/span_sink.h"

namespace kutrace::emit {

std::string call_line(const Call& call, const NameTable& names);

class CallText : public SpanSink {
 public:
  CallText(const NameTable& names, LineSink line) : names_(names), line_(std::move(line)) {}
  void push(const Span&) override {}
  void call(const Call& call) override {
    ++lines_;
    line_(call_line(call, names_));
  }
  std::uint64_t lines() const { return lines_; }

 private:
  const NameTable& names_;
  LineSink line_;
  std::uint64_t lines_ = 0;
};

}  // namespace kutrace::emit
