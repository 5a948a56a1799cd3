// SPDX-License-Identifier: BSD-3-Clause
// Writes a raw trace of a program that calls fsync eight times, each time blocking in it for longer
// or shorter, on two CPUs with interrupts in between. In: file name; out: the trace.
#include <array>
#include <cstdio>

#include "format/event_table.h"
#include "support/event_numbers.h"
#include "support/trace_builder.h"

namespace {

using namespace kutrace;
using namespace kutrace::test;

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

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, kFsync & 0x1ff, "fsync").name(kind::kSYSCALL_NAME, 1, "write");
  b.name(kind::kIRQ_NAME, 0xec, "local_timer");
  b.name(kind::kPID_NAME, kDatabase, "db").name(kind::kPID_NAME, kFlusher, "flusher");
  b.cpu(0, kDatabase, "db").cpu(1, kFlusher, "flusher");
  add_calls(b);
  const std::vector<std::byte> bytes = b.bytes(30'000);
  std::FILE* out = std::fopen(argv[1], "wb");
  const bool written =
      out != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
  return out != nullptr && std::fclose(out) == 0 && written ? 0 : 1;
}
