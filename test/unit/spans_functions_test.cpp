// SPDX-License-Identifier: BSD-3-Clause
// Functions of programs: nesting, ends that nobody saw, calls that are told when they are over,
// probes, names.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "format/event_table.h"
#include "kutrace/labels.h"
#include "support/event_numbers.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

constexpr std::uint32_t kMain = KUTRACE_FIRST_FUNCTION + 1;
constexpr std::uint32_t kWork = KUTRACE_FIRST_FUNCTION + 2;
constexpr std::uint32_t kProbed = KUTRACE_FIRST_PROBED_FUNCTION;

std::uint32_t at_depth(std::uint32_t depth, std::uint32_t number) {
  return depth << KUTRACE_FUNCTION_DEPTH_SHIFT | number;
}

// "depth name begin+duration/own", in ticks of 16 ns, in the order of their ends.
std::vector<std::string> functions_of(const Replay& r) {
  std::vector<std::string> functions;
  for (const Span& span : r.spans) {
    if (span.kind != SpanKind::kFunction) continue;
    CHECK(span.cpu == kNoCpu);
    functions.push_back(fmt::format("{} {}.{} {}+{}/{}", span.arg, r.names.text(span.name),
                                    span.pid, span.start / 16, span.duration / 16,
                                    span.value / 16));
  }
  return functions;
}

using Functions = std::vector<std::string>;

TraceBuilder named() {
  TraceBuilder b;
  b.cpu(0, 10).folded(1, kRead, 0, 1, 0);
  b.words_at(1, kind::kLOCK_NAME, kMain, text_words("main"));
  b.words_at(1, kind::kLOCK_NAME, kWork, text_words("_ZN3lab4workEi"));
  return b;
}

void probe(TraceBuilder& b, Ticks time, EventNum what, std::uint32_t number, std::uint64_t stack) {
  b.words_at(time, kind::kPOINT, what, {number, stack});
}

}  // namespace

TEST_CASE("functions lie in one another, and have the time in them for their own that is left") {
  TraceBuilder b = named();
  b.at(10, ev::kFUNCTION_ENTER, at_depth(0, kMain));
  b.at(20, ev::kFUNCTION_ENTER, at_depth(1, kWork));
  b.at(30, kRead, 3);
  b.at(40, kRead + kReturn, 0);
  b.at(50, ev::kFUNCTION_LEAVE, at_depth(1, kWork));
  b.at(60, ev::kFUNCTION_ENTER, at_depth(1, kWork));
  b.at(65, ev::kFUNCTION_LEAVE, at_depth(1, kWork));
  b.at(90, ev::kFUNCTION_LEAVE, at_depth(0, kMain));
  const Replay r = replayed(b, 100);
  CHECK(functions_of(r) == Functions{"1 lab::work(int).10 20+30/30", "1 lab::work(int).10 60+5/5",
                                     "0 main.10 10+80/45"});
  CHECK_FALSE(r.info.counters.any(Severity::kRepair));
}

TEST_CASE("a function that was left unseen ends where the next event proves it") {
  TraceBuilder b = named();
  b.at(10, ev::kFUNCTION_ENTER, at_depth(0, kMain));
  b.at(20, ev::kFUNCTION_ENTER, at_depth(1, kWork));
  b.at(30, ev::kFUNCTION_ENTER, at_depth(2, kWork));
  b.at(40, ev::kFUNCTION_ENTER, at_depth(1, kWork));
  b.at(50, ev::kFUNCTION_LEAVE, at_depth(0, kMain));
  b.at(60, ev::kFUNCTION_LEAVE, at_depth(0, kMain));
  const Replay r = replayed(b, 100);
  CHECK(functions_of(r) == Functions{"2 lab::work(int).10 30+10/10", "1 lab::work(int).10 20+20/10",
                                     "1 lab::work(int).10 40+10/10", "0 main.10 10+40/10"});
  CHECK(r.info.counters.of(Counter::kFunctionEndNotSeen) == 3);
  CHECK(r.info.counters.of(Counter::kFunctionBeginNotSeen) == 1);
}

TEST_CASE(
    "functions are of their threads, and end with them, with the recording, and with the program") {
  TraceBuilder b = named();
  b.name(kind::kSYSCALL_NAME, 59, "execve");
  b.at(10, ev::kFUNCTION_ENTER, at_depth(0, kMain));
  b.at(20, ev::kUSERPID, 11 | KUTRACE_SWITCH_RUNNABLE);
  b.at(30, ev::kFUNCTION_ENTER, at_depth(0, kMain));
  b.at(40, ev::kUSERPID, 10 | KUTRACE_SWITCH_RUNNABLE);
  b.at(50, 0x800 + 59);
  b.at(60, 0xa00 + 59, 0);
  b.at(70, ev::kFUNCTION_ENTER, at_depth(0, kWork));
  const Replay r = replayed(b, 100);
  const Functions functions = functions_of(r);
  REQUIRE(functions.size() == 3);
  CHECK(functions[0] == "0 main.10 10+50/50");
  CHECK(std::ranges::find(functions, "0 lab::work(int).10 70+30/30") != functions.end());
  CHECK(std::ranges::find(functions, fmt::format("0 function.{}.11 30+70/70", kMain)) !=
        functions.end());
}

TEST_CASE("a loss ends the functions of the thread that it took") {
  TraceBuilder b = named();
  b.at(10, ev::kFUNCTION_ENTER, at_depth(0, kMain));
  b.words_at(60, kind::kLOSS, KUTRACE_LOSS_BUFFER_FULL << KUTRACE_LOSS_REASON_SHIFT,
             {kStart + 30, kStart + 60, 7});
  b.at(70, ev::kFUNCTION_LEAVE, at_depth(0, kMain));
  CHECK(functions_of(replayed(b, 100)) == Functions{"0 main.10 10+20/20"});
}

TEST_CASE("functions that are told when they are over contain those that were told before") {
  TraceBuilder b = named();
  const auto over = [&](Ticks time, std::uint32_t depth, std::uint32_t number, Ticks took,
                        std::uint64_t left_out) {
    b.words_at(time, kind::kFUNCTION, at_depth(depth, number),
               {static_cast<std::uint64_t>(took * 16), left_out});
  };
  over(30, 1, kWork, 10, 2);
  over(50, 1, kWork, 5, 0);
  over(60, 0, kMain, 45, 1);
  over(90, 0, kMain, 10, 0);
  over(95, 0, kMain, 1'000'000'000, 0);  // longer than the recording
  const Replay r = replayed(b, 100);
  CHECK(functions_of(r) == Functions{"1 lab::work(int).10 20+10/10", "1 lab::work(int).10 45+5/5",
                                     "0 main.10 15+45/30", "0 main.10 80+10/10",
                                     "0 main.10 0+95/95"});
  CHECK(r.info.counters.of(Counter::kFunctionsLeftOut) == 3);
}

TEST_CASE("probed functions are over when the stack is above them") {
  TraceBuilder b;
  const std::string name(60, 'x');
  const std::uint32_t rest = KUTRACE_FIRST_LONG_LABEL;
  std::string piece = name.substr(0, KUTRACE_LABEL_PIECE) + '\0';
  piece.append(reinterpret_cast<const char*>(&rest), sizeof rest);
  b.name(kind::kLOCK_NAME, kProbed, piece);
  b.name(kind::kLOCK_NAME, rest, name.substr(KUTRACE_LABEL_PIECE));
  b.name(kind::kLOCK_NAME, kProbed + 1, "g");
  b.cpu(0, 10).folded(1, kRead, 0, 1, 0);
  probe(b, 10, ev::kPROBE_ENTER, kProbed, 1000);
  probe(b, 20, ev::kPROBE_ENTER, kProbed + 1, 900);
  probe(b, 25, ev::kPROBE_ENTER, kProbed + 1, 800);
  probe(b, 30, ev::kPROBE_ENTER, kProbed + 1, 900);  // it was left by longjmp
  probe(b, 40, ev::kPROBE_LEAVE, kProbed + 1, 908);
  probe(b, 45, ev::kPROBE_LEAVE, kProbed + 1, 908);
  probe(b, 50, ev::kPROBE_LEAVE, kProbed, 1008);
  const Replay r = replayed(b, 100);
  CHECK(functions_of(r) == Functions{"2 g.10 25+5/5", "1 g.10 20+10/5", "1 g.10 30+10/10",
                                     fmt::format("0 {}.10 10+40/20", name)});
  CHECK(r.info.counters.of(Counter::kFunctionBeginNotSeen) == 1);
}

TEST_CASE("a symbol that grows when it is read stays as it is") {
  std::string symbol = "_Z1fI";
  for (int i = 0; i < 30; ++i) symbol += "1AIS_S_E";
  TraceBuilder b;
  b.cpu(0, 10);
  b.words_at(1, kind::kLOCK_NAME, kMain, text_words(symbol.substr(0, KUTRACE_NAME_BYTES)));
  b.at(10, ev::kFUNCTION_ENTER, at_depth(0, kMain));
  CHECK(functions_of(replayed(b, 20)) ==
        Functions{fmt::format("0 {}.10 10+10/10", symbol.substr(0, KUTRACE_NAME_BYTES))});
}

}  // namespace kutrace::test
