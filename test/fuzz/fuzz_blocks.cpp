// SPDX-License-Identifier: BSD-3-Clause
// A raw file of any bytes: an error with a sentence, or spans for which the law holds.
#include <string>

#include "base/error.h"
#include "emit/text_sink.h"
#include "format/raw_file.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/packed_trace.h"
#include "reports/law_check.h"
#include "spans/rebuild.h"
#include "support/truth_generator.h"

namespace {

using namespace kutrace;

class Check : public SpanSink {
 public:
  explicit Check(const NameTable& names) : text_(names, [](std::string_view) {}) {}
  void push(const Span& span) override {
    if (span.duration < 0) {
      const std::string text = std::string(span_kind_name(span.kind)) + " ends before it starts";
      test::broken_promise(text.c_str());
    }
    law_.push(span);
    text_.push(span);
  }
  LawReport finish(const TraceInfo& info) { return law_.finish(info); }

 private:
  LawCheck law_;
  SpanText text_;
};

void must_explain(const Error& error) {
  if (error.sentence.empty() || error.file.empty() || error.hint.empty()) {
    test::broken_promise("an error says too little");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto file = RawFile::open(MappedFile::from_bytes(test::unpack_trace(data, size), "fuzz"));
  if (!file) {
    must_explain(file.error());
    return 0;
  }
  NameTable names;
  Check check(names);
  const auto info = rebuild(*file, names, check);
  if (!info) {
    must_explain(info.error());
    return 0;
  }
  const LawReport law = check.finish(*info);
  if (!law.holds()) test::broken_promise(law.violations.front().c_str());
  return 0;
}

std::vector<test::Input> test::fuzz_seeds() {
  std::vector<Input> seeds;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    TruthOptions options = random_options(seed);
    options.steps = 60 * static_cast<unsigned>(1 + seed % 4);
    options.block_words = 30 + 10 * static_cast<unsigned>(seed);
    options.cpus = 1 + options.cpus % 3;
    seeds.push_back(pack_trace(generate_truth(options).file));
  }
  return seeds;
}
