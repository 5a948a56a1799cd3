// SPDX-License-Identifier: BSD-3-Clause
// ExportTraceServiceRequest of opentelemetry/proto/collector/trace/v1, as JSON.
#include "emit/otlp/otlp.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>

#include "base/content_hash.h"
#include "base/text.h"
#include "format/event_table.h"
#include "model/mark_label.h"
#include "model/rpc_names.h"

namespace kutrace::emit {

namespace {

constexpr int kServer = 2;    // SPAN_KIND_SERVER
constexpr int kInternal = 1;  // SPAN_KIND_INTERNAL

std::uint64_t hash(std::uint64_t seed, std::string_view text) {
  ContentHash hash(seed);
  hash.add_bytes(text);
  return hash.value();
}

}  // namespace

void OtlpSink::begin(const TraceInfo& known) {
  wall_ns_ = static_cast<std::int64_t>(known.wall_usec) * 1000;
  seed_ = hash(known.wall_usec, known.host_name);
  uname_ = known.facts.get(fact::kUname).value_or("");
  take_(R"({"resourceSpans":[{"scopeSpans":[{"scope":{"name":"kutrace"},"spans":[)");
}

void OtlpSink::push(const Span& span) {
  const NameId name = threads_.name_at(span);
  if (span.kind != SpanKind::kMark && span.kind != SpanKind::kPoint) return;
  thread_names_[span.pid] = name;
  if (span.kind == SpanKind::kMark) {
    mark(span);
  } else if (names_rpc(span)) {
    rpc(span);
  }
}

OtlpSink::Open OtlpSink::opened(const Span& span, std::string name) {
  Open open;
  open.pid = span.pid;
  open.name = std::move(name);
  open.start = span.start;
  // Numbers may not be 0.
  open.id = hash(seed_, fmt::format("{}", ++opened_)) | 1;
  open.trace = {seed_ | 1, open.id};
  const auto outer = std::find_if(open_.rbegin(), open_.rend(),
                                  [&](const Open& other) { return other.pid == span.pid; });
  if (outer != open_.rend()) {
    open.parent = outer->id;
    open.trace = outer->trace;
  }
  return open;
}

void OtlpSink::rpc(const Span& span) {
  const std::uint32_t id = rpc_id(span.arg);
  if (id == 0) return;
  if (span.event == ev::kRPC_REQUEST) {
    Open open = opened(span, names_.text(span.name));
    open.rpc = id;
    open_.push_back(std::move(open));
    return;
  }
  if (span.event != ev::kRPC_RESPONSE) return;
  const auto same = [&](const Open& open) { return open.rpc == id; };
  auto answered = std::find_if(open_.begin(), open_.end(), [&](const Open& open) {
    return same(open) && open.pid == span.pid;
  });
  if (answered == open_.end()) {
    const auto last = std::find_if(open_.rbegin(), open_.rend(), same);
    if (last == open_.rend()) return;
    answered = std::prev(last.base());
  }
  write(*answered, span.start, true);
  open_.erase(answered);
}

void OtlpSink::mark(const Span& span) {
  std::string label = mark_label(span, names_);
  if (const auto context = trace_context(label)) return belongs(span.pid, *context);
  const auto ended = std::find_if(open_.rbegin(), open_.rend(), [&](const Open& open) {
    return open.pid == span.pid && !open.ended_by.empty() && open.ended_by == label;
  });
  if (ended != open_.rend()) {
    write(*ended, span.start, true);
    open_.erase(std::prev(ended.base()));
    return;
  }
  if (label.starts_with('/')) return;  // ends what was not seen
  std::string end = end_of_label(label);
  // A label again ends nothing, and what it began before will have no end.
  std::erase_if(open_, [&](const Open& open) {
    const bool is_same = open.pid == span.pid && open.ended_by == end;
    if (is_same && is_parent(open)) write(open, span.start, false);
    return is_same;
  });
  Open open = opened(span, std::move(label));
  open.ended_by = std::move(end);
  open_.push_back(std::move(open));
}

void OtlpSink::belongs(Pid pid, const TraceContext& context) {
  const auto inner = std::find_if(open_.rbegin(), open_.rend(),
                                  [pid](const Open& open) { return open.pid == pid; });
  if (inner == open_.rend()) return;
  inner->trace = context.trace;
  inner->parent = context.span;
}

// Of a span that was written, or may be.
bool OtlpSink::is_parent(const Open& open) const {
  return open.has_child ||
         std::ranges::any_of(open_, [&](const Open& other) { return other.parent == open.id; });
}

void OtlpSink::write(const Open& open, Ns end, bool is_finished) {
  std::string text = first_ ? "\n" : ",\n";
  first_ = false;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, R"({{"traceId":"{:016x}{:016x}","spanId":"{:016x}",)", open.trace.high,
                 open.trace.low, open.id);
  if (open.parent != 0) fmt::format_to(out, R"("parentSpanId":"{:016x}",)", open.parent);
  const auto parent = std::ranges::find(open_, open.parent, &Open::id);
  if (parent != open_.end()) parent->has_child = true;
  fmt::format_to(out,
                 "\"name\":\"{}\",\"kind\":{},\"startTimeUnixNano\":\"{}\","
                 "\"endTimeUnixNano\":\"{}\",\"attributes\":[",
                 json_printable(open.name), open.rpc != 0 ? kServer : kInternal,
                 wall_ns_ + open.start, wall_ns_ + end);
  fmt::format_to(out,
                 "{{\"key\":\"thread.id\",\"value\":{{\"intValue\":\"{}\"}}}},"
                 "{{\"key\":\"thread.name\",\"value\":{{\"stringValue\":\"{}\"}}}}",
                 open.pid, json_printable(names_.text(thread_names_[open.pid])));
  if (open.rpc != 0)
    fmt::format_to(out, R"(,{{"key":"kutrace.rpc","value":{{"intValue":"{}"}}}})", open.rpc);
  if (!is_finished) text += R"(,{"key":"kutrace.unfinished","value":{"boolValue":true}})";
  text += "]}";
  take_(text);
}

// What the machine is called is known at the end.
Status OtlpSink::finish(const TraceInfo& info) {
  // The inner ones first: they are children themselves.
  for (const Open& open : std::views::reverse(open_))
    if (open.has_child) write(open, info.end, false);
  take_(
      fmt::format("\n]}}],\"resource\":{{\"attributes\":["
                  "{{\"key\":\"service.name\",\"value\":{{\"stringValue\":\"kutrace\"}}}},"
                  "{{\"key\":\"host.name\",\"value\":{{\"stringValue\":\"{}\"}}}},"
                  "{{\"key\":\"os.description\",\"value\":{{\"stringValue\":\"{}\"}}}}]}}}}]}}\n",
                  json_printable(info.host_name), json_printable(uname_)));
  return {};
}

}  // namespace kutrace::emit
