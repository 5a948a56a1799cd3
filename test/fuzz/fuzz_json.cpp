// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as span JSON or as a page that holds some: an error, or spans that keep the law.
#include <fmt/format.h>

#include <random>
#include <string>
#include <string_view>

#include "fuzz/fuzz_target.h"
#include "read/span_json/html_extract.h"
#include "read/span_json/json_reader.h"
#include "reports/law_check.h"

namespace {

using namespace kutrace;

constexpr std::string_view kHead =
    "  {\n \"Comment\" : \"V2 with IPC field\",\n \"flags\" : 131,\n \"title\" : \"a \\\"b\\\"\",\n"
    " \"tracebase\" : \"2025-09-17_05:57:00\",\n \"version\" : 3,\n\"events\" : [\n";
constexpr std::string_view kTail =
    "[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]\n],\n\"extra\" : [],\n\"savedview\" : "
    "[[\"&#x21d0;\", {\"k\":[1,2.5e3]}]]\n}\n";
constexpr int kEvents[] = {65536, 65546, 131072, 2048, 1516, 1535, 3583,
                           522,   518,   520,    -3,   770,  640,  526};

void read_spans(std::string_view text) {
  const auto file = read::JsonSpans::open(text, "input");
  if (!file) return;
  NameTable names;
  reports::LawCheck law;
  file->replay(names, law);
  const reports::LawReport report = law.report();
  if (!report.holds()) test::broken_promise(report.violations.first.front().c_str());
}

std::string records(std::mt19937& random) {
  const auto below = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::int64_t now[] = {4'670'000'000, 4'670'000'100, 4'670'000'200};
  std::string text;
  for (unsigned i = 0; i < 30; ++i) {
    const unsigned cpu = below(3);
    const std::int64_t length = below(5) == 0 ? 1 : below(5000);
    text += fmt::format("[{:12.8f}, {:10.8f}, {}, {}, 0, {}, {}, {}, 0, \"name.{}\"],\n",
                        static_cast<double>(now[cpu]) / 1e8, static_cast<double>(length) / 1e8, cpu,
                        below(20), kEvents[below(std::size(kEvents))], below(70000), below(70000),
                        below(20));
    now[cpu] += length + below(3);
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_spans(text);
  if (const auto json = read::find_embedded_json(text, "input")) read_spans(json->text);
  return 0;
}

std::vector<test::Input> test::fuzz_seeds() {
  std::vector<Input> seeds;
  std::mt19937 random(20'211'028);
  for (int i = 0; i < 40; ++i) {
    std::string text(kHead);
    text += records(random);
    text += kTail;
    if (i % 3 == 0) {
      text = "<html><!-- selfcontained1 -->\n<script>var myString = '" + text +
             "';</script>\n<!-- selfcontained2 -->";
    }
    seeds.emplace_back(text.begin(), text.end());
  }
  return seeds;
}
