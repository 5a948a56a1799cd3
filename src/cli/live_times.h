// SPDX-License-Identifier: BSD-3-Clause
// A recording of its own whose times are told interval by interval, while it goes on. In: how long
// an interval is; out: each one, and on request a page of the last moments.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "live/live_stream.h"
#include "live/thread_times.h"
#include "record/flight/flight_recorder.h"

namespace kutrace::cli {

class LiveTimes {
 public:
  static Result<LiveTimes> start(record::FlightOptions options, Ns interval);

  // A round of work; an interval when one is over.
  Result<std::optional<live::TimesOfInterval>> work();
  // Sleeps until the next round is due, or the descriptor is readable; -1: none.
  void pause(int descriptor) const;

  // Writes the last moments to a page, of which so much; nothing if one is being written.
  void begin_page(const std::string& path, Ns last);
  // What became of the page that was begun, in words; nothing: there is no news.
  std::optional<std::string> page_news();
  const record::FlightRecorder& recorder() const { return *recorder_; }

 private:
  LiveTimes() = default;
  void follow();

  Ns interval_ = 0;
  std::unique_ptr<record::FlightRecorder> recorder_;
  std::unique_ptr<live::ThreadTimes> times_;
  std::unique_ptr<live::LiveStream> stream_;
  Ticks known_until_ = 0;
  Ns next_ = 0;
  std::string page_;
  pid_t makes_page_ = 0;
};

}  // namespace kutrace::cli
