// SPDX-License-Identifier: BSD-3-Clause
// Making random tiles.
#include "tiles.h"

#include <algorithm>
#include <random>
#include <string>

namespace kutrace::test {

Tiles random_tiles(NameTable& names, std::uint64_t seed, unsigned cpus, std::size_t spans,
                   Ns typical) {
  std::mt19937_64 random(seed);
  Tiles tiles;
  std::vector<Ns> now(cpus, 0);
  std::vector<std::uint64_t> last(cpus, 0);
  const auto push = [&](CpuId cpu, Ns duration) {
    Span span;
    span.start = now[cpu];
    span.duration = duration;
    span.cpu = cpu;
    last[cpu] = (last[cpu] + 1 + random() % 20) % 23;  // differs from its neighbour
    span.kind = static_cast<SpanKind>(last[cpu] % 10);
    if (random() % 200 == 0) span.kind = SpanKind::kLoss;
    span.pid = span.kind >= SpanKind::kIdle ? 0 : static_cast<Pid>(100 + last[cpu] % 3);
    span.event = 0x800 + static_cast<EventNum>(last[cpu]);
    span.name = names.intern("name" + std::to_string(last[cpu]));
    span.arg = static_cast<std::uint32_t>(random() % 8);
    span.ipc = static_cast<std::uint8_t>(random() % 16);
    now[cpu] += duration;
    tiles.spans.push_back(span);
  };
  for (std::size_t i = 0; i < spans; ++i) {
    const Ns most = random() % 8 == 0 ? 100 * typical : typical;
    push(static_cast<CpuId>(random() % cpus),
         1 + static_cast<Ns>(random() % static_cast<std::uint64_t>(most)));
  }
  tiles.info.end = *std::max_element(now.begin(), now.end()) + 1;
  for (CpuId cpu = 0; cpu < cpus; ++cpu) {
    tiles.info.cpus.push_back(cpu);
    push(cpu, tiles.info.end - now[cpu]);
  }
  tiles.info.events = spans;
  return tiles;
}

}  // namespace kutrace::test
