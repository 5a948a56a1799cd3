// SPDX-License-Identifier: BSD-3-Clause
// A raw file of any bytes: an error with a sentence, or spans for which the law holds.
#include "format/raw_file.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/lawful.h"
#include "fuzz/packed_trace.h"
#include "kutrace/abi.h"
#include "support/truth_generator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kutrace;
  auto file = RawFile::open(MappedFile::from_bytes(test::unpack_trace(data, size), "fuzz"));
  if (file) {
    test::must_be_lawful(*file);
  } else {
    test::must_explain(file.error());
  }
  return 0;
}

std::vector<kutrace::test::Input> kutrace::test::fuzz_seeds() {
  constexpr MachineKind kMachines[] = {MachineKind::kX86, MachineKind::kRaspberry32,
                                       MachineKind::kRiscv, MachineKind::kFreeBsd};
  constexpr unsigned kFlags[] = {0, KUTRACE_FLAG_IPC, KUTRACE_FLAG_WRAP, KUTRACE_FLAG_LLC};
  std::vector<Input> seeds;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    TruthOptions options = random_options(seed);
    options.steps = 60 * static_cast<unsigned>(1 + seed % 4);
    options.block_words = 30 + 10 * static_cast<unsigned>(seed);
    options.cpus = 1 + options.cpus % 3;
    if (seed > 16) {
      options.own = false;
      options.noise = true;
      options.machine = kMachines[seed % 4];
      options.flags = kFlags[seed / 2 % 4];
      options.version = seed == 20 ? 2 : 3;
    }
    seeds.push_back(pack_trace(generate_truth(options).file));
  }
  return seeds;
}
