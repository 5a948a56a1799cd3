// SPDX-License-Identifier: BSD-3-Clause
// Order and text of upstream's span JSON.
#include "emit/span_json/span_json.h"

#include <algorithm>
#include <tuple>

#include "emit/span_json/span_json_header.h"
#include "emit/span_json/span_json_record.h"

namespace kutrace::emit {

namespace {

constexpr Ns kLastOfUpstream = 999'000'000'000;
constexpr std::size_t kFlushAt = std::size_t{1} << 16;

// Lines of one start time, which upstream has in byte order.
class Group {
 public:
  explicit Group(const SpanJson::Output& output) : output_(output) {}
  void add(std::int64_t steps, std::string line) {
    if (steps != steps_) flush();
    steps_ = steps;
    lines_.push_back(std::move(line));
  }
  void finish() {
    flush();
    output_(text_);
  }

 private:
  void flush() {
    if (lines_.size() > 1) std::sort(lines_.begin(), lines_.end());
    for (const std::string& line : lines_) {
      text_ += line;
      text_ += '\n';
    }
    lines_.clear();
    if (text_.size() < kFlushAt) return;
    output_(text_);
    text_.clear();
  }

  const SpanJson::Output& output_;
  std::int64_t steps_ = 0;
  std::vector<std::string> lines_;
  std::string text_;
};

}  // namespace

void SpanJson::push(const Span& span) {
  const bool runs = is_user(span.kind);
  if (runs || span.kind == SpanKind::kRename) note_name(span);
  if (span.kind == SpanKind::kRename) return;
  ContentHash hash;
  hash.add(static_cast<std::uint64_t>(span.start));
  hash.add(static_cast<std::uint64_t>(span.duration));
  hash.add(std::uint64_t{span.cpu} << 32 | span.event);
  hash.add(static_cast<std::uint64_t>(span.pid) << 32 | span.arg);
  spans_hash_ += hash.value();
  if (span.name >= names_used_.size()) names_used_.resize(span.name + std::size_t{1});
  names_used_[span.name] = true;
  spans_.push(span);
}

void SpanJson::note_name(const Span& span) {
  std::vector<FirstUse>& known = thread_names_[span.pid];
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const FirstUse& use) { return use.name == span.name; });
  if (found == known.end()) {
    known.push_back({span.name, span.start});
  } else {
    found->time = std::min(found->time, span.start);
  }
}

// The same for the same spans, names and facts, in whatever order they came.
std::uint32_t SpanJson::content_id(const TraceInfo& info, const NameTable& names,
                                   std::string_view title) const {
  ContentHash hash;
  hash.add(title);
  hash.add(info.host_name);
  hash.add(info.wall_usec);
  hash.add(spans_hash_);
  std::uint64_t names_hash = 0;
  for (NameId id = 0; id < names_used_.size(); ++id) {
    if (!names_used_[id]) continue;
    ContentHash name;
    name.add(names.text(id));
    names_hash += name.value();
  }
  hash.add(names_hash);
  return hash.folded();
}

Status SpanJson::write_events(const TraceInfo& info, const NameTable& names, Ns offset,
                              const Output& output) {
  Group group(output);
  for (auto& [pid, known] : thread_names_) {
    if (known.size() < 2) continue;
    std::sort(known.begin(), known.end(), [&](const FirstUse& a, const FirstUse& b) {
      return std::tie(a.time, names.text(a.name)) < std::tie(b.time, names.text(b.name));
    });
    std::string row = names.text(known.front().name);
    for (std::size_t i = 1; i < known.size(); ++i) row += "+" + names.text(known[i].name);
    std::string line;
    append_row_name_record(info.begin + offset, pid, row, line);
    group.add(json_steps(info.begin + offset), std::move(line));
  }
  // Spans of one start need no order among them: their lines are sorted when they are written.
  KUTRACE_TRY(spans_.for_each([&](const Span& span) {
    std::string line;
    append_span_record(span, offset, names, line);
    group.add(json_steps(span.start + offset), std::move(line));
  }));
  group.finish();
  return {};
}

Result<SpanJsonSummary> SpanJson::write(const TraceInfo& info, const NameTable& names,
                                        const std::string& title, const Output& output) {
  SpanJsonHead head;
  head.title = title;
  head.base = json_time_base(info);
  head.random_id = content_id(info, names, title);
  head.unsorted = info.end + head.base.offset >= kLastOfUpstream;
  output(span_json_head(head, info));
  const std::uint64_t records = spans_.size();
  KUTRACE_TRY(write_events(info, names, head.base.offset, output));
  output(span_json_tail(info));
  return SpanJsonSummary{records, head.unsorted};
}

}  // namespace kutrace::emit
