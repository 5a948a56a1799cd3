// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as metadata and streams of a CTF trace: an error that explains itself, or a raw trace
// for which the law holds. Each file has its length in front of it, as u32.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/lawful.h"
#include "read/ctf/ctf_import.h"
#include "read/import/byte_cursor.h"
#include "support/ctf_files.h"
#include "support/foreign_traces.h"

namespace {

using namespace kutrace;

constexpr std::size_t kMostFiles = 8;

MappedFile next_file(read::ByteCursor& at) {
  std::uint64_t length = at.u32();
  if (length > at.left()) length = at.left();
  const auto bytes = at.take(length);
  return MappedFile::from_bytes({bytes.begin(), bytes.end()}, "input");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read::ByteCursor at(std::as_bytes(std::span(data, size)));
  const MappedFile metadata = next_file(at);
  std::vector<MappedFile> streams;
  while (at.left() > 0 && !at.failed() && streams.size() < kMostFiles)
    streams.push_back(next_file(at));
  test::must_be_lawful(read::import_ctf(metadata, std::move(streams)));
  return 0;
}

std::vector<test::Input> test::fuzz_seeds() {
  std::vector<Input> seeds;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const CtfOptions options = {.is_ctf2 = seed % 3 == 0,
                                .is_in_packets = seed % 4 == 1,
                                .is_big_endian = seed % 5 == 0,
                                .is_large = seed % 2 == 0,
                                .has_thread = seed % 4 != 2,
                                .packet = seed};
    const std::string all = joined(ctf_files(foreign_mix(seed), options));
    seeds.emplace_back(all.begin(), all.end());
  }
  return seeds;
}
