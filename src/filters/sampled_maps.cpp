// SPDX-License-Identifier: BSD-3-Clause
// Counting.
#include "filters/sampled_maps.h"

#include "model/sample_names.h"

namespace kutrace::filters {

namespace {

constexpr std::size_t kNoFile = ~std::size_t{0};

}  // namespace

SampledMaps::SampledMaps(const std::vector<MapRecord>& maps, const TraceClock& clock)
    : by_map_(maps.size()) {
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const MapRecord& map = maps[i];
    const std::size_t file = map.path.empty() ? kNoFile : i;
    code_.add(map.process, held_from(map.from, clock), 0, map.start, map.end, file);
  }
}

void SampledMaps::push(const Span& span) {
  if (span.kind != SpanKind::kSample || span.value == 0) return;
  ++samples_;
  add_code(span.start + span.duration, span.other, span.value, span.name != kNoName, 1);
}

// The recorder named what it could of the kernel.
void SampledMaps::stack(const Stack& stack) {
  ++stacks_;
  for (const std::uint64_t& frame : stack.user)
    add_code(stack.time, stack.process, code_of_frame(frame, &frame == &stack.user.front()), false,
             0);
}

void SampledMaps::add_code(Ns time, Pid process, std::uint64_t address, bool has_name,
                           std::uint64_t samples) {
  if (is_kernel_address(address)) {
    if (!has_name) nameless_kernel_[address] += samples;
    return;
  }
  const std::size_t* map = code_.find(time, process, address);
  if (map == nullptr || *map == kNoFile) {
    unmapped_[process][address] += samples;
  } else {
    by_map_[*map][address] += samples;
  }
}

}  // namespace kutrace::filters
