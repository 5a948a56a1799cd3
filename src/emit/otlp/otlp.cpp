// SPDX-License-Identifier: BSD-3-Clause
// ExportTraceServiceRequest of opentelemetry/proto/collector/trace/v1, as JSON.
#include "emit/otlp/otlp.h"

#include <fmt/format.h>

#include <iterator>
#include <ranges>

#include "base/content_hash.h"
#include "base/text.h"
#include "base/wall_clock.h"
#include "format/event_table.h"
#include "model/mark_label.h"
#include "model/rpc_names.h"

namespace kutrace::emit {

namespace {

constexpr int kServer = 2;    // SPAN_KIND_SERVER
constexpr int kInternal = 1;  // SPAN_KIND_INTERNAL

// Of one label in one thread.
constexpr std::size_t kMostNested = 64;

std::uint64_t hash(std::uint64_t seed, std::string_view text) {
  ContentHash hash(seed);
  hash.add_bytes(text);
  return hash.value();
}

}  // namespace

void OtlpSink::begin(const TraceInfo& known) {
  wall_ns_ = wall_ns(known.wall_usec);
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

OpenSpan OtlpSink::opened(const Span& span, std::string name) {
  OpenSpan open;
  open.number = ++opened_;
  open.pid = span.pid;
  open.name = std::move(name);
  open.start = span.start;
  const OpenSpan* const outer = open_.innermost(span.pid);
  open.parent = outer != nullptr ? outer->id : 0;
  // Another one in each part of a trace. Numbers may not be 0.
  open.id = hash(seed_, fmt::format("{} {} {} {} {}", span.start, span.pid, span.arg, open.parent,
                                    open.name)) |
            1;
  open.trace = outer != nullptr ? outer->trace : TraceNumber{seed_ | 1, open.id};
  return open;
}

void OtlpSink::rpc(const Span& span) {
  const std::uint32_t id = rpc_id(span.arg);
  if (id == 0) return;
  if (span.event == ev::kRPC_REQUEST) {
    OpenSpan open = opened(span, names_.text(span.name));
    open.rpc = id;
    open_.add(std::move(open));
    return;
  }
  if (span.event != ev::kRPC_RESPONSE) return;
  if (const OpenSpan* const answered = open_.request(span.pid, id)) close(*answered, span.start);
}

void OtlpSink::mark(const Span& span) {
  std::string label = mark_label(span, names_);
  if (const auto context = trace_context(label)) return belongs(span.pid, *context);
  if (const OpenSpan* const ended = open_.ended_by(span.pid, label))
    return close(*ended, span.start);
  if (label.starts_with('/')) return;  // ends what was not seen
  std::string end = end_of_label(label);
  // Marks nest. Of too many, the first one will have no end.
  if (const OpenSpan* const first = open_.first_of(span.pid, end, kMostNested)) {
    if (open_.is_parent(*first)) write(*first, span.start, false);
    open_.erase(*first);
  }
  OpenSpan open = opened(span, std::move(label));
  open.ended_by = std::move(end);
  open_.add(std::move(open));
}

void OtlpSink::close(const OpenSpan& open, Ns now) {
  write(open, now, true);
  open_.erase(open);
}

void OtlpSink::belongs(Pid pid, const TraceContext& context) {
  OpenSpan* const inner = open_.innermost(pid);
  if (inner == nullptr) return;
  inner->trace = context.trace;
  open_.set_parent(*inner, context.span);
}

void OtlpSink::write(const OpenSpan& open, Ns end, bool is_finished) {
  std::string text = first_ ? "\n" : ",\n";
  first_ = false;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, R"({{"traceId":"{:016x}{:016x}","spanId":"{:016x}",)", open.trace.high,
                 open.trace.low, open.id);
  if (open.parent != 0) fmt::format_to(out, R"("parentSpanId":"{:016x}",)", open.parent);
  if (OpenSpan* const parent = open_.of_id(open.parent)) parent->has_child = true;
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
  for (const OpenSpan& open : open_.all() | std::views::values | std::views::reverse)
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
