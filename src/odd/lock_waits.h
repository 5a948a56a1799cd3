// SPDX-License-Identifier: BSD-3-Clause
// Waits for locks of programs, told from other waits in futex. In: calls and waits of threads; out:
// each wait for a lock, with who held it. A lock is what a thread that waited in futex for it later
// releases by a call of futex on the same address, which a thread that waits for work does not.
// Where threads take work and give work through one address, as a queue's condition variable or a
// barrier is, both happen in turn; but who got it then does other things and waits for it again,
// which the owner of a lock never does.
//
// A holder that waits for another lock is no cause: who has that one is. Nor is one that waits for
// events or messages: a thread that then wakes others to do the work looks like a holder, and is
// none.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/by_name.h"
#include "odd/detector.h"
#include "odd/scene.h"

namespace kutrace::odd {

struct LockWait {
  std::uint64_t lock = 0;  // its address, as far as it is recorded
  Row row = kNoRow;
  Pid pid = kNoPid;     // the waiting thread's number then
  Row holder = kNoRow;  // who released it
  Ns begin = 0;
  Ns end = 0;
  // The lock was handed on: its holder had itself waited for it meanwhile.
  bool in_turn = false;
  // What the thread had done when it got it.
  std::uint64_t calls = 0;
  Ns executed = 0;
  // What the holder did since it had the lock: blocked, ready; the longest of each.
  Ns blocked = 0;
  Ns ready = 0;
  Wait longest_blocked{};
  Wait longest_ready{};

  Ns duration() const { return end - begin; }
};

// What threads did with an address that they waited for.
struct LockUse {
  std::uint64_t waits = 0;
  std::uint64_t waited_as_owner = 0;  // again, and had not released it since
};

// Words after `kutrace` that explain the wait.
std::string why_at_end(const LockWait& wait);

class LockWaits : public Observer {
 public:
  using Found = std::function<void(const LockWait&)>;

  LockWaits(const Scene& scene, const NameTable& names, Found found)
      : scene_(scene), kind_of_(names, kind_of), found_(std::move(found)) {}

  // After the end: whether what that thread waited for at that address was a lock.
  bool is_lock(Row row, std::uint64_t lock) const;

  void blocked(const BlockedWait& wait) override;
  void call(const ReturnedCall& call) override;

 private:
  static constexpr std::size_t kMostHeld = 4;

  struct Thread {
    BlockedWait last;                        // in futex
    std::array<LockWait, kMostHeld> held{};  // it waited for them, and has not released them
    std::size_t next = 0;
    std::uint64_t last_lock = 0;  // the last that it got by waiting, and when
    Ns got = -1;
    std::uint64_t calls = 0;  // that it made, but for those in futex that failed
    std::unordered_map<std::uint64_t, LockUse> uses;  // by address
  };

  enum class In : std::uint8_t { kFutex, kEvents, kOther };

  static In kind_of(std::string_view call);
  Thread& thread_at(Row row);
  void acquired(const ReturnedCall& call);
  void released(const ReturnedCall& call);
  bool owns(Row row, const LockWait& held) const;
  void look_at_holder(LockWait& wait, Ns since);

  const Scene& scene_;
  ByName<In> kind_of_;
  Found found_;
  std::vector<Thread> threads_;  // by row
};

}  // namespace kutrace::odd
