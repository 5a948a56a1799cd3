// SPDX-License-Identifier: BSD-3-Clause
// With libFuzzer: `fuzz-NAME --seeds=DIR` writes the target's seeds into DIR and ends.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view kOption = "--seeds=";
  if (*argc < 2 || !std::string_view((*argv)[1]).starts_with(kOption)) return 0;
  const std::string directory = (*argv)[1] + kOption.size();
  int number = 0;
  for (const auto& seed : kutrace::test::fuzz_seeds()) {
    const std::string path = directory + "/seed" + std::to_string(number++);
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr || std::fwrite(seed.data(), 1, seed.size(), file) != seed.size()) {
      std::fprintf(stderr, "%s cannot be written\n", path.c_str());
      std::exit(1);
    }
    std::fclose(file);
  }
  std::exit(0);
}
