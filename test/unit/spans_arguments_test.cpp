// SPDX-License-Identifier: BSD-3-Clause
// Arguments of system calls, and what they point to: from entries to the call, and as text.
#include <arpa/inet.h>
#include <netinet/in.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "emit/text/call_arguments_text.h"
#include "format/event_table.h"
#include "format/syscall_arguments.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

constexpr EventNum kOpenat = KUTRACE_SYSCALL64_EVENT + 257;
constexpr std::uint64_t kHere = static_cast<std::uint32_t>(-100);

TraceBuilder named() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kSYSCALL_NAME, 257, "openat");
  return b;
}

// One entry of what an argument points to.
TraceBuilder& data(TraceBuilder& b, Ticks time, std::uint32_t what, std::string_view bytes) {
  std::vector<std::uint64_t> words((bytes.size() + 7) / 8);
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  const auto length = static_cast<std::uint32_t>(bytes.size()) << KUTRACE_DATA_LENGTH_SHIFT;
  return b.words_at(time, kind::kCALL_DATA, what | length, words);
}

TraceBuilder& arguments(TraceBuilder& b, Ticks time, const std::vector<std::uint64_t>& values) {
  return b.words_at(time, kind::kARGUMENTS, 0, values);
}

std::string only_line(TraceBuilder& b) {
  const Replay r = replayed(b, 100);
  REQUIRE(r.system_calls.size() == 1);
  const std::string& line = r.system_calls.front();
  return line.substr(line.find(']') + 2);
}

TEST_CASE("all arguments of a call stand before it, a long string in several entries") {
  TraceBuilder b = named();
  const std::string path(100, 'p');
  b.cpu(0, 10);
  data(b, 10, 1 | KUTRACE_DATA_MORE, path.substr(0, 56));
  data(b, 10, 1, path.substr(56));
  arguments(b, 10, {kHere, 0x5555'0000'1000, 0x80241, 0644}).at(10, kOpenat, kHere & 0xffff);
  b.at(20, kOpenat | kReturn, 3);
  CHECK(only_line(b) == "openat(AT_FDCWD, \"" + path +
                            "\", O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC, 0644) = 3<" + path +
                            "> <0.000000160>");
}

TEST_CASE("what a call gives back stands before its return, as does what was read late") {
  TraceBuilder b = named();
  b.cpu(0, 10);
  arguments(b, 10, {3, 0x1000, 64}).at(10, kRead, 3);
  data(b, 20, 1 | KUTRACE_DATA_CUT,
       "a\"b\n\x01"
       "7\xff")
      .at(20, kRead | kReturn, 9);
  CHECK(only_line(b) == R"(read(3, "a\"b\n\0017\377"..., 64) = 9 <0.000000160>)");

  TraceBuilder late = named();
  late.cpu(0, 10);
  arguments(late, 10, {kHere, 0x1000, 0}).at(10, kOpenat, kHere & 0xffff);
  data(late, 20, 1 | KUTRACE_DATA_LATE, "x").at(20, kOpenat | kReturn, 4);
  CHECK(only_line(late) ==
        R"(openat(AT_FDCWD, "x" /* read at return */, O_RDONLY) = 4<x> <0.000000160>)");
}

TEST_CASE("a folded call has its arguments, and what is unreadable is a pointer") {
  TraceBuilder b = named();
  b.cpu(0, 10);
  data(b, 10, 1 | KUTRACE_DATA_UNREADABLE, "");
  arguments(b, 10, {kHere, 0x1000, 0}).folded(10, kOpenat, kHere & 0xffff, 5, -14);
  CHECK(only_line(b) == "openat(AT_FDCWD, 0x1000, O_RDONLY) = -1 EFAULT <0.000000080>");
}

TEST_CASE("a name behind a descriptor is text, in which bytes that are none are octal") {
  TraceBuilder b = named();
  b.cpu(0, 10);
  data(b, 10, 1, "a\"b\xff");
  arguments(b, 10, {kHere, 0x1000, 0}).at(10, kOpenat, kHere & 0xffff).at(20, kOpenat | kReturn, 3);
  CHECK(only_line(b) == R"(openat(AT_FDCWD, "a\"b\377", O_RDONLY) = 3<a"b\377> <0.000000160>)");
}

TEST_CASE("of a futex's registers those are told that the operation takes") {
  constexpr std::uint64_t kPrivate = 128;
  const auto line = [](std::uint64_t operation) {
    TraceBuilder b = named();
    b.name(kind::kSYSCALL_NAME, 202, "futex").cpu(0, 10);
    arguments(b, 10, {0x1000, operation, 1, 0x2000, 0x3000, 7}).folded(10, kFutex, 0x1000, 5, 0);
    return only_line(b);
  };
  CHECK(line(kPrivate) == "futex(0x1000, FUTEX_WAIT_PRIVATE, 1, 0x2000) = 0 <0.000000080>");
  CHECK(line(1 | kPrivate) == "futex(0x1000, FUTEX_WAKE_PRIVATE, 1) = 0 <0.000000080>");
  CHECK(line(6) == "futex(0x1000, FUTEX_LOCK_PI, 0x2000) = 0 <0.000000080>");
  CHECK(line(7) == "futex(0x1000, FUTEX_UNLOCK_PI) = 0 <0.000000080>");
  CHECK(line(9) == "futex(0x1000, FUTEX_WAIT_BITSET, 1, 0x2000, 7) = 0 <0.000000080>");
  CHECK(line(10) == "futex(0x1000, FUTEX_WAKE_BITSET, 1, 7) = 0 <0.000000080>");
}

TEST_CASE("the low byte of clone's flags is a signal") {
  TraceBuilder b = named();
  b.name(kind::kSYSCALL_NAME, 56, "clone").cpu(0, 10);
  arguments(b, 10, {0x1200011, 0, 0, 0x1000, 0}).folded(10, kClone, 0x11, 5, 77);
  CHECK(only_line(b) ==
        "clone(SIGCHLD|CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID, NULL, NULL, 0x1000, 0) = 77 "
        "<0.000000080>");
  CHECK(flags_text("FORK", 0x3d0f00) ==
        "CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD|CLONE_SYSVSEM|CLONE_SETTLS|"
        "CLONE_PARENT_SETTID|CLONE_CHILD_CLEARTID");
}

TEST_CASE("arguments of a call that is lost are no other call's") {
  TraceBuilder b = named();
  b.cpu(0, 10);
  arguments(b, 10, {3, 0x1000, 64}).at(20, kRead, 5).at(30, kRead | kReturn, 0);
  CHECK(only_line(b) == "read(5, ...) = 0 <0.000000160>");
}

TEST_CASE("of a call that blocks, arguments are kept until it returns") {
  TraceBuilder b = named();
  b.cpu(0, 10);
  arguments(b, 10, {3, 0x1000, 64}).at(10, kRead, 3);
  b.at(16, kSched).at(20, ev::kUSERPID, 20).at(24, kSched | kReturn);
  arguments(b, 30, {4, 0x2000, 32}).at(30, kRead, 4);
  data(b, 36, 1, "b").at(36, kRead | kReturn, 1);
  b.at(40, kSched).at(50, ev::kUSERPID, 10).at(54, kSched | kReturn);
  data(b, 60, 1, "a").at(60, kRead | kReturn, 1);
  const Replay r = replayed(b, 100);
  REQUIRE(r.system_calls.size() == 2);
  CHECK(r.system_calls[0].find(R"([20] read(4, "b", 32) = 1)") != std::string::npos);
  CHECK(r.system_calls[1].find(R"([10] read(3, "a", 64) = 1)") != std::string::npos);
}

template <typename T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string connect_text(const std::string& address) {
  CallDetails details{{3, 0x1000, address.size()}, 3, {}, {}};
  details.data.push_back({.argument = 1, .bytes = address});
  Call call;
  call.details = &details;
  return emit::arguments_text("connect", call);
}

TEST_CASE("addresses of sockets are shown as strace shows them") {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(80);
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(connect_text(bytes_of(v4)) ==
        R"(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, 16)");
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(443);
  v6.sin6_addr = in6addr_loopback;
  CHECK(connect_text(bytes_of(v6)) ==
        R"(3, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), )"
        R"(inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28)");
  CHECK(connect_text(std::string("\1\0/run/x\0rest", 13)) ==
        R"(3, {sa_family=AF_UNIX, sun_path="/run/x"}, 13)");
  CHECK(connect_text(std::string("\1\0\0name", 7)) ==
        R"(3, {sa_family=AF_UNIX, sun_path=@"name"}, 7)");
  for (std::size_t size = 0; size < 28; ++size) {  // cut anywhere
    CHECK_FALSE(connect_text(bytes_of(v4).substr(0, size)).empty());
    CHECK_FALSE(connect_text(bytes_of(v6).substr(0, size)).empty());
  }
}

TEST_CASE("flags have their names, and what has none its number") {
  CHECK(flags_text("O", 0) == "O_RDONLY");
  CHECK(flags_text("O", 0x101002) == "O_RDWR|O_SYNC");
  CHECK(flags_text("O", 0x40000000) == "O_RDONLY|0x40000000");
  CHECK(flags_text("PROT", 0) == "PROT_NONE");
  CHECK(flags_text("MSG", 0) == "0");
  CHECK(flags_text("ACCESS", 0) == "F_OK");
  CHECK(flags_text("SIG", 9) == "SIGKILL");
  CHECK(flags_text("SIG", 34) == "SIGRT_2");
  CHECK(flags_text("FUTEX", 0x189) == "FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME");
  CHECK(flags_text("no such set", 5) == "0x5");
}

TEST_CASE("arguments of calls are told by the call's name") {
  const std::vector<CallArgument>* openat = arguments_of("openat");
  REQUIRE(openat != nullptr);
  REQUIRE(openat->size() == 4);
  CHECK(openat->front().kind == ArgumentKind::kFolder);
  CHECK((*openat)[1].kind == ArgumentKind::kPath);
  CHECK((*openat)[2].flags == "O");
  REQUIRE(arguments_of("getppid") != nullptr);
  CHECK(arguments_of("getppid")->empty());
  CHECK(arguments_of("no_such_call") == nullptr);
}

}  // namespace
}  // namespace kutrace::test
