// SPDX-License-Identifier: BSD-3-Clause
// Lives of threads among the spans of a page. In: the page's rows of threads, and its spans; out:
// the spans, and each life after them and before what has the thread's number next. A thread that
// got another number has a row for each, and goes on under one id.
#pragma once

#include <cstdint>
#include <vector>

#include "model/span_sink.h"
#include "read/page/page_facts.h"

namespace kutrace::read {

class PageLives : public SpanStage {
 public:
  // `names`: of the rows, in the reader's numbers. The rows stay where they are.
  PageLives(const std::vector<PageThreadFacts>& rows, std::vector<NameId> names, SpanSink& next);

  void push(const Span& span) override;
  void expect(Pid pid, ThreadId thread, Ahead ahead) const override;
  // After all spans.
  void finish();

 private:
  struct Row {
    Pid pid = kNoPid;
    ThreadIndex number_before = kNoThread;  // who had its number before; kNoThread: nobody
    ThreadIndex thread_before = kNoThread;  // what this thread was before
    ThreadIndex thread_after = kNoThread;
    Ns executing = 0;
    Ns waiting = 0;
    bool reached = false;  // it has spans
    bool told = false;     // its life was handed on
  };

  bool is_before(ThreadIndex a, ThreadIndex b) const;
  ThreadIndex row_of(const Span& span);
  void tell_before(ThreadIndex row);
  void tell(ThreadIndex row);

  const std::vector<PageThreadFacts>& facts_;
  const std::vector<NameId> names_;
  std::vector<Row> rows_;
  std::vector<ThreadIndex> now_;  // by id: which of its rows a thread is
};

}  // namespace kutrace::read
