// SPDX-License-Identifier: BSD-3-Clause
// A set of devices and inodes.
#include "base/inputs.h"

#include <mutex>
#include <set>
#include <utility>

namespace kutrace {

namespace {

// What a process reads is a fact about the process, so this is one set for all of it.
struct Inputs {
  std::mutex lock;
  std::set<std::pair<dev_t, ino_t>> files;
};

Inputs& inputs() {
  static Inputs all;
  return all;
}

}  // namespace

void note_input(const struct stat& file) {
  const std::lock_guard hold(inputs().lock);
  inputs().files.emplace(file.st_dev, file.st_ino);
}

bool is_input(const struct stat& file) {
  const std::lock_guard hold(inputs().lock);
  return inputs().files.contains({file.st_dev, file.st_ino});
}

}  // namespace kutrace
