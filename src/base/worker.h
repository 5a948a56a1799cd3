// SPDX-License-Identifier: BSD-3-Clause
// A thread that does pieces of work in the order in which it is given them. In: pieces; out: empty
// pieces, with their memory, to be filled again. Few pieces wait at a time, so memory stays flat.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace kutrace {

// `Work` is empty at first and after clear().
template <typename Work>
class Worker {
 public:
  // At most `most_waiting` pieces, at least 1, wait to be begun. The thread starts with the first.
  Worker(std::function<void(Work&)> work, std::size_t most_waiting)
      : work_(std::move(work)), most_waiting_(most_waiting) {}
  ~Worker() { end(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Waits as long as too many pieces wait. Returns an empty piece, most often one that was done.
  Work add(Work work) {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.size() < most_waiting_; });
    waiting_.push_back(std::move(work));
    changed_.notify_all();
    if (empty_.empty()) return {};
    Work next = std::move(empty_.back());
    empty_.pop_back();
    return next;
  }
  // Waits until all is done. If a piece threw, that is thrown here. Nothing may be added after it.
  void finish() {
    end();
    empty_.clear();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  void run() {
    for (;;) {
      Work work;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        work = std::move(waiting_.front());
        waiting_.pop_front();
        changed_.notify_all();
      }
      try {
        if (!thrown_) work_(work);
        work.clear();
        const std::scoped_lock lock(mutex_);
        empty_.push_back(std::move(work));
      } catch (...) {  // too little memory: the other thread ends orderly, and tells
        thrown_ = std::current_exception();
      }
    }
  }
  void end() {
    if (!thread_.joinable()) return;
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

  const std::function<void(Work&)> work_;
  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  std::vector<Work> empty_;
  bool ended_ = false;
  std::exception_ptr thrown_;  // the thread's own until it has ended
  std::thread thread_;
};

}  // namespace kutrace
