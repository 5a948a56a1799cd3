// SPDX-License-Identifier: BSD-3-Clause
// Which mapped files samples fell into, and stacks lead through: a sink for spans that counts the
// program counters of each mapping, and those of the kernel that have no name.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "format/symbol_text.h"
#include "format/trace_clock.h"
#include "model/code_map.h"
#include "model/span_sink.h"

namespace kutrace::filters {

class SampledMaps : public SpanSink {
 public:
  using Counters = std::map<std::uint64_t, std::uint64_t>;  // program counter to samples

  SampledMaps(const std::vector<MapRecord>& maps, const TraceClock& clock);
  void push(const Span& span) override;
  // Its code is to be named, too, but no sample fell there.
  void stack(const Stack& stack) override;

  // As many as there are maps, in their order.
  const std::vector<Counters>& by_map() const { return by_map_; }
  const Counters& nameless_kernel() const { return nameless_kernel_; }
  std::uint64_t samples() const { return samples_; }
  bool empty() const { return samples_ == 0 && stacks_ == 0; }
  // User code of which not even the file is known, by process.
  const std::map<Pid, Counters>& unmapped() const { return unmapped_; }

 private:
  CodeMap<std::size_t> code_;
  std::vector<Counters> by_map_;
  Counters nameless_kernel_;
  void add_code(Ns time, Pid process, std::uint64_t address, bool has_name, std::uint64_t samples);

  std::uint64_t samples_ = 0;
  std::uint64_t stacks_ = 0;
  std::map<Pid, Counters> unmapped_;
};

}  // namespace kutrace::filters
