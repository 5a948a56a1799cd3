// SPDX-License-Identifier: BSD-3-Clause
// How spans travel: from a reader, through stages, to what makes something of them. Every stream
// begins with what is known before its first span, and ends with all that is known. Each stage
// passes both on, so whoever starts a stream need not know which stages it goes through.
#pragma once

#include <cstddef>

#include "base/prefetch.h"
#include "model/call.h"
#include "model/span.h"
#include "model/stack.h"
#include "model/trace_info.h"

namespace kutrace {

// More threads than a cache holds what is known of.
constexpr std::size_t kManyThreads = 2048;

// Where spans go. Sinks open no files, and copy what they need to keep.
//
// Raw traces and pages also tell of calls and lives. A call is handed over when it has ended, after
// all its pieces, its waits and all that it called; a life after all spans of its thread, and
// before those of the next thread that has its number. Old pages, and pages of traces that
// contradict themselves, do not tell which call lay in which; other forms of traces hold only
// spans.
class SpanSink {
 public:
  virtual ~SpanSink() = default;
  // Comes first. `known` holds the times (the end may move back), the clock, the CPUs and the facts
  // that were known at the start.
  virtual void begin(const TraceInfo& /*known*/) {}
  virtual void push(const Span& span) = 0;
  // Spans of that thread may come soon, so what is kept of it can be fetched from memory. Readers
  // call it where there are many threads; far ahead they may not know its id.
  virtual void expect(Pid, ThreadId, Ahead) const {}
  virtual void call(const Call&) {}
  virtual void life(const ThreadLife&) {}
  // Before the first span that has it, and perhaps again.
  virtual void stack(const Stack&) {}
  // Comes last, unless reading failed. A stage that changes the trace changes `info` too; the
  // reader returns what is left in it.
  virtual void end(TraceInfo& /*info*/) {}
};

// A stage: hands on to the next sink all that it does not change.
class SpanStage : public SpanSink {
 public:
  explicit SpanStage(SpanSink& next) : next_(next) {}
  void begin(const TraceInfo& known) override { next_.begin(known); }
  void push(const Span& span) override { next_.push(span); }
  void expect(Pid pid, ThreadId thread, Ahead ahead) const override {
    next_.expect(pid, thread, ahead);
  }
  void call(const Call& call) override { next_.call(call); }
  void life(const ThreadLife& life) override { next_.life(life); }
  void stack(const Stack& stack) override { next_.stack(stack); }
  void end(TraceInfo& info) override { next_.end(info); }

 protected:
  SpanSink& next() { return next_; }

 private:
  SpanSink& next_;
};

// Hands each span to two sinks, one after the other.
class BothSinks : public SpanStage {
 public:
  BothSinks(SpanSink& first, SpanSink& second) : SpanStage(second), first_(first) {}
  void begin(const TraceInfo& known) override {
    first_.begin(known);
    SpanStage::begin(known);
  }
  void push(const Span& span) override {
    first_.push(span);
    SpanStage::push(span);
  }
  void expect(Pid pid, ThreadId thread, Ahead ahead) const override {
    first_.expect(pid, thread, ahead);
    SpanStage::expect(pid, thread, ahead);
  }
  void call(const Call& call) override {
    first_.call(call);
    SpanStage::call(call);
  }
  void life(const ThreadLife& life) override {
    first_.life(life);
    SpanStage::life(life);
  }
  void stack(const Stack& stack) override {
    first_.stack(stack);
    SpanStage::stack(stack);
  }
  void end(TraceInfo& info) override {
    first_.end(info);
    SpanStage::end(info);
  }

 private:
  SpanSink& first_;
};

}  // namespace kutrace
