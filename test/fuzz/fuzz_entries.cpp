// SPDX-License-Identifier: BSD-3-Clause
// One block of any words: every entry lies inside it, its time is congruent to its 20 bits, and the
// decoder comes to an end.
#include <cstring>

#include "decode/block_decoder.h"
#include "emit/text/text_sink.h"
#include "fuzz/fuzz_target.h"
#include "kutrace/abi.h"
#include "support/truth_generator.h"

namespace {

using namespace kutrace;

void check_entry(const Block& block, const decode::Entry& entry, std::uint32_t before,
                 std::uint32_t position) {
  if (position <= before || position > block.word_count) {
    test::broken_promise("the decoder left its block or stood still");
  }
  if (entry.words < 1 || entry.words > KUTRACE_MAX_WORDS) {
    test::broken_promise("an entry has an impossible length");
  }
  const std::uint32_t first = position - entry.words;
  const auto* word = block.words + 8 * std::size_t{first};
  if (entry.payload != word + 8) test::broken_promise("a payload does not follow its entry");
  const std::uint64_t stamp = block.word(first) >> KUTRACE_TIME_SHIFT;
  if ((entry.time & KUTRACE_TIME_MASK) != stamp) {
    test::broken_promise("a whole time contradicts its 20 bits");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 16) return 0;
  // The first word is the base; times below half a period would have to become negative.
  std::vector<std::byte> bytes(size / 8 * 8);
  std::memcpy(bytes.data(), data, bytes.size());
  Block block;
  block.words = bytes.data();
  block.word_count = static_cast<std::uint32_t>(bytes.size() / 8);
  block.header_words = 1;
  block.base = (block.word(0) & KUTRACE_LOW56_MASK) | std::uint64_t{1} << 55;
  decode::DecodeCounters counters;
  decode::BlockDecoder decoder(block, counters);
  timeline::Event event;
  for (std::uint32_t before = decoder.position(); decoder.next(event.entry);
       before = decoder.position()) {
    check_entry(block, event.entry, before, decoder.position());
    emit::event_line(event);
  }
  return 0;
}

std::vector<test::Input> test::fuzz_seeds() {
  std::vector<Input> seeds;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    TruthOptions options = random_options(seed);
    options.steps = 100;
    options.own = false;
    const std::vector<std::byte> file = generate_truth(options).file;
    Input input(8 * std::size_t{40 + 20 * seed});
    std::memcpy(input.data(), file.data() + KUTRACE_BLOCK_BYTES * (seed % 2), input.size());
    seeds.push_back(input);
  }
  return seeds;
}
