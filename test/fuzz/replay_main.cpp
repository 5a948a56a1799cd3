// SPDX-License-Identifier: BSD-3-Clause
// Runs a fuzz target over its seeds and a fixed number of their mutations, the same ones each time:
//   fuzz-NAME [input]
// An input that breaks a promise is left in the file "broken-input" of the current directory; given
// as argument, it is run alone.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "fuzz/fuzz_target.h"

// Present where a sanitizer is.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using kutrace::test::Input;

constexpr unsigned long kMutations = 150;  // of each seed

class Mutator {
 public:
  Input mutate(Input input) {
    const unsigned changes = 1 + random(4);
    for (unsigned i = 0; i < changes && !input.empty(); ++i) change(input);
    return input;
  }

 private:
  unsigned random(std::size_t below) { return static_cast<unsigned>(engine_() % below); }

  void change(Input& input) {
    const std::size_t at = random(input.size());
    const std::size_t length = std::min<std::size_t>(1 + random(64), input.size() - at);
    const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = place + static_cast<std::ptrdiff_t>(length);
    switch (random(7)) {
      case 0:
        input[at] = static_cast<std::uint8_t>(input[at] ^ 1u << random(8));
        return;
      case 1:
        input[at] = static_cast<std::uint8_t>(random(256));
        return;
      case 2:
        std::fill(place, end, random(2) == 0 ? std::uint8_t{0} : std::uint8_t{0xff});
        return;
      case 3:
        input.erase(place, end);
        return;
      case 4: {
        const Input copy(place, end);
        const auto to = static_cast<std::ptrdiff_t>(random(input.size()));
        input.insert(input.begin() + to, copy.begin(), copy.end());
        return;
      }
      case 5:
        input.resize(at);
        return;
      default: {
        std::uint64_t word = engine_() >> random(64);
        std::memcpy(&input[at], &word, std::min<std::size_t>(sizeof word, input.size() - at));
      }
    }
  }

  std::mt19937_64 engine_{20'240'229};
};

const Input* running = nullptr;

void keep_input() {
  if (running == nullptr) return;
  if (std::FILE* file = std::fopen("broken-input", "wb")) {
    std::fwrite(running->data(), 1, running->size(), file);
    std::fclose(file);
  }
}

void run(const Input& input) {
  running = &input;
  LLVMFuzzerTestOneInput(input.data(), input.size());
  running = nullptr;
}

int replay(const char* path) {
  Input input;
  if (std::FILE* file = std::fopen(path, "rb")) {
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
      input.push_back(static_cast<std::uint8_t>(c));
    }
    std::fclose(file);
  }
  run(input);
  std::printf("%zu bytes of %s keep the promises\n", input.size(), path);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGABRT, [](int) { keep_input(); });
  std::signal(SIGSEGV, [](int) {
    keep_input();
    std::abort();
  });
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_input);
  if (argc > 1) return replay(argv[1]);
  const std::vector<Input> seeds = kutrace::test::fuzz_seeds();
  if (seeds.empty()) {
    std::fputs("no seeds\n", stderr);
    return 1;
  }
  Mutator mutator;
  unsigned long runs = 0;
  run({});
  for (const Input& seed : seeds) {
    run(seed);
    for (unsigned long i = 0; i < kMutations; ++i, ++runs) run(mutator.mutate(seed));
  }
  std::printf("%zu seeds and %lu mutations keep the promises\n", seeds.size(), runs);
  return 0;
}
