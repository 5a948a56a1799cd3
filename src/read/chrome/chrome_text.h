// SPDX-License-Identifier: BSD-3-Clause
// Finds the events in a file of Chrome's JSON, and reads the facts beside them. In: the text, which
// must outlive this: an object with an array "traceEvents", or that array alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_scanner.h"
#include "base/result.h"
#include "read/chrome/chrome_event.h"
#include "read/form/json_records.h"

namespace kutrace::read {

// Whether text begins as such a file: its keys before the array, or the array's first event, stand
// in it.
bool is_chrome_json(std::string_view text);

class ChromeText {
 public:
  // An error if the text has no such array; it names the place in the text.
  static Result<ChromeText> open(std::string_view text, const std::string& file_name);

  // Calls `take(event, position behind it)` for each event.
  template <typename Take>
  JsonWalk walk(Take&& take) const {
    JsonScanner scanner(text_, events_at_);
    ChromeEvent event;
    return walk_json_records(
        text_, scanner, '{', [&event](JsonScanner& at) { return read_chrome_event(at, event); },
        [&](std::size_t, std::size_t to) { take(event, to); });
  }

  std::size_t size() const { return text_.size(); }
  const std::string& title() const { return title_; }
  const std::string& host() const { return host_; }
  const std::string& cpu_model() const { return cpu_model_; }
  // Wall clock of the file's time 0, usec since 1970; 0: not told.
  std::uint64_t wall_usec() const { return wall_usec_; }
  // It holds text of ftrace, which is another form of trace.
  bool has_system_trace() const { return has_system_trace_; }
  // What stands behind the array cannot be read, or does not end.
  bool tail_lost() const { return tail_lost_; }

 private:
  explicit ChromeText(std::string_view text) : text_(text) {}
  Status read_object(const std::string& file_name);
  void read_value(std::string_view key, JsonScanner& scanner);

  std::string_view text_;
  std::size_t events_at_ = std::string_view::npos;  // of the array's bracket
  std::string title_;
  std::string host_;
  std::string cpu_model_;
  std::uint64_t wall_usec_ = 0;
  bool has_system_trace_ = false;
  bool tail_lost_ = false;
};

}  // namespace kutrace::read
