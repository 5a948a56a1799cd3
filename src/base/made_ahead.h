// SPDX-License-Identifier: BSD-3-Clause
// Pieces that a thread makes ahead of their consumer, in order. In: what fills an empty piece;
// out: the pieces. Few are ready at a time, so that memory stays flat.
#pragma once

#include <condition_variable>
#include <cstddef>
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
      : make_(std::move(make)), ready_(most_ready) {
    used_.reserve(most_ready + 2);  // those that are ready, one being made, one being used
    thread_ = std::thread([this] { run(); });
  }
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
    ready_changed_.wait(lock, [this] { return ended_ || count_ != 0; });
    if (count_ == 0) {
      if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
      return false;
    }
    piece = std::move(ready_[first_]);
    first_ = (first_ + 1) % ready_.size();
    --count_;
    if (count_ == ready_.size() / 2) room_.notify_one();
    return true;
  }

 private:
  // Allocates nothing but what `make` does: where there is too little memory, the thread has nobody
  // to tell but whoever takes the pieces.
  void run() {
    bool more = true;
    while (more) {
      Piece piece;
      {
        std::unique_lock lock(mutex_);
        // One that had to wait goes on when half of them are taken: it is woken less often.
        if (count_ == ready_.size()) {
          room_.wait(lock, [this] { return stopped_ || count_ <= ready_.size() / 2; });
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
      } catch (...) {
        thrown = std::current_exception();
        more = false;
      }
      const std::scoped_lock lock(mutex_);
      if (more) ready_[(first_ + count_++) % ready_.size()] = std::move(piece);
      thrown_ = thrown;
      ended_ = !more;
      ready_changed_.notify_one();
    }
  }

  const std::function<bool(Piece&)> make_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable ready_changed_;
  std::vector<Piece> ready_;  // count_ of them, from first_ on, round and round
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::vector<Piece> used_;
  bool ended_ = false;
  bool stopped_ = false;
  std::exception_ptr thrown_;
  std::thread thread_;
};

}  // namespace kutrace
