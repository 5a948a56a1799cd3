// SPDX-License-Identifier: BSD-3-Clause
// The stable text form of threads, one line each, as their lives end. Two threads that have one
// number in turn are two lines, with different ids.
//
//   begin_ns duration_ns pid id executing_ns waiting_ns unknown_ns "name"
#pragma once

#include <string>
#include <utility>

#include "emit/text/text_sink.h"
#include "model/call.h"
#include "model/names.h"
#include "model/span_sink.h"

namespace kutrace::emit {

std::string life_line(const ThreadLife& life, const NameTable& names);

class LifeText : public SpanSink {
 public:
  LifeText(const NameTable& names, LineSink line) : names_(names), line_(std::move(line)) {}
  void push(const Span&) override {}
  void life(const ThreadLife& life) override { line_(life_line(life, names_)); }

 private:
  const NameTable& names_;
  LineSink line_;
};

}  // namespace kutrace::emit
