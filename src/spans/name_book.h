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

  // `entry` is a name entry of any kind but PID_NAME and this project's own, and speaks for all.
  void define(const decode::Entry& entry);
  // It was inserted by this thread.
  void define_by(Pid thread, const decode::Entry& entry);
  // Whose names are whose.
  void belongs(Pid thread, Pid process, Pid parent) { own_.belongs(thread, process, parent); }

  // Name of a call event; softirqs are told apart by their argument ("BH:timer").
  NameId call(EventNum call, std::uint64_t arg);
  // Name of a point event, without its argument.
  NameId point(EventNum number);
  // Of a packet that was received or sent, by its hash: kNoName if nothing is known of it.
  NameId packet(EventNum number, std::uint32_t hash);
  // As a thread calls them.
  NameId lock(Pid thread, std::uint32_t lock);
  NameId queue(Pid thread, std::uint32_t queue);
  // Of a mark whose label is more than six letters; "label.number" if it was never told.
  std::string label(Pid thread, std::uint32_t number) const;
  // "function.number" if it was never told.
  NameId function(Pid thread, std::uint32_t number);
  // "method.id", or "rpc.id" if it was never named.
  NameId rpc(Pid thread, std::uint32_t id);

  // Whether the system call starts a thread whose id it returns: clone, clone3, fork, vfork.
  bool makes_thread(EventNum call);
  // Whether it starts another program where it returns 0: execve, execveat.
  bool starts_program(EventNum call_event);
  // Whether a thread ends in it: it never returns.
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
