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
  if (is_kernel_address(span.value)) {
    ++kernel_samples_;
    if (span.name == kNoName) ++nameless_kernel_[span.value];
    return;
  }
  const std::size_t* map = code_.find(span.start + span.duration, span.other, span.value);
  if (map == nullptr || *map == kNoFile) {
    ++unmapped_[span.other][span.value];
  } else {
    ++by_map_[*map][span.value];
  }
}

}  // namespace kutrace::filters
