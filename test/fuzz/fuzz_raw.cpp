// SPDX-License-Identifier: BSD-3-Clause
// Raw files of any bytes cut to any window and CPUs, reduced to some processes, or joined, behind
// one another or as several machines: an error with a sentence, or a raw trace that opens and for
// which the law holds.
#include <string>

#include "align/alignment.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/lawful.h"
#include "fuzz/packed_trace.h"
#include "raw/raw_cut.h"
#include "raw/raw_machines.h"
#include "support/truth_generator.h"
#include "timeline/trace_layout.h"

namespace {

using namespace kutrace;

constexpr std::size_t kChoices = 8;  // bytes that say what is done

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// Gives what `operate` wrote, if it did.
template <typename Operate>
void must_write_a_trace(Operate&& operate) {
  constexpr std::size_t kMost = std::size_t{1} << 24;
  std::string written;
  bool full = false;
  const Result<raw::RawSummary> done = operate([&](std::string_view piece) {
    full = written.size() + piece.size() > kMost;
    if (!full) written += piece;
    return !full;
  });
  if (full) return;
  if (!done) {
    if (done.error().sentence.empty()) test::broken_promise("an error says too little");
    return;
  }
  if (written.size() != done->bytes) test::broken_promise("a summary with the wrong size");
  auto file = RawFile::open(MappedFile::from_bytes(bytes_of(written), "written"));
  if (!file) test::broken_promise("what was written cannot be opened");
  if (!test::must_be_lawful(*file)) test::broken_promise("what was written cannot be rebuilt");
}

void cut(const RawFile& file, const std::uint8_t* choices) {
  const auto position = [&](std::size_t at) {
    return static_cast<Ns>(choices[at] << 8 | choices[at + 1]) << choices[at + 2] % 32;
  };
  std::optional<std::unordered_set<CpuId>> cpus;
  if (choices[7] % 4 == 0) cpus.emplace({CpuId{choices[7]} / 4 % 4});
  const Ns begin = position(1);
  must_write_a_trace([&](const raw::RawOutput& output) {
    return raw::cut_raw(file, {begin, begin + position(4)}, cpus, output);
  });
}

void choose(const RawFile& file, const std::uint8_t* choices) {
  raw::ProcessChoice choice;
  if (choices[1] % 2 == 0) choice.processes = {Pid{choices[2]}, Pid{choices[3]}};
  if (choices[1] % 3 == 0) choice.names = {std::string(1, static_cast<char>(choices[4])) + "*"};
  choice.follow = choices[1] % 5 != 0;
  must_write_a_trace([&](const raw::RawOutput& output) {
    return raw::choose_processes_raw(file, choice, "some", "others", output);
  });
}

// By the packets that both saw, or by their wall clocks.
std::vector<align::Aligned> clocks_of(const timeline::TraceLayout& first,
                                      const timeline::TraceLayout& second) {
  return align::align_by_wall_clock({align::seen_packets(first), align::seen_packets(second)},
                                    {first.wall_usec, second.wall_usec});
}

void join(const RawFile& first, const RawFile& second) {
  const auto one = timeline::lay_out(first);
  const auto other = timeline::lay_out(second);
  if (!one || !other || !raw::check_joinable("first", *one, *one) ||
      !raw::check_joinable("second", *other, *one)) {
    return;
  }
  const std::vector<align::Aligned> clocks = clocks_of(*one, *other);
  must_write_a_trace([&](const raw::RawOutput& output) {
    return raw::join_machines(
        {{&*one, "first", clocks[0], "clock=own"}, {&*other, "second", clocks[1], "clock=x"}},
        output);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kChoices) return 0;
  const auto opened = [&](std::size_t from, std::size_t to) {
    return RawFile::open(
        MappedFile::from_bytes(test::unpack_trace(data + from, to - from), "fuzz"));
  };
  if (data[0] % 3 == 0) {
    const auto file = opened(kChoices, size);
    if (file) data[0] % 2 == 0 ? cut(*file, data) : choose(*file, data);
    return 0;
  }
  const std::size_t middle = kChoices + (size - kChoices) / 2;
  auto first = opened(kChoices, middle);
  auto second = opened(middle, size);
  if (!first || !second) return 0;
  if (data[0] % 3 == 2) {
    join(*first, *second);
    return 0;
  }
  std::vector<RawFile> files;
  files.push_back(std::move(*first));
  files.push_back(std::move(*second));
  must_write_a_trace([&](const raw::RawOutput& output) { return raw::concat_raw(files, output); });
  return 0;
}

std::vector<test::Input> test::fuzz_seeds() {
  std::vector<Input> seeds;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    TruthOptions options = random_options(seed);
    options.steps = 60 * static_cast<unsigned>(1 + seed % 4);
    options.cpus = 1 + options.cpus % 3;
    options.noise = seed % 3 == 0;
    const Input trace = pack_trace(generate_truth(options).file);
    const auto number = static_cast<std::uint8_t>(seed);
    Input input = {0, number, 7, static_cast<std::uint8_t>(seed * 3), 0, 200, 9, number};
    input.insert(input.end(), trace.begin(), trace.end());
    seeds.push_back(input);
    input[0] = 3;
    seeds.push_back(input);
    input.insert(input.end(), trace.begin(), trace.end());
    for (std::uint8_t joined = 1; joined <= 2; ++joined) {
      input[0] = joined;
      seeds.push_back(input);
    }
  }
  return seeds;
}
