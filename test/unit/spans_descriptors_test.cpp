// SPDX-License-Identifier: BSD-3-Clause
// Names of descriptors, from calls and from what /proc showed, over forks, programs that are
// started, and losses.
#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/event_table.h"
#include "format/process_text.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

using Values = std::vector<std::uint64_t>;

constexpr std::uint64_t kHere = static_cast<std::uint32_t>(-100);
constexpr std::uint64_t kCloseOnExec = 02000000;

// Numbers of x86-64.
enum Number : std::uint16_t {
  kReadCall = 0,
  kCloseCall = 3,
  kPipeCall = 22,
  kDup2Call = 33,
  kSocketCall = 41,
  kConnectCall = 42,
  kAcceptCall = 43,
  kBindCall = 49,
  kRingCall = 426,
  kCloneCall = 56,
  kExecCall = 59,
  kFcntlCall = 72,
  kChdirCall = 80,
  kOpenatCall = 257,
};

template <typename T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string ipv4(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return bytes_of(address);
}

// One CPU, calls of 10 ticks each.
class Story {
 public:
  Story() {
    constexpr std::array<std::pair<Number, const char*>, 14> kNames = {
        {{kReadCall, "read"},
         {kCloseCall, "close"},
         {kPipeCall, "pipe2"},
         {kDup2Call, "dup2"},
         {kSocketCall, "socket"},
         {kConnectCall, "connect"},
         {kAcceptCall, "accept"},
         {kBindCall, "bind"},
         {kRingCall, "io_uring_enter"},
         {kCloneCall, "clone"},
         {kExecCall, "execve"},
         {kFcntlCall, "fcntl"},
         {kChdirCall, "chdir"},
         {kOpenatCall, "openat"}}};
    for (const auto& [number, name] : kNames) builder.name(kind::kSYSCALL_NAME, number, name);
    builder.task(10, 10, 0).task(11, 10, 0);
  }

  void starts() { builder.cpu(0, 10); }
  void seen(const DescriptorRecord& record) { builder.text(kind::kPROCESS, record_text(record)); }
  // What argument `in_at` points to stands before the call, `out_at` before its return.
  void call(Number number, const Values& values, std::int32_t result, std::string_view in = {},
            std::uint32_t in_at = 1, std::string_view out = {}, std::uint32_t out_at = 1) {
    if (!in.empty()) data(in_at, in);
    builder.words_at(now_, kind::kARGUMENTS, 0, values);
    builder.at(now_, event(number), static_cast<std::uint32_t>(values.at(0)) & 0xffff);
    now_ += 10;
    if (!out.empty()) data(out_at, out);
    builder.at(now_, event(number) | kReturn, static_cast<std::uint16_t>(result));
    now_ += 10;
  }
  // The same of which no arguments were recorded: an entry alone.
  void untold(Number number, std::uint32_t first, std::int32_t result) {
    builder.at(now_, event(number), first & 0xffff);
    now_ += 10;
    builder.at(now_, event(number) | kReturn, static_cast<std::uint16_t>(result));
    now_ += 10;
  }
  void open(std::string_view path, std::int32_t result, std::uint64_t flags = 0) {
    call(kOpenatCall, {kHere, 0x1000, flags}, result, path);
  }
  void switch_to(Pid pid) {
    builder.at(now_, ev::kUSERPID, static_cast<std::uint32_t>(pid));
    now_ += 10;
  }
  // By the thread that runs.
  void makes(Pid child) {
    const auto number = static_cast<std::uint32_t>(child);
    builder.words_at(now_, kind::kTASK, number, {0, std::uint64_t{10} << 32 | number});
    now_ += 10;
  }
  void loses() {
    builder.words_at(now_, kind::kLOSS, KUTRACE_LOSS_BUFFER_FULL << KUTRACE_LOSS_REASON_SHIFT,
                     {kStart + now_ - 5, kStart + now_, 1});
    now_ += 10;
  }
  Ticks now() const { return now_; }

  // What `read` of this descriptor was said to read from.
  std::string read_from(std::int32_t number) {
    call(kReadCall, {static_cast<std::uint64_t>(number), 0x2000, 64}, 0);
    const Replay r = replayed(builder, now_ + 100);
    const std::string& line = r.system_calls.back();
    const std::size_t from = line.find('(') + 1;
    return line.substr(from, line.find(',', from) - from);
  }

  TraceBuilder builder;

 private:
  static EventNum event(Number number) {
    return static_cast<EventNum>(KUTRACE_SYSCALL64_EVENT + number);
  }
  void data(std::uint32_t argument, std::string_view bytes) {
    std::vector<std::uint64_t> words((bytes.size() + 7) / 8);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    const auto length = static_cast<std::uint32_t>(bytes.size()) << KUTRACE_DATA_LENGTH_SHIFT;
    builder.words_at(now_, kind::kCALL_DATA, argument | length, words);
  }

  Ticks now_ = 10;
};

TEST_CASE("a descriptor is the file that was opened, until it is closed") {
  Story s;
  s.starts();
  s.open("/etc/../etc/./passwd", 3);
  CHECK(s.read_from(3) == "3</etc/passwd>");
  s.call(kCloseCall, {3}, 0);
  CHECK(s.read_from(3) == "3");
}

TEST_CASE("a call that failed opens nothing") {
  Story s;
  s.starts();
  s.open("/a", 3);
  s.open("/b", -2);
  CHECK(s.read_from(3) == "3</a>");
}

TEST_CASE("calls without recorded arguments take the names that they may have changed") {
  const auto told_after = [](Number number, std::uint32_t first, std::int32_t result) {
    Story s;
    s.starts();
    s.open("/a", 3);
    s.open("/b", 5, kCloseOnExec);
    s.untold(number, first, result);
    return s.read_from(3) + " " + s.read_from(5);
  };
  CHECK(told_after(kReadCall, 3, 10) == "3</a> 5</b>");
  CHECK(told_after(kCloseCall, 3, 0) == "3 5</b>");
  CHECK(told_after(kCloseCall, 0x10003, 0) == "3 5</b>");  // the entry has the low half of it
  CHECK(told_after(kDup2Call, 5, 3) == "3 5</b>");
  CHECK(told_after(kDup2Call, 5, -9) == "3</a> 5</b>");
  CHECK(told_after(kOpenatCall, 0xff9c, 3) == "3 5</b>");
  CHECK(told_after(kConnectCall, 3, 0) == "3 5</b>");
  CHECK(told_after(kExecCall, 0x1000, 0) == "3</a> 5");
}

TEST_CASE("what the kernel is asked for by a ring takes all names but the ring's") {
  Story s;
  s.starts();
  s.open("/a", 3);
  s.open("ring", 4);
  s.call(kRingCall, {4, 0, 1, 1, 0, 0}, 0);  // it hands over nothing
  CHECK(s.read_from(3) == "3</a>");
  s.call(kRingCall, {4, 1, 1, 1, 0, 0}, 1);
  CHECK(s.read_from(3) == "3");
  CHECK(s.read_from(4) == "4<ring>");
  s.open("/b", 3);
  s.call(kRingCall, {0, 1, 1, 0x10, 0, 0}, 1);  // a registered one
  CHECK(s.read_from(3) == "3");
}

TEST_CASE("a name that was not recorded takes the old one away") {
  Story s;
  s.starts();
  s.open("/a", 3);
  s.call(kOpenatCall, {kHere, 0x1000, 0}, 3);
  CHECK(s.read_from(3) == "3");
}

TEST_CASE("paths begin where the process is") {
  Story s;
  s.starts();
  s.call(kChdirCall, {0x1000}, 0, "/var/log", 0);
  s.open("x", 3);
  CHECK(s.read_from(3) == "3</var/log/x>");
  s.call(kChdirCall, {0x1000}, -2, "/tmp", 0);
  s.open("../y", 3);
  CHECK(s.read_from(3) == "3</var/y>");
}

TEST_CASE("copies have the name, and one to itself changes nothing") {
  Story s;
  s.starts();
  s.open("/a", 3, kCloseOnExec);
  s.call(kDup2Call, {3, 7}, 7);
  s.call(kFcntlCall, {3, 1030, 9}, 9);
  s.call(kDup2Call, {3, 3}, 3);
  CHECK(s.read_from(7) == "7</a>");
  CHECK(s.read_from(9) == "9</a>");
  s.call(kExecCall, {0x1000, 0, 0}, 0);
  CHECK(s.read_from(7) == "7</a>");
  CHECK(s.read_from(9) == "9");
  CHECK(s.read_from(3) == "3");
}

TEST_CASE("what a program keeps when it starts another is as it was told last") {
  Story s;
  s.starts();
  s.open("/a", 3, kCloseOnExec);
  s.open("/b", 4);
  s.call(kFcntlCall, {3, 2, 0}, 0);
  s.call(kFcntlCall, {4, 2, 1}, 0);
  s.call(kExecCall, {0x1000, 0, 0}, 0);
  CHECK(s.read_from(3) == "3</a>");
  CHECK(s.read_from(4) == "4");
}

TEST_CASE("both ends of a pipe have a name") {
  Story s;
  s.starts();
  s.call(kPipeCall, {0x1000, 0}, 0, {}, 0, bytes_of(std::array<std::int32_t, 2>{5, 6}), 0);
  CHECK(s.read_from(5) == "5<pipe>");
  CHECK(s.read_from(6) == "6<pipe>");
}

TEST_CASE("connections are told by what both sides said") {
  Story s;
  s.starts();
  s.call(kSocketCall, {AF_INET, SOCK_STREAM, 0}, 3);
  CHECK(s.read_from(3) == "3<TCP>");
  s.call(kBindCall, {3, 0x1000, 16}, 0, ipv4(80));
  CHECK(s.read_from(3) == "3<TCP:[127.0.0.1:80]>");
  s.call(kAcceptCall, {3, 0x1000, 0x2000}, 4, {}, 1, ipv4(5123));
  CHECK(s.read_from(4) == "4<TCP:[127.0.0.1:80->127.0.0.1:5123]>");
  s.call(kSocketCall, {AF_INET, SOCK_STREAM, 0}, 5);
  s.call(kConnectCall, {5, 0x1000, 16}, -115, ipv4(80));  // EINPROGRESS
  CHECK(s.read_from(5) == "5<TCP:[?->127.0.0.1:80]>");
  s.call(kSocketCall, {AF_INET, SOCK_STREAM, 0}, 6);
  s.call(kConnectCall, {6, 0x1000, 16}, -111, ipv4(80));
  CHECK(s.read_from(6) == "6<TCP>");
}

TEST_CASE("a child has what its parent had when it was made, and changes its own") {
  Story s;
  s.starts();
  s.open("/a", 3);
  s.open("/b", 4);
  s.makes(20);
  s.call(kCloseCall, {3}, 0);
  s.switch_to(20);
  CHECK(s.read_from(3) == "3</a>");
  s.call(kCloseCall, {4}, 0);
  s.switch_to(10);
  CHECK(s.read_from(4) == "4</b>");
  CHECK(s.read_from(3) == "3");
}

TEST_CASE("threads of a process share descriptors") {
  Story s;
  s.starts();
  s.open("/a", 3);
  s.switch_to(11);
  CHECK(s.read_from(3) == "3</a>");
}

TEST_CASE("what /proc showed holds from then on") {
  Story s;
  s.seen({.process = 10, .at = kStart + 100, .number = 3, .close_on_exec = false, .name = "/p q"});
  s.seen({.process = 10, .at = kStart + 100, .number = -100, .close_on_exec = false, .name = "/w"});
  s.starts();
  CHECK(s.read_from(3) == "3");
  while (s.now() < 100) s.call(kReadCall, {9, 0x2000, 1}, 0);
  CHECK(s.read_from(3) == "3</p q>");
  s.open("x", 4);
  CHECK(s.read_from(4) == "4</w/x>");
  s.call(kCloseCall, {3}, 0);
  CHECK(s.read_from(3) == "3");
}

TEST_CASE("after a loss nothing is known of before") {
  Story s;
  s.starts();
  s.open("/a", 3);
  s.loses();
  s.call(kReadCall, {9, 0x2000, 1}, 0);
  CHECK(s.read_from(3) == "3");
  s.open("/b", 4);
  CHECK(s.read_from(4) == "4</b>");
}

TEST_CASE("of too many open descriptors the earlier ones are forgotten, and that is counted") {
  constexpr std::int32_t kOpen = 1200;
  constexpr Pid kChildren = 1000;
  Story s;
  s.starts();
  s.open("/a", 3);
  for (std::int32_t to = 4; to < kOpen; ++to)
    s.call(kDup2Call, {3, static_cast<std::uint64_t>(to)}, to);
  s.builder.new_block(s.now(), 10);
  for (Pid child = 100; child < 100 + kChildren; ++child) {
    s.makes(child);
    s.switch_to(child);
    s.untold(kCloseCall, 5, 0);  // its own table from here on
    s.switch_to(10);
  }
  CHECK(s.read_from(3) == "3");
  s.open("/b", 4);
  CHECK(s.read_from(4) == "4</b>");
  CHECK(replayed(s.builder, s.now()).info.counters.named(Severity::kNote).at("files_forgotten") ==
        1);
}

TEST_CASE("records of processes survive as text, and what is none is refused") {
  for (const std::string name : {"/a", "a b  c", "socket:[1]"}) {
    const DescriptorRecord record{812, 0x1a2b, 5, true, name};
    CHECK(parse_descriptor_record(record_text(record)) == record);
  }
  const CgroupRecord cgroup{812, 0x1a2b, "/system.slice/a b.service"};
  CHECK(parse_cgroup_record(record_text(cgroup)) == cgroup);
  CHECK(!parse_cgroup_record(record_text(DescriptorRecord{1, 2, 3, false, "/x"})));
  for (const char* text : {"", "fd", "fd 1 2 3 -", "fd 1 2 3 - ", "fd x 2 3 - /a", "fd 1 2 -5 - /a",
                           "fd 1 2 99999999999 - /a"})
    CHECK(!parse_descriptor_record(text));
}

}  // namespace
}  // namespace kutrace::test
