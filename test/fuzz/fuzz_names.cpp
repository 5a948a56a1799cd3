// SPDX-License-Identifier: BSD-3-Clause
// Names, facts and losses of any bytes, in block 0 and among events: nothing crashes, what is shown
// is valid UTF-8 without control characters, and the law holds.
#include <iterator>
#include <string>

#include "base/text.h"
#include "format/event_table.h"
#include "fuzz/fuzz_target.h"
#include "reports/law_check.h"
#include "spans/rebuild.h"
#include "support/kernel_writer.h"
#include "support/trace_builder.h"

namespace {

using namespace kutrace;

constexpr EventNum kKinds[] = {
    kind::kFILE_NAME,      kind::kPID_NAME,       kind::kMETHOD_NAME,  kind::kTRAP_NAME,
    kind::kIRQ_NAME,       kind::kLOCK_NAME,      kind::kSYSCALL_NAME, kind::kERRNO_NAME,
    kind::kSYSCALL32_NAME, kind::kKERNEL_VERSION, kind::kCPU_MODEL,    kind::kHOST_NAME,
    kind::kQUEUE_NAME,     kind::kMETA,           kind::kLOSS,         kind::kTASK};

// Takes bytes from the front of the input; zeros when it is used up.
class Reader {
 public:
  Reader(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  unsigned byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  std::uint32_t number() {
    const unsigned low = byte();
    return low < 0xf0 ? low : byte() << 24 | byte() << 16 | byte() << 8 | byte();
  }
  std::vector<std::uint64_t> words(std::size_t bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes; ++i) text.push_back(static_cast<char>(byte()));
    return test::text_words(text);
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

void must_be_shown_safely(const std::string& text) {
  if (printable(text) != text) test::broken_promise("a name is not safe to show");
}

class Ignore : public SpanSink {
 public:
  explicit Ignore(const NameTable& names) : names_(names) {}
  void push(const Span& span) override {
    must_be_shown_safely(names_.text(span.name));
    law_.push(span);
  }
  void call(const Call& call) override { law_.call(call); }
  void life(const ThreadLife& life) override { law_.life(life); }
  void end(TraceInfo& info) override { law_.end(info); }
  reports::LawReport report() { return law_.report(); }

 private:
  const NameTable& names_;
  reports::LawCheck law_;
};

std::vector<std::byte> trace_of(Reader& reader) {
  test::RawStyle style;
  style.own = reader.byte() % 2 == 0;
  test::KernelWriter writer(style, 300, 1);
  Ticks time = 1;
  for (unsigned i = 0; i < 400 && !reader.empty(); ++i) {
    const EventNum kind = kKinds[reader.byte() % std::size(kKinds)];
    const std::uint32_t item = reader.number();
    const std::size_t bytes = 1 + reader.byte() % 56;
    const auto words = reader.words(bytes);
    const unsigned place = reader.byte() % 4;
    time += 1 + reader.byte();
    if (place == 0) {
      writer.put(0, time, kind, item, 0, words);
      writer.put(0, time + 1, 0x800 + (item & 0xff), 1, 0);
      writer.put(0, time + 2, ev::kLOCK_TRY + item % 3, item, 0);
      writer.put(0, time + 3, ev::kUSERPID, item, 0);
      time += 3;
    } else if (i < 120) {
      writer.name_words(kind, item, words);
    }
  }
  writer.put(0, time + 5, 0x5ec, 0, 0);
  return writer.finish(time + 100, false);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Reader reader(data, size);
  auto file = RawFile::open(MappedFile::from_bytes(trace_of(reader), "fuzz"));
  if (!file) test::broken_promise("a whole file cannot be opened");
  NameTable names;
  Ignore sink(names);
  const auto info = spans::rebuild(*file, names, sink);
  if (!info) return 0;
  for (const auto& [key, value] : info->facts) must_be_shown_safely(value);
  for (const std::string* text : {&info->host_name, &info->cpu_model, &info->kernel_version}) {
    must_be_shown_safely(*text);
    json_escaped(*text);
  }
  const reports::LawReport law = sink.report();
  if (!law.holds()) test::broken_promise(law.violations.first.front().c_str());
  return 0;
}

std::vector<test::Input> test::fuzz_seeds() {
  std::vector<Input> seeds;
  const std::string texts[] = {
      "cpus_online=0-3,8",
      "cstate.1=C1,2",
      "tick_ns=1/3",
      "tick_ns=0/0",
      "\"quoted\\\"",
      "</script>",
      "\xff\xfe\xc3\x28",
      "idle: cpu0",
      "Intel(R) Core(TM) i3-7100",
      "source",
      "\xe2\x82\xac=\xf0",
      "cpus_online=0-99999999999",
  };
  for (unsigned place = 0; place < 2; ++place) {
    Input all{static_cast<std::uint8_t>(place)};
    for (unsigned kind = 0; kind < std::size(kKinds); ++kind) {
      for (const std::string& text : texts) {
        Input one{static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(kind * 7),
                  static_cast<std::uint8_t>(text.size() - 1)};
        one.insert(one.end(), text.begin(), text.end());
        one.push_back(static_cast<std::uint8_t>(kind % 3 == 0 ? 0 : 1));
        one.push_back(10);
        all.insert(all.end(), one.begin(), one.end());
        Input alone{static_cast<std::uint8_t>(place)};
        alone.insert(alone.end(), one.begin(), one.end());
        seeds.push_back(alone);
      }
    }
    seeds.push_back(all);
  }
  return seeds;
}
