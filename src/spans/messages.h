// SPDX-License-Identifier: BSD-3-Clause
// RPCs, their messages on the link and their queues: points of user programs and packet hashes
// enter, message and queue spans leave.
//
// A message is seen twice: its hash in the kernel (packet) and in the program (user). The program's
// next RPC point says whose message it was and how long. Its time on the wire is its length at the
// link's speed: it ends where the kernel received it, or starts where the kernel sent it.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/units.h"
#include "model/rpc_names.h"
#include "model/span_sink.h"
#include "spans/name_book.h"

namespace kutrace::spans {

class Messages {
 public:
  Messages(NameBook& names, SpanSink& sink) : names_(names), sink_(sink) {}

  void link_speed(std::uint32_t mbit_per_s);
  // RX_PACKET, TX_PACKET, RX_USER or TX_USER with its hash.
  void packet(Ns now, Pid pid, EventNum point, std::uint32_t hash);
  // RPC_REQUEST, RPC_RESPONSE or RPC_MIDDLE; `before` is the RPC that the thread was working on.
  void rpc(EventNum point, Ns now, Pid pid, std::uint32_t before, std::uint32_t arg);
  // ENQUEUE or DEQUEUE; takes effect at the thread's next RPC point or switch.
  void queue(Pid pid, EventNum point, std::uint32_t queue);
  // What programs work on is not known from here on.
  void forget() {
    incoming_.clear();
    outgoing_.clear();
    queued_.clear();
    pending_.clear();
  }
  void switched_away(Ns now, Pid pid, std::uint32_t rpc);

 private:
  struct Sent {
    Pid pid = 0;
    std::uint32_t rpc = 0;  // argument
  };
  struct Queued {
    Ns time = 0;
    std::uint32_t queue = 0;
  };
  struct Pending {  // what a thread's queue points announced
    bool enqueue = false;
    bool dequeue = false;
    std::uint32_t queue = 0;
  };

  void message(EventNum point, Ns kernel_time, Pid pid, std::uint32_t rpc_arg);
  void settle_queue(Ns now, Pid pid, std::uint32_t before, std::uint32_t after);

  NameBook& names_;
  SpanSink& sink_;
  std::uint32_t mbit_per_s_ = 1000;                 // until the trace says otherwise
  std::unordered_map<std::uint32_t, Ns> received_;  // hash -> kernel time
  std::unordered_map<Pid, Ns> incoming_;  // kernel time; read by the thread, RPC not known
  std::unordered_map<Pid, std::uint32_t> outgoing_;   // RPC argument, hash not known
  std::unordered_map<std::uint32_t, Sent> sent_;      // by hash
  std::unordered_map<std::uint32_t, Queued> queued_;  // RPC -> since when
  std::unordered_map<Pid, Pending> pending_;
};

}  // namespace kutrace::spans
