// SPDX-License-Identifier: BSD-3-Clause
// Looking for marks, names and CPUs.
#include "filters/survey.h"

#include <algorithm>
#include <functional>

#include "base/shell_pattern.h"
#include "base/text.h"
#include "filters/families.h"
#include "format/container_name.h"
#include "format/event_table.h"
#include "model/cgroups.h"
#include "model/mark_label.h"
#include "model/processes.h"
#include "model/table_lives.h"

namespace kutrace::filters {

namespace {

// As the names of a trace are.
std::vector<std::string> all_printable(std::vector<std::string> patterns) {
  for (std::string& pattern : patterns) pattern = printable(pattern);
  return patterns;
}

}  // namespace

Survey::Survey(SurveyQuestions questions, const NameTable& names)
    : questions_(std::move(questions)),
      end_label_(end_of_label(questions_.label)),
      names_(names),
      is_asked_name_(names, [patterns = all_printable(questions_.thread_names)](
                                const std::string& name) { return fits_any(patterns, name); }) {}

void Survey::push(const Span& span) {
  if (span.kind == SpanKind::kMark && !questions_.label.empty()) mark(span);
  if (is_user(span.kind) || span.kind == SpanKind::kRename) {
    had_name(span.pid, span.thread, span.name);
  }
  saw_any_ = saw_any_ || questions_.pids.contains(span.pid);
  if (questions_.cpus && is_execution(span.kind) && span.pid > 0 &&
      questions_.cpus->contains(span.cpu)) {
    ran_on_cpus_.add(span.pid, span.thread);
  }
}

void Survey::life(const ThreadLife& life) {
  had_name(life.pid, life.thread, life.name);
  if (asks_for_threads()) lives_.push_back(life);
}

void Survey::had_name(Pid pid, ThreadId thread, NameId name) {
  if (questions_.thread_names.empty()) return;
  const std::uint32_t row = threads_.index(pid, thread);
  if (row >= named_.size()) named_.resize(row + std::size_t{1});
  if (is_asked_name_.of(name)) named_[row] = true;
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

void Survey::end(TraceInfo& info) {
  facts_ = info.facts;
  if (!asks_for_threads() || !lives_.empty()) return;
  lives_ = lives_of(info);
  for (const ThreadLife& life : lives_) had_name(life.pid, life.thread, life.name);
}

bool Survey::has_named() const { return std::ranges::find(named_, true) != named_.end(); }

ChosenThreads Survey::chosen(bool children, const GroupPieces* pieces) {
  // Names are looked at only where one is asked for.
  const auto named = [this](const ThreadLife& life) {
    return !named_.empty() && named_[threads_.index(life.pid, life.thread)];
  };
  std::function<bool(const std::string&)> in_cgroup;
  if (!questions_.cgroups.empty()) {
    in_cgroup = [this](const std::string& path) { return fits_cgroup(questions_.cgroups, path); };
  }
  return family_of(lives_, {questions_.pids, named, children, in_cgroup, facts_, pieces});
}

std::set<std::string> Survey::groups_of_moved() const {
  const Processes processes = processes_of(lives_);
  const bool are_of_table = std::ranges::any_of(
      lives_, [](const ThreadLife& life) { return life.thread == ThreadId::kNone; });
  const Cgroups cgroups(processes, facts_,
                        are_of_table ? Cgroups::Times::kNotTold : Cgroups::Times::kTold);
  const auto was_asked_for = [this](const std::string& path) {
    return fits_cgroup(questions_.cgroups, path);
  };
  std::set<std::string> groups;
  for (const Process& process : processes.all())
    if (std::ranges::any_of(cgroups.earlier(process.id), was_asked_for) ||
        was_asked_for(cgroups.at_begin(process.id)) ||
        std::ranges::any_of(cgroups.moves(process.id), was_asked_for, &CgroupMove::path))
      groups.insert(cgroups.of(process.id));
  return groups;
}

bool Survey::has_any() const {
  return saw_any_ || std::ranges::any_of(lives_, [this](const ThreadLife& life) {
           return questions_.pids.contains(life.pid) || questions_.pids.contains(life.process);
         });
}

bool Survey::knows_parents() const {
  return std::ranges::any_of(lives_, [](const ThreadLife& life) { return life.parent > 0; });
}

}  // namespace kutrace::filters
