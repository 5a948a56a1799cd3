// SPDX-License-Identifier: BSD-3-Clause
// A fixed table, because a signal handler may neither allocate nor wait.
#include "files/unfinished_files.h"

#include <sys/fsuid.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <utility>

#include "files/flat_folder.h"

namespace kutrace::files {

namespace {

enum class State { kFree, kBeingFilled, kValid };

struct Slot {
  std::atomic<State> state{State::kFree};
  pid_t process = 0;  // a child has a copy of the table, and no business with its parent's files
  uid_t user = 0;     // as whom it is made, and removed
  gid_t group = 0;
  int folder = -1;
  std::array<char, NAME_MAX + 1> name{};
};

// What the kernel takes for a question: it answers who it is now, and changes nothing.
constexpr uid_t kWho = static_cast<uid_t>(-1);

constexpr std::size_t kMost = 16;  // a process writes one or two at a time

std::array<Slot, kMost>& slots() {
  static std::array<Slot, kMost> all;
  return all;
}

}  // namespace

UnfinishedFile::UnfinishedFile(int folder, const std::string& name) {
  for (std::size_t i = 0; i < kMost && slot_ < 0 && name.size() <= NAME_MAX; ++i) {
    Slot& slot = slots()[i];
    State wanted = State::kFree;
    if (!slot.state.compare_exchange_strong(wanted, State::kBeingFilled)) continue;
    slot.process = getpid();
    slot.user = static_cast<uid_t>(setfsuid(kWho));
    slot.group = static_cast<gid_t>(setfsgid(kWho));
    slot.folder = folder;
    slot.name.fill('\0');
    name.copy(slot.name.data(), NAME_MAX);
    slot.state = State::kValid;
    slot_ = static_cast<int>(i);
  }
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : slot_(std::exchange(other.slot_, -1)) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

UnfinishedFile::~UnfinishedFile() {
  if (slot_ >= 0) slots()[static_cast<std::size_t>(slot_)].state = State::kFree;
}

void remove_unfinished_files() {
  for (const Slot& slot : slots()) {
    if (slot.state != State::kValid || slot.process != getpid()) continue;
    const int own_group = setfsgid(slot.group);
    const int own_user = setfsuid(slot.user);
    if (unlinkat(slot.folder, slot.name.data(), 0) != 0)
      remove_flat_folder(slot.folder, slot.name.data());
    setfsuid(static_cast<uid_t>(own_user));
    setfsgid(static_cast<gid_t>(own_group));
  }
}

}  // namespace kutrace::files
