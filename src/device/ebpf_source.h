// SPDX-License-Identifier: BSD-3-Clause
// The eBPF source: programs on the running kernel's tracepoints that write packed entries into
// blocks mapped here. Enters: options; leaves: finished blocks (through the pool) and what this
// kernel cannot show. Every hook is bound to file descriptors and goes away with the process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/block_pool.h"
#include "device/event_groups.h"

namespace kutrace {

struct EbpfOptions {
  EventGroups groups = EventGroups::standard();
  std::uint32_t blocks = 1024;
  std::uint32_t sample_hz = 0;  // 0: no samples
  bool merge = true;
  bool fault_return = true;
};

class EbpfSource {
 public:
  // Loads and attaches every hook that this kernel has. Nothing is recorded yet.
  static Result<EbpfSource> open(const EbpfOptions& options);
  EbpfSource(EbpfSource&&) noexcept;
  EbpfSource& operator=(EbpfSource&&) noexcept;
  ~EbpfSource();

  BlockPool& pool() const;
  // Starts every CPU; the first entries of each say what it was doing.
  Status start();
  // Starts only the CPU that this thread runs on.
  Status start_here();
  // Returns when every program that runs now has ended.
  void wait_for_programs() const;
  // Detaches every hook and waits until no program runs any more.
  void detach();

  // What this kernel, or these options, cannot show: one line each.
  const std::vector<std::string>& unseen() const;
  // The part of it that this kernel lacks although it was asked for.
  const std::vector<std::string>& lacking() const;
  // What could not be recorded, counted by the programs; known at the end.
  std::vector<std::string> missed_by_programs() const;
  // Runs of programs that the kernel skipped.
  std::uint64_t skipped_runs() const;

 private:
  struct State;
  explicit EbpfSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kutrace
