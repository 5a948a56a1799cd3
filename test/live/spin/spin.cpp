// SPDX-License-Identifier: BSD-3-Clause
// A program whose time goes into one function that is known by name and lines: it prints the lines
// and spins for the milliseconds of CPU time that it is given.
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace hot {

constexpr int kFirstLine = __LINE__ + 1;
[[gnu::always_inline]] inline unsigned mix(unsigned seed) {
  seed ^= seed << 13;
  seed ^= seed >> 17;
  seed ^= seed << 5;
  return seed;
}

[[gnu::noinline]] unsigned spin_here(unsigned seed, unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) seed = mix(seed);
  return seed + KUTRACE_SPIN_BUILD;
}
constexpr int kLastLine = __LINE__ - 1;

}  // namespace hot

int main(int argc, char** argv) {
  const int length_ms = argc > 1 ? std::atoi(argv[1]) : 100;
  unsigned seed = 1;
  while (std::clock() / (CLOCKS_PER_SEC / 1000) < length_ms) seed = hot::spin_here(seed, 100'000);
  std::printf("first=%d\nlast=%d\nseed=%u\n", hot::kFirstLine, hot::kLastLine, seed);
  return 0;
}
