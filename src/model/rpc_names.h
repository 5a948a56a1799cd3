// SPDX-License-Identifier: BSD-3-Clause
// Which spans say what a request is called: "method.ID". In: a span; out: whether, and the ID. In:
// what it is called; out: the method.
#pragma once

#include <cstdint>
#include <string>

#include "format/event_table.h"
#include "model/span.h"

namespace kutrace {

// Low 16 bits of an RPC point's argument name the RPC; above them stands its length.
constexpr std::uint32_t rpc_id(std::uint64_t arg) {
  return static_cast<std::uint32_t>(arg & 0xffff);
}

inline bool names_rpc(const Span& span) {
  return span.kind == SpanKind::kMessage ||
         (span.event >= ev::kRPC_REQUEST && span.event <= ev::kRPC_MIDDLE);
}

inline std::uint32_t rpc_of_name(const Span& span) {
  return span.kind == SpanKind::kMessage ? span.rpc : rpc_id(span.arg);
}

inline std::string method_of(const std::string& name) { return name.substr(0, name.rfind('.')); }

}  // namespace kutrace
