// SPDX-License-Identifier: BSD-3-Clause
// RPCs, their messages on the link and their queues. In: points of user programs and hashes of
// packets, in order of time (ns); out: message and queue spans.
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
#include "spans/recent.h"

namespace kutrace::spans {

class Messages {
 public:
  Messages(NameBook& names, SpanSink& sink) : names_(names), sink_(sink) {}

  // 0 is ignored: the speed is not known.
  void link_speed(std::uint32_t mbit_per_s);
  // `point` is RX_PACKET, TX_PACKET, RX_USER or TX_USER.
  void packet(Ns now, Pid pid, EventNum point, std::uint32_t hash);
  // `point` is RPC_REQUEST, RPC_RESPONSE or RPC_MIDDLE; `before` is the RPC that the thread worked
  // on until now, `arg` holds the new one in its low 16 bits.
  void rpc(EventNum point, Ns now, Pid pid, std::uint32_t before, std::uint32_t arg);
  // `point` is ENQUEUE or DEQUEUE; it takes effect at the thread's next RPC point or switch.
  void queue(Pid pid, EventNum point, std::uint32_t queue);
  // What programs work on is not recorded from here on.
  void forget() {
    incoming_.clear();
    outgoing_.clear();
    queued_.clear();
    pending_.clear();
  }
  // The thread stops running, working on `rpc` (0: on none).
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
  std::uint32_t mbit_per_s_ = 1000;       // until the trace says otherwise
  Recent<Ns> received_;                   // kernel time, by hash
  std::unordered_map<Pid, Ns> incoming_;  // kernel time; read by the thread, RPC not known
  std::unordered_map<Pid, std::uint32_t> outgoing_;   // RPC argument, hash not known
  Recent<Sent> sent_;                                 // by hash
  std::unordered_map<std::uint32_t, Queued> queued_;  // RPC -> since when
  std::unordered_map<Pid, Pending> pending_;
};

}  // namespace kutrace::spans
