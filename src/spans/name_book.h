// SPDX-License-Identifier: BSD-3-Clause
// What a trace calls its system calls, interrupts, traps, locks, queues and RPC methods.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/units.h"
#include "decode/entry.h"
#include "model/names.h"
#include "spans/own_names.h"

namespace kutrace::spans {

class NameBook {
 public:
  explicit NameBook(NameTable& table);

  // Takes a name entry of any kind but PID_NAME and those that this project adds; it holds for all.
  void define(const decode::Entry& entry);
  // The same for an entry that this thread inserted: it names for its own process.
  void define_by(Pid thread, const decode::Entry& entry);
  // Which process a thread belongs to, and which one made that: whose names it uses.
  void belongs(Pid thread, Pid process, Pid parent) { own_.belongs(thread, process, parent); }

  // The process has its parent's memory, until it starts a program.
  void shares(Pid process, Pid parent) { own_.shares(process, parent); }
  void shares_no_more(Pid thread) { own_.shares_no_more(thread); }
  bool any_shares() const { return own_.any_shares(); }

  // Name of a call event; softirqs are told apart by their argument ("BH:timer").
  NameId call(EventNum call, std::uint64_t arg);
  // Name of a point event, without its argument.
  NameId point(EventNum number);
  // Name of a packet that was received or sent; kNoName if its hash was never named.
  NameId packet(EventNum number, std::uint32_t hash);
  // What the thread calls the lock, the queue; "lock.number", "queue.number" if it was never named.
  NameId lock(Pid thread, std::uint32_t lock);
  NameId queue(Pid thread, std::uint32_t queue);
  // The label of a mark that does not fit into the mark itself; "label.number" if it was never
  // told.
  std::string label(Pid thread, std::uint32_t number) const;
  // "function.number" if it was never told.
  NameId function(Pid thread, std::uint32_t number);
  // "method.id", or "rpc.id" if it was never named.
  NameId rpc(Pid thread, std::uint32_t id);

  // Whether the system call starts a thread whose id it returns: clone, clone3, fork, vfork.
  bool makes_thread(EventNum call);
  // Whether it starts another program when it returns 0: execve, execveat.
  bool starts_program(EventNum call_event);
  bool ends_signal(EventNum call_event);       // rt_sigreturn
  bool is_probe_of_user(EventNum call_event);  // by which a probed function enters the kernel
  // Whether it is a thread's last call, which never returns: exit, exit_group.
  bool ends_thread(EventNum call_event);

  NameId idle() const { return idle_; }
  NameId c_exit() const { return c_exit_; }
  NameId loss() const { return loss_; }
  NameId hidden() const { return hidden_; }

 private:
  void define_call(EventNum number, const decode::Entry& entry);
  NameId named(const decode::Entry& entry);

  NameTable& table_;
  NameTable pieces_;  // of labels: bytes, until they are put together
  NameId idle_;
  NameId c_exit_;
  NameId loss_;
  NameId hidden_;
  std::array<NameId, 0x1000> calls_{};
  std::unordered_map<EventNum, NameId> wide_calls_;
  std::array<NameId, 0x400> points_{};
  std::array<NameId, 16> softirqs_{};
  NameId piece_of(Pid thread, std::uint32_t number) const;
  std::unordered_map<std::uint32_t, NameId> locks_;
  std::unordered_map<std::uint32_t, NameId> pieces_of_all_;  // by number
  std::unordered_map<NameId, NameId> functions_;             // by their first piece
  std::unordered_map<std::uint32_t, NameId> queues_;
  std::unordered_map<std::uint32_t, NameId> methods_;
  std::unordered_map<std::uint32_t, NameId> packets_;
  OwnNames own_;
};

}  // namespace kutrace::spans
