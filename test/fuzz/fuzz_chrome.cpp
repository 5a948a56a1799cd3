// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as Chrome's JSON: an error that explains itself, or spans that keep the law. Seeds are
// of other programs and of this one's own export.
#include <fmt/format.h>

#include <random>
#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/lawful.h"
#include "read/chrome/chrome_reader.h"
#include "support/chrome_texts.h"

namespace {

using namespace kutrace;

std::string own_rows(std::mt19937& random) {
  constexpr std::string_view kKinds[] = {"user", "syscall", "irq", "idle", "sched", "loss"};
  constexpr std::string_view kIntervals[] = {"lock_held", "function", "rpc", "message"};
  const auto below = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::uint64_t now[] = {1000, 1000};
  std::string text = R"({"displayTimeUnit":"ns","traceEvents":[)";
  for (unsigned i = 0; i < 30; ++i) {
    const unsigned cpu = below(2);
    const unsigned length = below(40);
    text += fmt::format(R"({{"ph":"X","pid":2000000001,"tid":{},"cat":"{}","name":"n{}","ts":{}.5,)"
                        R"("dur":{},"args":{{"thread":{}}}}},)",
                        2'000'001'000 + cpu, kKinds[below(std::size(kKinds))], below(4), now[cpu],
                        length, below(5));
    now[cpu] += length + below(2);
    const std::string_view kind = kIntervals[below(std::size(kIntervals))];
    text += fmt::format(R"({{"ph":"{}","pid":2000000002,"tid":{},"cat":"{}","name":"m","id":{},)"
                        R"("ts":{}}},)",
                        below(2) == 0 ? "b" : "e", below(5), kind, below(3), now[cpu]);
    text += fmt::format(R"({{"ph":"X","pid":2000000002,"tid":{},"cat":"{}","name":"wait_cpu",)"
                        R"("ts":{},"dur":{}}},)",
                        below(5), below(2) == 0 ? "wait" : "syscall", now[cpu], below(9));
    text += fmt::format(R"({{"ph":"i","pid":2000000002,"tid":{},"cat":"mark","name":"mark_a=x",)"
                        R"("ts":{},"args":{{"arg":7}}}},)",
                        below(5), now[cpu]);
  }
  text.back() = ']';
  return text + R"(,"otherData":{"title":"t","host":"h"}})";
}

std::string programs(std::mt19937& random) {
  constexpr std::string_view kPhases = "BEXbeiCMSFnsPRB";
  const auto below = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::string text = "[";
  for (unsigned i = 0; i < 40; ++i) {
    text += fmt::format(R"({{"ph":"{}","pid":{},"tid":"{}","ts":{},"dur":{},"id":"{:#x}",)"
                        R"("name":"n{}","cat":"c","args":{{"value":{}.5,"name":"t"}}}},)",
                        kPhases[below(kPhases.size())], below(3), below(4), below(100), below(50),
                        below(4), below(3), below(9));
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read::is_chrome_json(text);
  const auto file = read::ChromeSpans::open(text, "input");
  if (!file) {
    test::must_explain(file.error());
    return 0;
  }
  NameTable names;
  test::Lawful lawful(
      names, file->has_cpus() ? reports::Nesting::kNotTold : reports::Nesting::kLivesAlone);
  lawful.must_hold(file->replay(names, lawful));
  return 0;
}

std::vector<test::Input> test::fuzz_seeds() {
  std::vector<Input> seeds;
  const auto add = [&seeds](std::string_view text) {
    seeds.emplace_back(text.begin(), text.end());
  };
  add(kViztracerJson);
  add(kCutJson);
  std::mt19937 random(20'261'127);
  for (int i = 0; i < 20; ++i) {
    add(own_rows(random));
    add(programs(random));
  }
  return seeds;
}
