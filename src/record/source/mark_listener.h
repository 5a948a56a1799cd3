// SPDX-License-Identifier: BSD-3-Clause
// Tells programs that somebody listens to their marks, in the page that they map
// (kutrace/listeners.h), which is made here if it is not there yet. Needs root.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "files/descriptor.h"

namespace kutrace::record {

class MarkListener {
 public:
  // From here on, until it is destroyed, programs know that marks by these carriers are heard.
  static Result<MarkListener> announce(std::uint32_t carriers, const std::string& path);

  MarkListener(MarkListener&&) = default;
  MarkListener& operator=(MarkListener&&) = delete;
  ~MarkListener();

  // What labels are called is told again: to one who hears them from now on.
  void beat();
  // The same, 16 times a second at most; to be called more often.
  void keep_time();

  // Programs that run already cannot know it.
  bool made_the_page() const { return made_; }

 private:
  MarkListener(files::Descriptor page, files::Descriptor locks, bool made)
      : page_(std::move(page)), locks_(std::move(locks)), made_(made) {}
  Status take_slot(std::uint32_t carriers);

  files::Descriptor page_;
  files::Descriptor locks_;
  bool made_;
  std::optional<std::uint32_t> slot_;
  std::chrono::steady_clock::time_point last_beat_;
};

}  // namespace kutrace::record
