// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as one of our pages or containers, and any bytes as what its blocks unpack to, where no
// checksum stands before the decoder: an error that explains itself, or spans that keep the law.
#include <memory>
#include <string>
#include <string_view>

#include "emit/page/cpu_sums.h"
#include "emit/page/page_writer.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/lawful.h"
#include "read/page/page_reader.h"
#include "reports/law_check.h"
#include "spans/rebuild.h"
#include "support/own_page.h"
#include "support/truth_generator.h"

namespace {

using namespace kutrace;

constexpr std::string_view kPacked = "P";    // a page or container follows
constexpr std::string_view kUnpacked = "U";  // a header up to a NUL, then blocks

// Blocks as they are when they have been unpacked, each behind 3 bytes with its length.
class Unpacked : public read::PageSource {
 public:
  explicit Unpacked(std::string_view text) : text_(text) {}

  Result<std::string> header() override {
    const std::size_t end = std::min(text_.find('\0'), text_.size());
    std::string header(text_.substr(0, end));
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return header;
  }
  Status locate(const read::PageFacts& facts) override {
    long_ = next();
    for (std::size_t i = 0; i < facts.slabs.size() && !text_.empty(); ++i) slabs_.push_back(next());
    if (slabs_.size() < facts.slabs.size()) return fail(error("too short", kHeaderBlock));
    if (facts.sums) sums_ = next();
    return {};
  }
  Result<std::vector<std::uint8_t>> long_overlays() override { return long_; }
  Result<std::vector<std::uint8_t>> slab(std::size_t number,
                                         std::vector<std::uint8_t> /*room*/) override {
    return slabs_[number];
  }
  Result<std::vector<std::uint8_t>> sums() override { return sums_; }
  Error error(std::string sentence, std::string_view block) const override {
    return input_error(std::move(sentence)).with_file("input").with_hint(std::string(block));
  }

 private:
  std::vector<std::uint8_t> next() {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 3 && !text_.empty(); ++i, text_.remove_prefix(1)) {
      length |= std::size_t{static_cast<unsigned char>(text_.front())} << (8 * i);
    }
    const std::string_view bytes = text_.substr(0, length);
    text_.remove_prefix(bytes.size());
    return {bytes.begin(), bytes.end()};
  }

  std::string_view text_;
  std::vector<std::uint8_t> long_;
  std::vector<std::vector<std::uint8_t>> slabs_;
  std::vector<std::uint8_t> sums_;
};

void read_spans(const Result<read::PageSpans>& page) {
  if (!page) return test::must_explain(page.error());
  NameTable names;
  test::Lawful law(names, reports::Nesting::kNotTold);
  const auto info = page->replay(names, law);
  if (!info) return test::must_explain(info.error());
  law.must_hold(*info);
  // Its slabs can be read, or it is said what does not fit.
  const auto slabs = page->slabs(names);
  if (const auto sums = slabs->cpu_sums(); !sums) return test::must_explain(sums.error());
  SlabColumns columns;
  for (std::size_t i = 0; i < slabs->extents().size(); ++i) {
    const Status read = slabs->executions(i, {}, columns);
    if (!read) return test::must_explain(read.error());
  }
  if (!slabs->overlays([](const SpanSlabs::Overlay&) {})) {
    test::broken_promise("overlays are there in the stream only");
  }
}

// What each CPU did, as long pages have it.
std::vector<std::uint8_t> sums_of(const std::string& container) {
  emit::CpuSums sums;
  NameTable names;
  const auto page = read::PageSpans::open(container, "seed");
  const auto slabs = page->slabs(names);
  SlabColumns columns;
  for (std::size_t i = 0; i < slabs->extents().size(); ++i) {
    if (!slabs->executions(i, {}, columns)) test::broken_promise("a torn seed");
    std::size_t at = 0;
    for (const SlabColumns::Section& section : columns.sections) {
      for (const std::size_t end = at + section.spans; at < end; ++at) {
        const KindIndex kind = columns.kinds[at];
        sums.of_cpu(section.cpu, kind + std::size_t{1})[kind].add(columns.durations[at]);
      }
    }
  }
  const emit::Column bytes = sums.encode();
  return {bytes.bytes().begin(), bytes.bytes().end()};
}

// The blocks of a container, unpacked, with sums.
std::string unpacked(const std::string& container) {
  std::string text(kUnpacked);
  read::PageBlocks blocks(container, "seed");
  const auto header = blocks.header();
  const auto facts = read::read_page_facts(*header);
  if (!blocks.locate(*facts)) test::broken_promise("a seed that is no page");
  text += R"({"sums":{},)" + header->substr(1);
  text += '\0';
  const auto add = [&text](const Result<std::vector<std::uint8_t>>& bytes) {
    for (int i = 0; i < 3; ++i) text += static_cast<char>(bytes->size() >> (8 * i));
    text.append(bytes->begin(), bytes->end());
  };
  add(blocks.long_overlays());
  for (std::size_t i = 0; i < facts->slabs.size(); ++i) add(blocks.slab(i, {}));
  add(sums_of(container));
  return text;
}

std::string page_of(const test::TruthOptions& options, bool container) {
  const auto file =
      RawFile::open(MappedFile::from_bytes(test::generate_truth(options).file, "seed"));
  NameTable names;
  emit::PageWriter page({.title = "seed", .container = container});
  const auto info = spans::rebuild(*file, names, page);
  return test::finished_page(page, *info, names);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.starts_with(kUnpacked)) {
    read_spans(read::PageSpans::open(std::make_unique<Unpacked>(input.substr(1))));
  } else if (input.starts_with(kPacked)) {
    read_spans(read::PageSpans::open(input.substr(1), "input"));
  }
  return 0;
}

std::vector<test::Input> test::fuzz_seeds() {
  std::vector<Input> seeds;
  const auto add = [&seeds](const std::string& text) {
    seeds.emplace_back(text.begin(), text.end());
  };
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    TruthOptions options = random_options(seed);
    options.steps = 20 * static_cast<unsigned>(1 + seed % 5);
    options.noise = seed % 3 == 0;
    const std::string container = page_of(options, true);
    add(unpacked(container));
    if (seed % 4 == 0) add(std::string(kPacked) + container);
    if (seed % 4 == 1) add(std::string(kPacked) + page_of(options, false));
  }
  return seeds;
}
