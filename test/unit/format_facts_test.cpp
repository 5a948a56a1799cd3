// SPDX-License-Identifier: BSD-3-Clause
// What is known of a trace beside its events: texts to values and back, and texts that are none.
#include <catch2/catch.hpp>
#include <string>

#include "format/facts.h"
#include "format/machine_fact.h"

namespace kutrace::test {
namespace {

// What comes back of a value that was written as a file has it.
template <typename Value>
std::optional<Value> back(fact::Key<Value> key, const std::type_identity_t<Value>& value) {
  Facts written;
  written.add(key, value);
  Facts read;
  for (const auto& [name, text] : written) read.add(name, text);
  return read.get(key);
}

template <typename Value>
std::optional<Value> of_text(fact::Key<Value> key, const std::string& text) {
  Facts facts;
  facts.add(key.text, text);
  return facts.get(key);
}

}  // namespace

TEST_CASE("a value of each type is read back as it was written") {
  CHECK(back(fact::kTitle, "a=b, c") == "a=b, c");
  CHECK(back(fact::kBlocks, ~std::uint64_t{0}) == ~std::uint64_t{0});
  CHECK(back(fact::kCostNsPerEvent, 12.3) == 12.3);
  CHECK(back(fact::kCpusOnline, {0, 1, 8191}) == fact::Cpus{0, 1, 8191});
  CHECK(back(fact::kFaultReturns, false) == false);
  CHECK(back(fact::kFaultReturns, true) == true);
  CHECK(back(fact::kEvents, {"sched", "net"}) == fact::Words{"sched", "net"});
  const auto rate = back(fact::kTickNs, TickRate{1e9 / 3, 1});
  REQUIRE(rate);
  CHECK(rate->ns(1) == 1e9 / 3);
}

TEST_CASE("a text that is no value of its fact's type is none, and stays a text") {
  for (const char* text : {"", "many", "1x", "-1", "1.5", "18446744073709551616"}) {
    CAPTURE(text);
    CHECK_FALSE(of_text(fact::kBlocks, text));
  }
  for (const char* text : {"", "nan", "inf", "1e999", "1,5", "x"}) {
    CAPTURE(text);
    CHECK_FALSE(of_text(fact::kCostPercent, text));
  }
  for (const char* text : {"", "/", "16/", "/1", "a/b", "16/1/1", "1/0", "nan", "inf/2"}) {
    CAPTURE(text);
    CHECK_FALSE(of_text(fact::kTickNs, text));
  }
  for (const char* text : {"", "ON", "offf"}) CHECK_FALSE(of_text(fact::kFaultReturns, text));
  CHECK(of_text(fact::kTickNs, "62.5")->ns(2) == 125);
  CHECK(of_text(fact::kCpusOnline, "0-2,x,7") == fact::Cpus{0, 1, 2});
  Facts facts;
  facts.add("blocks", "many");
  CHECK(facts.has(fact::kBlocks));
  CHECK(*facts.find("blocks") == "many");
}

TEST_CASE("facts keep their order and repeat, and the first one counts") {
  Facts facts;
  facts.add(fact::kUnseen, "one");
  facts.add("of.tomorrow", "?");
  facts.add(fact::kUnseen, "two");
  CHECK(facts.get(fact::kUnseen) == "one");
  CHECK(*facts.find("of.tomorrow") == "?");
  facts.erase(fact::kUnseen);
  CHECK_FALSE(facts.has(fact::kUnseen));
  CHECK(std::distance(facts.begin(), facts.end()) == 1);
}

TEST_CASE("a thread's host is told in a trace of several machines, where it is known") {
  Facts facts;
  CHECK(host_of_thread(7, facts).empty());
  facts.add(
      std::string(fact::kMachine) + "0",
      to_text({.host = "web", .cpus = {0}, .first_thread = 0, .begin = 0, .clock = "clock=0"}));
  facts.add(std::string(fact::kMachine) + "1", to_text({.host = "",
                                                        .cpus = {1},
                                                        .first_thread = kThreadsOfMachine,
                                                        .begin = 0,
                                                        .clock = "clock=0"}));
  CHECK(host_of_thread(7, facts) == "web");
  CHECK(host_of_thread(kThreadsOfMachine - 1, facts) == "web");
  CHECK(host_of_thread(kThreadsOfMachine, facts).empty());
  CHECK(host_of_thread(2 * kThreadsOfMachine, facts).empty());
}

}  // namespace kutrace::test
