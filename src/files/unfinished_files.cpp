// SPDX-License-Identifier: BSD-3-Clause
// A fixed table, because a signal handler may neither allocate nor wait.
#include "files/unfinished_files.h"

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
  int folder = -1;
  std::array<char, NAME_MAX + 1> name{};
};

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
    if (unlinkat(slot.folder, slot.name.data(), 0) != 0)
      remove_flat_folder(slot.folder, slot.name.data());
  }
}

}  // namespace kutrace::files
