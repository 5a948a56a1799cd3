// SPDX-License-Identifier: BSD-3-Clause
// A span by the page's numbers, as slabs hold it.
#pragma once

#include <cstdint>

#include "format/page_format.h"
#include "model/span.h"

namespace kutrace::emit {

struct SlabSpan {
  Ns start = 0;
  Ns duration = 0;
  KindIndex kind = 0;
  ThreadIndex thread = kNoThread;
  CpuId cpu = kNoCpu;
  CallId call = CallId::kNone;
  std::uint32_t rpc = 0;
  std::uint32_t arg = 0;
  std::uint32_t result = 0;  // see model/page_result.h
  SpanKind what = SpanKind::kUser;
  std::uint8_t ipc = 0;
  bool has_result = false;
  CallPiece piece = CallPiece::kOfOther;

  Ns end() const { return start + duration; }
};
// There are as many as a slab has spans, and three slabs.
static_assert(sizeof(SlabSpan) == 48);

// One that lies over the CPUs' timelines.
struct SlabOverlay : SlabSpan {
  ThreadIndex other = kNoThread;
  std::uint8_t reason = 0;  // of a wait: letter - 'a' + 1; 0: none
  bool elsewhere = false;   // what every view has anyhow has it, and no slab
  std::uint64_t value = 0;
};

// As a column has it: 0 of spans without a result.
template <typename OfSpan>
std::uint64_t result_number(const OfSpan& span) {
  return span.has_result ? std::uint64_t{span.result} + 1 : 0;
}

}  // namespace kutrace::emit
