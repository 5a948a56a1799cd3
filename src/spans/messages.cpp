// SPDX-License-Identifier: BSD-3-Clause
// Correlating RPC points, hashes and queues.
#include "spans/messages.h"

#include <algorithm>
#include <cmath>

#include "format/event_table.h"

namespace kutrace::spans {

namespace {

constexpr std::uint32_t kShortestLgLength = 64;  // 2^6.4 bytes: a packet has headers, too

// RPC points carry 10 * log2(bytes) in bits 31:16.
double bytes_of(std::uint32_t arg) {
  const std::uint32_t lg = std::max(arg >> 16 & 0xff, kShortestLgLength);
  return std::exp2(static_cast<double>(lg) / 10.0);
}

}  // namespace

void Messages::link_speed(std::uint32_t mbit_per_s) {
  if (mbit_per_s != 0) mbit_per_s_ = mbit_per_s;
}

void Messages::message(EventNum point, Ns kernel_time, Pid pid, std::uint32_t rpc_arg) {
  const double bytes = bytes_of(rpc_arg);
  // Bits / (Mbit/s) are microseconds, and 1000 ns each.
  const auto duration = static_cast<Ns>(bytes * 8000.0 / mbit_per_s_);
  Span span;
  // What arrived was on the link before; the part before time 0 is not shown.
  span.start = point == ev::kRX_MESSAGE ? std::max<Ns>(0, kernel_time - duration) : kernel_time;
  span.duration = point == ev::kRX_MESSAGE ? kernel_time - span.start : duration;
  span.cpu = 0;
  span.pid = 0;
  span.rpc = rpc_id(rpc_arg);
  span.event = point;
  span.arg = static_cast<std::uint32_t>(bytes);
  span.name = names_.rpc(pid, rpc_arg);
  span.kind = SpanKind::kMessage;
  sink_.push(span);
}

void Messages::packet(Ns now, Pid pid, EventNum point, std::uint32_t hash) {
  // Every sighting is used once: 32 bits of hash come again.
  switch (point) {
    case ev::kRX_PACKET:
      received_.put(hash, now);
      return;
    case ev::kRX_USER:
      if (const auto time = received_.take(hash)) incoming_[pid] = *time;
      return;
    case ev::kTX_USER:
      if (const auto found = outgoing_.find(pid); found != outgoing_.end()) {
        sent_.put(hash, {pid, found->second});
        outgoing_.erase(found);
      }
      return;
    case ev::kTX_PACKET:
      if (const auto sent = sent_.take(hash)) message(ev::kTX_MESSAGE, now, sent->pid, sent->rpc);
      return;
    default:
      return;
  }
}

void Messages::rpc(EventNum point, Ns now, Pid pid, std::uint32_t before, std::uint32_t arg) {
  settle_queue(now, pid, before, rpc_id(arg));
  if (rpc_id(arg) == 0 || point == ev::kRPC_MIDDLE) return;
  // The point is the end of a message that came, or else the begin of one that goes. KUtrace takes
  // it for both.
  if (const auto found = incoming_.find(pid); found != incoming_.end()) {
    message(ev::kRX_MESSAGE, found->second, pid, arg);
    incoming_.erase(found);
  } else {
    outgoing_[pid] = arg;
  }
}

void Messages::queue(Pid pid, EventNum point, std::uint32_t queue) {
  Pending& pending = pending_[pid];
  pending.queue = queue;
  (point == ev::kENQUEUE ? pending.enqueue : pending.dequeue) = true;
}

void Messages::switched_away(Ns now, Pid pid, std::uint32_t rpc) {
  if (!pending_.empty()) settle_queue(now, pid, rpc, rpc);
}

// What the thread worked on before the point is what it put into the queue; what it works on
// afterwards is what it took out.
void Messages::settle_queue(Ns now, Pid pid, std::uint32_t before, std::uint32_t after) {
  const auto found = pending_.find(pid);
  if (found == pending_.end()) return;
  const Pending pending = found->second;
  pending_.erase(found);
  if (pending.enqueue && before != 0) queued_[before] = {now, pending.queue};
  if (!pending.dequeue) return;
  const auto queued = queued_.find(after);
  if (queued == queued_.end()) return;
  Span span;
  span.start = queued->second.time;
  span.duration = now - queued->second.time;
  span.rpc = after;
  span.event = ev::kENQUEUE;
  span.arg = queued->second.queue;
  span.name = names_.queue(pid, queued->second.queue);
  span.kind = SpanKind::kQueued;
  sink_.push(span);
  queued_.erase(queued);
}

}  // namespace kutrace::spans
