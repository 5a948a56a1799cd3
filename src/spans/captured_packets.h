// SPDX-License-Identifier: BSD-3-Clause
// Packets that were captured and not recorded. In: records in order of time, and how far the stream
// of events has come (ns); out: a point for each of them, on no CPU and of no thread, in its place.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "base/units.h"
#include "format/packet_text.h"
#include "format/trace_clock.h"
#include "model/names.h"
#include "model/span_sink.h"

namespace kutrace::spans {

class CapturedPackets {
 public:
  static constexpr Ns kNone = std::numeric_limits<Ns>::max();

  // The records must outlive this object. Those before `begin` are left out.
  CapturedPackets(const std::vector<PacketRecord>& packets, const TraceClock& clock, Ns begin,
                  NameTable& names, SpanSink& sink);

  // When the next one was captured; kNone after the last.
  Ns next() const { return next_; }
  // Those at this time, too.
  void until(Ns time);

 private:
  void find_next();

  const std::vector<PacketRecord>& packets_;
  const TraceClock clock_;
  NameTable& names_;
  SpanSink& sink_;
  std::size_t at_ = 0;
  Ns next_ = kNone;
};

}  // namespace kutrace::spans
