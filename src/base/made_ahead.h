// SPDX-License-Identifier: BSD-3-Clause
// Pieces that a thread makes ahead of whoever takes them, in order. In: what fills an empty piece;
// out: the pieces. Few are ready at a time, so that memory stays flat.
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

// `Piece` is empty at first and after clear().
template <typename Piece>
class MadeAhead {
 public:
  // `make` fills a piece that is empty; false: there was nothing left to fill it with. At most
  // `most_ready`, at least 2, wait to be taken. The thread starts at once.
  MadeAhead(std::function<bool(Piece&)> make, std::size_t most_ready)
      : make_(std::move(make)), most_ready_(most_ready), thread_([this] { run(); }) {}
  ~MadeAhead() {
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
    }
    room_.notify_one();
    thread_.join();
  }
  MadeAhead(const MadeAhead&) = delete;
  MadeAhead& operator=(const MadeAhead&) = delete;

  // Waits for the next piece and puts it in the place of one that is done with, whose room is used
  // again. False at the end; what `make` threw is thrown here, behind all pieces before it.
  bool take(Piece& piece) {
    piece.clear();
    std::unique_lock lock(mutex_);
    used_.push_back(std::move(piece));
    ready_changed_.wait(lock, [this] { return ended_ || !ready_.empty(); });
    if (ready_.empty()) {
      if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
      return false;
    }
    piece = std::move(ready_.front());
    ready_.pop_front();
    if (ready_.size() == most_ready_ / 2) room_.notify_one();
    return true;
  }

 private:
  void run() {
    bool more = true;
    while (more) {
      Piece piece;
      {
        std::unique_lock lock(mutex_);
        // One that had to wait goes on when half of them are taken: it is woken less often.
        if (ready_.size() >= most_ready_) {
          room_.wait(lock, [this] { return stopped_ || ready_.size() <= most_ready_ / 2; });
        }
        if (stopped_) return;
        if (!used_.empty()) {
          piece = std::move(used_.back());
          used_.pop_back();
        }
      }
      std::exception_ptr thrown;
      try {
        more = make_(piece);
      } catch (...) {  // too little memory: whoever takes the pieces tells
        thrown = std::current_exception();
        more = false;
      }
      const std::scoped_lock lock(mutex_);
      if (more) ready_.push_back(std::move(piece));
      thrown_ = thrown;
      ended_ = !more;
      ready_changed_.notify_one();
    }
  }

  const std::function<bool(Piece&)> make_;
  const std::size_t most_ready_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable ready_changed_;
  std::deque<Piece> ready_;
  std::vector<Piece> used_;
  bool ended_ = false;
  bool stopped_ = false;
  std::exception_ptr thrown_;
  std::thread thread_;
};

}  // namespace kutrace
