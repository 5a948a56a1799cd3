// SPDX-License-Identifier: BSD-3-Clause
// Runs and their merge.
#include "emit/span_json/span_order.h"

#include <algorithm>
#include <memory>
#include <queue>
#include <type_traits>

namespace kutrace::emit {

namespace {

constexpr std::size_t kReadSpans = 512;

bool earlier(const Span& a, const Span& b) { return a.start < b.start; }

}  // namespace

// The spans of the spill from `next` to `end`, a few at a time.
class SpanOrder::Run {
 public:
  Run(Spill& spill, std::uint64_t next, std::uint64_t end)
      : spill_(spill), next_(next), end_(end) {}

  const Span& head() const { return buffer_[at_]; }
  // False at the end of the run.
  Result<bool> advance() {
    if (++at_ < buffer_.size()) return true;
    buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kReadSpans, end_ - next_)));
    at_ = 0;
    if (buffer_.empty()) return false;
    KUTRACE_TRY(spill_.read(next_ * sizeof(Span), std::as_writable_bytes(std::span(buffer_))));
    next_ += buffer_.size();
    return true;
  }

 private:
  Spill& spill_;
  std::uint64_t next_;
  std::uint64_t end_;
  std::vector<Span> buffer_;
  std::size_t at_ = 0;
};

void SpanOrder::push(const Span& span) {
  if (error_) return;
  held_.push_back(span);
  if (spill_ != nullptr && held_.size() >= kRunSpans) spill_run();
}

void SpanOrder::spill_run() {
  static_assert(std::is_trivially_copyable_v<Span>);
  std::sort(held_.begin(), held_.end(), earlier);
  const Status appended = spill_->append(std::as_bytes(std::span(held_)));
  if (!appended) {
    error_ = appended.error();
  } else {
    spilled_ += held_.size();
    run_ends_.push_back(spilled_);
  }
  held_.clear();
}

Status SpanOrder::merge(const std::function<void(const Span&)>& visit) {
  spill_run();
  if (error_) return fail(*error_);
  held_ = {};
  const auto later = [](const Run* a, const Run* b) { return earlier(b->head(), a->head()); };
  std::vector<std::unique_ptr<Run>> runs;
  std::priority_queue<Run*, std::vector<Run*>, decltype(later)> heads(later);
  std::uint64_t begin = 0;
  for (const std::uint64_t end : run_ends_) {
    runs.push_back(std::make_unique<Run>(*spill_, begin, end));
    begin = end;
    KUTRACE_ASSIGN(const bool more, runs.back()->advance());
    if (more) heads.push(runs.back().get());
  }
  while (!heads.empty()) {
    Run* run = heads.top();
    heads.pop();
    visit(run->head());
    KUTRACE_ASSIGN(const bool more, run->advance());
    if (more) heads.push(run);
  }
  return {};
}

Status SpanOrder::for_each(const std::function<void(const Span&)>& visit) {
  if (error_) return fail(*error_);
  if (!run_ends_.empty()) return merge(visit);
  std::sort(held_.begin(), held_.end(), earlier);
  for (const Span& span : held_) visit(span);
  return {};
}

}  // namespace kutrace::emit
