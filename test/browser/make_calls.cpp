// SPDX-License-Identifier: BSD-3-Clause
// Writes a raw trace of calls. In: which one, and a file name; out: the trace.
//   fsync  a program calls fsync eight times, each time blocking in it for longer or shorter, on
//          two CPUs with interrupts in between
//   nested calls side by side and one within the other, at the places where these look alike
//   births  a program that makes threads, each of which returns from the call as well
//   files  a program that opens files, reads them, once in pieces, and closes them
//   rpcs   three requests: of one thread, of two on two CPUs, and again of the first
//   functions  a program that tells of its functions, three in one another, with system calls
//   within many   more calls than a page keeps in one part, of a machine that compiles; the third
//   word:
//          how many entries
//   requests  two servers that answer on several sockets at a time, in part by way of a disk
//   stacks  threads that leave their CPUs, and samples, most with the stack that led there
//   truth  a machine drawn from a seed, which is the third word
//   talking  two machines that send each other packets, in one trace, drawn from a seed
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "kutrace/labels.h"
#include "support/event_numbers.h"
#include "support/joined_machines.h"
#include "support/trace_builder.h"
#include "support/trace_generator.h"
#include "support/truth_generator.h"

namespace kutrace::test {
namespace {

constexpr EventNum kFsync = 0x84a;
constexpr Pid kDatabase = 10;
constexpr Pid kFlusher = 20;
constexpr std::array<Ticks, 8> kBlocked = {900, 5000, 200, 7000, 1200, 3000, 400, 2500};

void add_calls(TraceBuilder& b) {
  Ticks now = 100;
  for (const Ticks blocked : kBlocked) {
    b.cpu(0).at(now, kFsync, 4).at(now + 20, kTimer).at(now + 30, kTimer | kReturn);
    b.at(now + 40, kSched).at(now + 50, ev::kUSERPID, 0);
    b.cpu(1).at(now + 50 + blocked, ev::kRUNNABLE, kDatabase);
    b.cpu(0).at(now + 80 + blocked, ev::kUSERPID, kDatabase);
    b.at(now + 90 + blocked, kSched | kReturn).at(now + 150 + blocked, kFsync | kReturn, 0);
    b.folded(now + 200 + blocked, kWrite, 4, 30, 512);
    now += 400 + blocked;
  }
}

std::vector<std::byte> fsync_trace() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, kFsync & 0x1ff, "fsync").name(kind::kSYSCALL_NAME, 1, "write");
  b.name(kind::kIRQ_NAME, 0xec, "local_timer");
  b.name(kind::kPID_NAME, kDatabase, "db").name(kind::kPID_NAME, kFlusher, "flusher");
  b.cpu(0, kDatabase, "db").cpu(1, kFlusher, "flusher");
  add_calls(b);
  return b.bytes(30'000);
}

std::vector<std::byte> nested_trace() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, kRead & 0x1ff, "read").name(kind::kTRAP_NAME, 14, "page_fault");
  b.name(kind::kIRQ_NAME, 0xec, "local_timer");
  b.name(kind::kPID_NAME, kDatabase, "db").name(kind::kPID_NAME, kFlusher, "flusher");
  b.cpu(0, kDatabase, "db").cpu(1, kFlusher, "flusher");
  // Two reads, the second where the first returns.
  b.cpu(0).at(100, kRead, 4).at(200, kRead | kReturn).at(200, kRead, 4).at(300, kRead | kReturn);
  // A softirq where an interrupt returns, in user code and in a read.
  b.at(400, kTimer)
      .at(450, kTimer | kReturn)
      .at(450, ev::kBottomHalf, 1)
      .at(500, ev::kBottomHalf | kReturn);
  b.at(600, kRead, 5).at(650, kTimer).at(700, kTimer | kReturn).at(700, ev::kBottomHalf, 1);
  // An interrupt in that, and a fault of the read behind both.
  b.at(720, kTimer).at(730, kTimer | kReturn).at(750, ev::kBottomHalf | kReturn);
  b.at(750, kFault).at(780, kTimer).at(790, kTimer | kReturn).at(800, kFault | kReturn);
  b.at(850, kRead | kReturn);
  // A read that blocks in a fault and returns on another CPU; meanwhile interrupts of the first.
  b.at(900, kRead, 6).at(910, kFault).at(920, kSched).at(930, ev::kUSERPID, 0);
  b.at(1000, kTimer)
      .at(1020, kTimer | kReturn)
      .at(1020, ev::kBottomHalf, 1)
      .at(1040, ev::kBottomHalf | kReturn);
  b.cpu(1).at(1100, kSched).at(1110, ev::kUSERPID, kDatabase).at(1120, kSched | kReturn);
  b.at(1130, kFault | kReturn).at(1140, kRead | kReturn).at(1140, kRead, 7);
  b.at(1200, kRead | kReturn);
  return b.bytes(2000);
}

// The first child's half of the call is a span, the second's is interrupted; vfork's is cut.
// Another vfork was under way when the recording began, and made a thread: that one is a call.
std::vector<std::byte> births_trace() {
  constexpr EventNum kClone = 0x838;
  constexpr EventNum kVfork = 0x83a;
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, kClone & 0x1ff, "clone");
  b.name(kind::kSYSCALL_NAME, kVfork & 0x1ff, "vfork").name(kind::kIRQ_NAME, 0xec, "local_timer");
  b.name(kind::kPID_NAME, kDatabase, "db").task(kDatabase, kDatabase, 0).cpu(0, kDatabase, "db");
  Ticks now = 100;
  for (const Pid child : {31, 32}) {
    b.at(now, kClone, 7);
    b.words_at(now + 5, kind::kTASK, static_cast<std::uint32_t>(child),
               {0, std::uint64_t{kDatabase} << 32 | static_cast<std::uint32_t>(child)});
    b.at(now + 6, ev::kRUNNABLE, static_cast<std::uint32_t>(child));
    b.at(now + 20, kClone | kReturn, static_cast<std::uint32_t>(child));
    b.at(now + 30, ev::kUSERPID, static_cast<std::uint32_t>(child));
    if (child == 32) b.at(now + 33, kTimer).at(now + 36, kTimer | kReturn);
    b.at(now + 40, kClone | kReturn, 0).at(now + 60, ev::kUSERPID, kDatabase);
    now += 100;
  }
  b.words_at(now, kind::kTASK, 33, {0, std::uint64_t{kDatabase} << 32 | 33});
  b.at(now + 1, ev::kUSERPID, 33).at(now + 10, kVfork | kReturn, 0);
  b.at(now + 20, ev::kUSERPID, kFlusher).at(now + 30, kVfork | kReturn, 35);
  return b.bytes(now + 100);
}

std::vector<std::byte> functions_trace() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, kRead & 0x1ff, "read").name(kind::kPID_NAME, kDatabase, "db");
  b.name(kind::kPID_NAME, kFlusher, "flusher").cpu(1, kFlusher, "flusher").at(10, kRead, 1);
  b.cpu(0, kDatabase, "db");
  const auto function = [](std::uint32_t depth, std::uint32_t number) {
    return depth << KUTRACE_FUNCTION_DEPTH_SHIFT | (KUTRACE_FIRST_FUNCTION + number);
  };
  for (const auto& [number, name] : {std::pair{1U, "main"}, {2U, "query"}, {3U, "fetch"}})
    b.words_at(1, kind::kLOCK_NAME, KUTRACE_FIRST_FUNCTION + number, text_words(name));
  b.at(1000, ev::kFUNCTION_ENTER, function(0, 1));
  for (Ticks at = 2000; at < 22'000; at += 5000) {
    b.at(at, ev::kFUNCTION_ENTER, function(1, 2));
    b.at(at + 1000, ev::kFUNCTION_ENTER, function(2, 3));
    b.at(at + 1500, kRead, 4).at(at + 2500, kRead | kReturn, 512);
    b.at(at + 3000, ev::kFUNCTION_LEAVE, function(2, 3));
    b.at(at + 4000, ev::kFUNCTION_LEAVE, function(1, 2));
  }
  b.at(25'000, ev::kFUNCTION_LEAVE, function(0, 1));
  return b.bytes(30'000);
}

constexpr EventNum kOpenat = 0x901;
constexpr EventNum kCloseFile = 0x803;

void add_arguments(TraceBuilder& b, Ticks at, const std::vector<std::uint64_t>& values) {
  b.words_at(at, kind::kARGUMENTS, 0, values);
}

// Each file is read through descriptor 3, the second one of them in two pieces.
std::vector<std::byte> files_trace() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, kRead & 0x1ff, "read").name(kind::kSYSCALL_NAME, 3, "close");
  b.name(kind::kSYSCALL_NAME, kOpenat & 0x1ff, "openat").name(kind::kPID_NAME, kDatabase, "db");
  b.name(kind::kPID_NAME, kFlusher, "flusher").task(kDatabase, kDatabase, 0);
  b.cpu(1, kFlusher, "flusher").cpu(0, kDatabase, "db");
  Ticks now = 100;
  for (const std::string_view path : {"/var/lib/db/index", "/var/lib/db/<b>&\u00fc", "/tmp/x"}) {
    const auto length = static_cast<std::uint32_t>(path.size()) << KUTRACE_DATA_LENGTH_SHIFT;
    b.words_at(now, kind::kCALL_DATA, 1 | length, text_words(path));
    add_arguments(b, now, {0xffffff9c, 0x1000, 0});
    b.at(now, kOpenat, 0xff9c).at(now + 50, kOpenat | kReturn, 3);
    for (const Ticks at : {now + 100, now + 300, now + 500}) {
      add_arguments(b, at, {3, 0x2000, 64});
      b.at(at, kRead, 3);
      if (at == now + 300) b.at(at + 20, ev::kUSERPID, 0).at(at + 90, ev::kUSERPID, kDatabase);
      b.at(at + 100, kRead | kReturn, 64);
    }
    add_arguments(b, now + 700, {3});
    b.at(now + 700, kCloseFile, 3).at(now + 720, kCloseFile | kReturn, 0);
    now += 1000;
  }
  return b.bytes(now);
}

std::vector<std::byte> rpcs_trace() {
  TraceBuilder b;
  b.name(kind::kMETHOD_NAME, 1, "get").name(kind::kMETHOD_NAME, 2, "put");
  b.name(kind::kMETHOD_NAME, 3, "add").name(kind::kPID_NAME, 10, "web");
  b.name(kind::kPID_NAME, 20, "app").name(kind::kPID_NAME, 30, "store");
  b.cpu(0, 10, "web").cpu(1, 20, "app").cpu(2, 40, "other");
  b.cpu(0).at(200, ev::kRPC_REQUEST, 1).at(1200, ev::kRPC_RESPONSE, 1);
  b.cpu(1).at(300, ev::kRPC_REQUEST, 2).at(1400, ev::kUSERPID, 0);
  b.cpu(0).at(1500, ev::kUSERPID, 30).at(1600, ev::kRPC_MIDDLE, 2).at(3300, ev::kRPC_RESPONSE, 2);
  b.cpu(1).at(1900, ev::kUSERPID, 10).at(2000, ev::kRPC_REQUEST, 3);
  b.at(2300, ev::kRPC_RESPONSE, 3);
  return b.bytes(5000);
}

constexpr EventNum kSendto = 0x82c;
constexpr EventNum kRecvfrom = 0x82d;
constexpr EventNum kSendmsg = 0x82e;
constexpr EventNum kRecvmsg = 0x82f;
constexpr EventNum kClose = 0x803;
constexpr EventNum kAccept = 0x920;
constexpr int kAgain = -11;

// One turn of a server: it hears on some of its sockets, works, writes to its log, and answers on
// those in another order. Some it closes, of some there is nothing to hear.
Ticks add_turn(TraceBuilder& b, Pid pid, CpuId cpu, std::uint32_t turn, Ticks now) {
  const std::uint32_t first = 4 + turn % 3;
  b.cpu(cpu);
  b.folded(now, kRecvfrom, first, 20, turn % 7 == 0 ? kAgain : 8);
  b.folded(now + 40, kRecvfrom, first + 1, 20, turn % 5 == 0 ? 0 : 16);
  b.folded(now + 80, kRead, 3, 10, 4);
  if (turn % 11 == 0) b.folded(now + 100, kClose, first, 5, 0);
  if (turn % 13 == 0) b.folded(now + 110, kAccept, 3, 5, static_cast<int>(first + 1));
  b.at(now + 120, kTimer).at(now + 125 + turn % 9, kTimer | kReturn);
  now += 140 + 3 * (turn % 17);
  if (turn % 3 == 0) {
    const Ticks blocked = 100 + 40 * (turn % 23);
    b.at(now, kFsync, 9).at(now + 10, kSched).at(now + 20, ev::kUSERPID, 0);
    b.cpu(2).at(now + 20 + blocked, ev::kRUNNABLE, static_cast<std::uint32_t>(pid));
    b.cpu(cpu).at(now + 60 + blocked, ev::kUSERPID, static_cast<std::uint32_t>(pid));
    b.at(now + 70 + blocked, kSched | kReturn).at(now + 90 + blocked, kFsync | kReturn, 0);
    now += 100 + blocked;
  }
  b.folded(now, kSendto, first + 1, 30, 16).folded(now + 40, kSendto, first, 30, 8);
  b.folded(now + 80, kWrite, 3, 10, 4);
  return now + 120;
}

std::vector<std::byte> requests_trace() {
  TraceBuilder b;
  const std::pair<EventNum, const char*> calls[] = {
      {kRead, "read"},      {kWrite, "write"},       {kFsync, "fsync"},
      {kSendto, "sendto"},  {kRecvfrom, "recvfrom"}, {kClose, "close"},
      {kAccept, "accept4"}, {kRecvmsg, "recvmsg"},   {kSendmsg, "sendmsg"}};
  for (const auto& [call, name] : calls) b.name(kind::kSYSCALL_NAME, call & 0x1ff, name);
  b.name(kind::kIRQ_NAME, 0xec, "local_timer").name(kind::kPID_NAME, 10, "web");
  b.name(kind::kPID_NAME, 20, "api").name(kind::kPID_NAME, 30, "disk");
  b.cpu(0, 10, "web").cpu(1, 20, "api").cpu(2, 30, "disk");
  Ticks end = 0;
  // By time, as the third CPU wakes both.
  Ticks web = 100;
  Ticks api = 150;
  for (std::uint32_t turn = 0; turn < 400; ++turn) {
    const bool is_web = web < api;
    Ticks& now = is_web ? web : api;
    now = add_turn(b, is_web ? 10 : 20, is_web ? 0 : 1, turn, now);
    end = std::max(end, now);
  }
  // Of different threads: no request.
  b.cpu(0).folded(end + 100, kRecvmsg, 3, 10, 8).cpu(1).folded(end + 200, kSendmsg, 3, 10, 8);
  return b.bytes(end + 1000);
}

// Threads on two CPUs, of which four wait at any time. Where no stack is recorded, none is known.
std::vector<std::byte> stacks_trace() {
  TraceBuilder b;
  const char* const kFunctions[] = {"main", "handle", "read_all", "flush"};
  const std::uint64_t kCode = 0x400000;
  std::uint32_t symbol = 0;
  for (const char* function : kFunctions) {
    const std::uint64_t at = kCode + 0x100 * symbol;
    b.name(kind::kSYMBOL, symbol++ << 8,
           fmt::format("10 0 {:x} {:x} {}", at, at + 0x100, function));
  }
  b.name(kind::kSYMBOL, symbol++ << 8, "0 0 ffffffff81000000 ffffffff81000100 __schedule");
  // Innermost first: main; main, handle; main, handle, read_all or flush; in the kernel.
  const char* const kStacks[] = {"400010", "400110 400020", "400210 400120 400020",
                                 "400310 400120 400020", "ffffffff81000010"};
  std::uint32_t number = 0;
  for (const char* frames : kStacks) {
    b.name(kind::kSTACK, number << 8, fmt::format("{} 0 {}", number + 1, frames));
    ++number;
  }
  constexpr std::array<Pid, 6> kThreads = {10, 11, 12, 20, 21, 30};
  const char* const kNames[] = {"server", "server", "server", "client", "client", "a;b"};
  for (std::size_t i = 0; i < kThreads.size(); ++i) {
    b.task(kThreads[i], kThreads[i] < 20 ? 10 : kThreads[i], 0);
    b.name(kind::kPID_NAME, static_cast<std::uint32_t>(kThreads[i]), kNames[i]);
  }
  std::array<std::size_t, 2> runs = {0, 3};
  b.cpu(0, kThreads[0]).cpu(1, kThreads[3]);
  std::uint32_t random = 1;
  const auto pick = [&random](std::uint32_t most) {
    random = random * 1664525 + 1013904223;
    return (random >> 16) % most;
  };
  Ticks now = 10;
  for (int turn = 0; turn < 3000; ++turn, now += 10 + pick(90)) {
    const CpuId cpu = static_cast<CpuId>(pick(2));
    b.cpu(cpu);
    const std::uint32_t user = pick(5);
    const std::uint64_t both = std::uint64_t{user} << 32 | (pick(2) == 0 ? 0U : 5U);
    if (both != 0) b.words_at(now, kind::kSTACKS, 0, {both});
    if (pick(3) == 0) {
      b.words_at(now, ev::kPC_USER, 1000, {kCode + 0x100 * pick(4)});
      continue;
    }
    std::size_t next = pick(kThreads.size());
    while (next == runs[0] || next == runs[1]) next = (next + 1) % kThreads.size();
    const bool is_blocked = pick(4) != 0;
    b.at(now, ev::kUSERPID,
         static_cast<std::uint32_t>(kThreads[next]) | (is_blocked ? KUTRACE_SWITCH_BLOCKED : 0));
    runs[cpu] = next;
  }
  return b.bytes(now + 100);
}

bool write(const char* name, const std::vector<std::byte>& bytes) {
  std::FILE* out = std::fopen(name, "wb");
  const bool written =
      out != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
  return out != nullptr && std::fclose(out) == 0 && written;
}

}  // namespace
}  // namespace kutrace::test

int main(int argc, char** argv) {
  using kutrace::test::write;
  const std::string_view which = argc >= 3 ? argv[1] : "";
  bool good = false;
  if (which == "fsync") good = write(argv[2], kutrace::test::fsync_trace());
  if (which == "nested") good = write(argv[2], kutrace::test::nested_trace());
  if (which == "births") good = write(argv[2], kutrace::test::births_trace());
  if (which == "functions") good = write(argv[2], kutrace::test::functions_trace());
  if (which == "files") good = write(argv[2], kutrace::test::files_trace());
  if (which == "rpcs") good = write(argv[2], kutrace::test::rpcs_trace());
  if (which == "requests") good = write(argv[2], kutrace::test::requests_trace());
  if (which == "stacks") good = write(argv[2], kutrace::test::stacks_trace());
  const auto number = kutrace::parse_number<std::uint64_t>(argc == 4 ? argv[3] : "600000");
  if (which == "many" && number) {
    good = kutrace::test::generate({.entries = *number}, argv[2]).has_value();
  }
  if (which == "truth" && number) {
    good =
        write(argv[2], kutrace::test::generate_truth(kutrace::test::random_options(*number)).file);
  }
  if (which == "talking" && number) {
    const auto both = kutrace::test::talking_machines(*number);
    good = both && write(argv[2], *both);
  }
  return good ? 0 : 1;
}
