// SPDX-License-Identifier: BSD-3-Clause
// Looks through a trace for what is odd. In: spans of any trace; out: what the detectors found.
// Memory: that of the scene, and what detectors keep of threads, CPUs and locks.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "model/span_sink.h"
#include "odd/detectors.h"
#include "odd/lock_waits.h"

namespace kutrace::odd {

class Look : public SpanSink {
 public:
  explicit Look(const NameTable& names);

  void begin(const TraceInfo& known) override { scene_.begin(known); }
  void push(const Span& span) override { scene_.push(span); }
  void life(const ThreadLife& life) override { scene_.life(life); }

  // After the end: most costly first. `recorded`: length of what was looked at; `can_query`:
  // `kutrace query` works, so it may be what shows one.
  std::vector<Finding> findings(const TraceInfo& info, Ns recorded, bool can_query);
  const Scene& scene() const { return scene_; }
  // Whether the frequency of any CPU was told.
  bool saw_frequencies() const { return tell_.saw_frequencies(); }
  // What a finding is about: "gcc.77", "CPU 3".
  std::string subject(const Finding& finding, const TraceInfo& info) const;

 private:
  // Tells each observer what it hears.
  class Tell : public Observer {
   public:
    void add(Observer& observer, std::uint32_t hears);
    void interrupt(const Span& piece) override;
    void fault(const Span& piece, Row row) override;
    void call(const ReturnedCall& call) override;
    void ready(const ReadyWait& wait) override;
    void blocked(const BlockedWait& wait) override;
    void lock(const LockWait& wait) override;
    void moved(const Move& move) override;
    void frequency(const Span& span) override;
    bool saw_frequencies() const { return saw_frequencies_; }

   private:
    static constexpr std::size_t kHappenings = 8;
    std::array<std::vector<Observer*>, kHappenings> hearers_;  // by bit of Hears
    bool saw_frequencies_ = false;
  };

  const NameTable& names_;
  Scene scene_;
  Tell tell_;
  LockWaits locks_;
  std::vector<std::unique_ptr<Detector>> detectors_;  // as the table has them
};

}  // namespace kutrace::odd
