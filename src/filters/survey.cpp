// SPDX-License-Identifier: BSD-3-Clause
// Looking for marks, names and CPUs.
#include "filters/survey.h"

#include <fnmatch.h>

#include <algorithm>

#include "format/event_table.h"
#include "model/mark_label.h"

namespace kutrace::filters {

Survey::Survey(SurveyQuestions questions, const NameTable& names)
    : questions_(std::move(questions)), end_label_(end_of_label(questions_.label)), names_(names) {}

void Survey::push(const Span& span) {
  if (span.kind == SpanKind::kMark && !questions_.label.empty()) mark(span);
  if (is_user(span.kind) || span.kind == SpanKind::kRename) {
    had_name(span.pid, span.thread, span.name);
  }
  saw_any_ = saw_any_ || questions_.pids.contains(span.pid);
  if (questions_.cpus && is_execution(span.kind) && span.pid > 0 &&
      questions_.cpus->contains(span.cpu)) {
    ran_on_cpus_.insert(span.pid);
  }
}

void Survey::life(const ThreadLife& life) { had_name(life.pid, life.thread, life.name); }

void Survey::had_name(Pid pid, ThreadId thread, NameId name) {
  if (questions_.thread_names.empty()) return;
  const std::uint32_t row = threads_.index(pid, thread);
  if (row >= named_.size()) named_.resize(row + std::size_t{1});
  if (matches(name)) named_[row] = true;
}

void Survey::mark(const Span& span) {
  const std::string label = mark_label(span, names_);
  if (label == questions_.label) {
    marks_.push_back({span.start, true});
  } else if (label == end_label_) {
    marks_.push_back({span.start, false});
  }
}

std::vector<Survey::Mark> Survey::sorted() const {
  std::vector<Mark> marks = marks_;
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.time < b.time; });
  return marks;
}

std::vector<TimeWindow> Survey::labelled(Ns end) const {
  std::vector<TimeWindow> windows;
  bool open = false;
  for (const Mark& mark : sorted()) {
    if (mark.opens && !open) windows.push_back({mark.time, end});
    if (!mark.opens && open) windows.back().end = mark.time;
    open = mark.opens;
  }
  return windows;
}

std::vector<TimeWindow> Survey::around(Ns margin) const {
  std::vector<TimeWindow> windows;
  for (const Mark& mark : marks_) {
    if (mark.opens) windows.push_back({mark.time - margin, mark.time + margin});
  }
  return windows;
}

bool Survey::matches(NameId name) {
  if (name >= matches_.size()) matches_.resize(std::max<std::size_t>(name + 1, names_.size()));
  if (matches_[name] == 0) {
    const auto fits = [&](const std::string& pattern) {
      return fnmatch(pattern.c_str(), names_.text(name).c_str(), 0) == 0;
    };
    const auto& patterns = questions_.thread_names;
    matches_[name] = std::any_of(patterns.begin(), patterns.end(), fits) ? 1 : -1;
  }
  return matches_[name] == 1;
}

std::unordered_set<Pid> Survey::named(const TraceInfo& info) {
  for (const auto& [pid, thread] : info.threads) had_name(pid, ThreadId::kNone, thread.name);
  std::unordered_set<Pid> pids;
  for (std::uint32_t row = 0; row < named_.size(); ++row) {
    if (named_[row]) pids.insert(threads_.at(row).pid);
  }
  return pids;
}

std::unordered_set<ThreadId> Survey::never_named(const std::unordered_set<Pid>& pids) const {
  std::unordered_set<ThreadId> others;
  for (std::uint32_t row = 0; row < named_.size(); ++row) {
    const ThreadRows::Row& thread = threads_.at(row);
    if (!named_[row] && thread.thread != ThreadId::kNone && pids.contains(thread.pid)) {
      others.insert(thread.thread);
    }
  }
  return others;
}

bool Survey::has_any(const TraceInfo& info) const {
  return saw_any_ || std::ranges::any_of(info.threads, [this](const auto& thread) {
           return questions_.pids.contains(thread.first) ||
                  questions_.pids.contains(thread.second.process);
         });
}

}  // namespace kutrace::filters
