// SPDX-License-Identifier: BSD-3-Clause
// The screen of `kutrace top`. In: intervals, keys; out: a table that fills the terminal, and what
// the keys ask for.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/top_lines.h"
#include "live/thread_times.h"

namespace kutrace::cli {

class TopScreen {
 public:
  // Takes the terminal; gives it back when it is gone. Fails where this program has no library for
  // it, or the terminal is none that it knows.
  static Result<TopScreen> open(TopView view);
  TopScreen(TopScreen&& other) noexcept;
  TopScreen& operator=(TopScreen&& other) noexcept;
  ~TopScreen();

  // The next interval; not shown while the screen is frozen.
  void show(live::TimesOfInterval times);
  // A line at the bottom, until a key is pressed.
  void say(std::string text);
  // Keys that were pressed meanwhile; false: the user quits.
  bool handle_keys();
  // Whether a page was asked for since the last time.
  bool wants_page();

 private:
  class Terminal;
  explicit TopScreen(std::unique_ptr<Terminal> terminal);
  std::unique_ptr<Terminal> terminal_;
};

}  // namespace kutrace::cli
