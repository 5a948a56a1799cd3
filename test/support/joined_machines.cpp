// SPDX-License-Identifier: BSD-3-Clause
// Laying out and joining.
#include "support/joined_machines.h"

#include <string_view>
#include <utility>

#include "raw/raw_machines.h"
#include "support/truth_generator.h"
#include "timeline/trace_layout.h"

namespace kutrace::test {

Result<std::vector<std::byte>> joined_bytes(const std::vector<Recorded>& recorded) {
  std::vector<timeline::TraceLayout> layouts;
  for (const Recorded& one : recorded) {
    auto layout = timeline::lay_out(*one.file);
    if (!layout) return std::unexpected(layout.error());
    layouts.push_back(std::move(*layout));
  }
  std::vector<raw::MachineTrace> machines;
  for (std::size_t i = 0; i < recorded.size(); ++i)
    machines.push_back({&layouts[i], "made", recorded[i].time, recorded[i].clock});
  std::vector<std::byte> bytes;
  const auto written = raw::join_machines(machines, [&bytes](std::string_view block) {
    const auto* const begin = reinterpret_cast<const std::byte*>(block.data());
    bytes.insert(bytes.end(), begin, begin + block.size());
    return true;
  });
  if (!written) return std::unexpected(written.error());
  return bytes;
}

Result<std::vector<std::byte>> talking_machines(std::uint64_t seed) {
  constexpr std::uint64_t kOther = 5000;
  std::vector<RawFile> files;
  for (const std::uint64_t own : {seed, seed + kOther}) {
    TruthOptions options = random_options(own);
    options.own = true;
    options.machine = MachineKind::kX86;
    options.talks = true;
    auto file = RawFile::open(MappedFile::from_bytes(generate_truth(options).file, "made"));
    if (!file) return std::unexpected(file.error());
    files.push_back(std::move(*file));
  }
  return joined_bytes(files[0], files[1]);
}

Result<std::vector<std::byte>> joined_bytes(const RawFile& one, const RawFile& other) {
  const auto same = [](Ns time) { return time; };
  return joined_bytes({{&one, same, "clock=own"}, {&other, same, "clock=x"}});
}

}  // namespace kutrace::test
