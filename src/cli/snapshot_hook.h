// SPDX-License-Identifier: BSD-3-Clause
// What is run on each snapshot: a command that gets the path of the file as its argument, and what
// `kutrace why` answers about it, as JSON, on its standard input. In: snapshots and the questions
// that fit them; out: processes, one pair at a time, which nobody waits for.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace kutrace::cli {

class SnapshotHook {
 public:
  // Empty: nothing is run.
  explicit SnapshotHook(std::string command) : command_(std::move(command)) {}

  // `question`: options of `kutrace why`; none: what is odd.
  void add(const std::string& path, std::vector<std::string> question);
  // Starts what is due, and notices what has ended.
  void poll();
  // Snapshots on which it still runs, or is to be run.
  std::vector<std::string> paths() const;
  // All that was added is run to its end, unless another signal comes that asks for the end: then
  // what runs is asked to end, too, and is not waited for for long.
  void finish();

 private:
  struct Order {
    std::string path;
    std::vector<std::string> question;
  };

  void start(const Order& order);
  void ended(int status);
  void give_up();

  std::string command_;
  std::deque<Order> orders_;
  std::string running_;
  pid_t asks_ = 0;  // the one that asks why
  pid_t runs_ = 0;  // the command
};

}  // namespace kutrace::cli
