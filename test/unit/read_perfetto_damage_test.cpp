// SPDX-License-Identifier: BSD-3-Clause
// What is damaged in a Perfetto trace, dropped from it or cut off, is lost where it was: from the
// last event before it to the first one behind it that tells who runs, or to the end.
#include <zlib.h>

#include <catch2/catch.hpp>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include "emit/stream/binary.h"
#include "emit/stream/protobuf.h"
#include "format/perfetto_fields.h"
#include "read/import/kernel_event.h"
#include "support/imported_trace.h"
#include "support/lines.h"
#include "support/spans_of.h"

namespace kutrace::test {
namespace {

namespace f = perfetto;

const std::string kDamage = "\x07";  // no field begins like this

std::string number(f::FieldNumber field, std::int64_t value) {
  emit::Protobuf out;
  out.signed_number(field, value);
  return std::string(out.bytes());
}

std::string part(f::FieldNumber field, std::string_view bytes) {
  emit::Protobuf out;
  out.text(field, bytes);
  return std::string(out.bytes());
}

std::string packet(const std::string& fields) {
  return part(f::trace::kPacket, fields + number(f::trace_packet::kTrustedPacketSequenceId, 7));
}

std::string dropped() { return number(f::trace_packet::kPreviousPacketDropped, 1); }

std::string content(CpuId cpu, const std::string& events) {
  return part(f::trace_packet::kFtraceEvents, number(f::ftrace_bundle::kCpu, cpu) + events);
}

std::string bundle(CpuId cpu, const std::string& events) { return packet(content(cpu, events)); }

std::string switch_body(Pid from, Pid to) {
  return number(f::sched_switch::kPrevPid, from) + number(f::sched_switch::kNextPid, to);
}

std::string event(Ns time, Pid pid, std::string_view body) {
  return part(f::ftrace_bundle::kEvent, number(f::ftrace_event::kTimestamp, time) +
                                            number(f::ftrace_event::kPid, pid) +
                                            part(f::ftrace_event::kSchedSwitch, body));
}

std::string switches(Ns time, Pid from, Pid to) { return event(time, from, switch_body(from, to)); }

std::string column(f::FieldNumber field, std::initializer_list<std::uint64_t> numbers) {
  std::string bytes;
  for (const std::uint64_t one : numbers) emit::append_varint(bytes, one);
  return part(field, bytes);
}

std::string packed(const std::string& packets) {
  std::string bytes(compressBound(packets.size()), '\0');
  uLongf size = bytes.size();
  compress(reinterpret_cast<Bytef*>(bytes.data()), &size,
           reinterpret_cast<const Bytef*>(packets.data()), packets.size());
  bytes.resize(size);
  return bytes;
}

// Thread 10 runs, and then this stands in the file before thread 10 is left for 30.
Lines with(const std::string& between) {
  return replayed(
             bundle(0, switches(1'000, 0, 10) + switches(2'000, 10, 20) + switches(3'000, 20, 10)) +
             between + bundle(0, switches(9'000, 10, 30) + switches(10'000, 30, 0)))
      .timeline(0);
}

const Lines kSound = {"user 0+1000 ", "user 1000+1000 ", "user 2000+6000 ", "user 8000+1000 "};
const Lines kLost = {"user 0+1000 ", "user 1000+1000 ", "user 2000+1 ", "loss 2001+5999 -loss-(1)",
                     "user 8000+1000 "};
const Lines kDamaged = {"user 0+1000 ", "user 1000+1000 ", "user 2000+1 ",
                        "loss 2001+5999 -loss-(6)", "user 8000+1000 "};

TEST_CASE("what is whole, or of no CPU, is no loss") {
  CHECK(with("") == kSound);
  CHECK(with(packet(part(900, "x"))) == kSound);
}

TEST_CASE("damage in a packet may have been of any CPU") {
  const std::string middle = switches(4'000, 10, 40) + switches(7'000, 40, 10);
  CHECK(with(packet(kDamage + content(0, middle))) == kDamaged);
  std::string piece = packed(bundle(0, middle));
  piece[piece.size() / 2] = static_cast<char>(piece[piece.size() / 2] ^ 0x55);
  CHECK(with(packet(part(f::trace_packet::kCompressedPackets, piece))) == kDamaged);
  CHECK(with(packet(part(f::trace_packet::kCompressedPackets, packed(kDamage)))) == kDamaged);
  // A bundle that does not tell its CPU.
  CHECK(with(packet(part(f::trace_packet::kFtraceEvents, kDamage + middle))) == kDamaged);
}

TEST_CASE("damage in a bundle is lost behind the event before it") {
  const std::string good = switches(4'000, 10, 20);
  const Lines expected = {"user 0+1000 ", "user 1000+1000 ",          "user 2000+1000 ",
                          "user 3000+1 ", "loss 3001+4999 -loss-(6)", "user 8000+1000 "};
  CHECK(with(bundle(0, good + event(5'000, 20, switch_body(20, 10) + kDamage))) == expected);
  CHECK(with(bundle(0, good + part(f::ftrace_bundle::kEvent, kDamage))) == expected);
  CHECK(with(bundle(0, good + part(f::ftrace_bundle::kError, ""))) == expected);
  CHECK(with(bundle(0, part(f::ftrace_bundle::kEvent, kDamage))) == kDamaged);
  // Whether something was lost before the bundle may have been told there.
  CHECK(with(bundle(0, good + kDamage)) == Lines{"user 0+1000 ", "user 1000+1000 ", "user 2000+1 ",
                                                 "loss 2001+999 -loss-(6)", "user 3000+1 ",
                                                 "loss 3001+4999 -loss-(6)", "user 8000+1000 "});
}

TEST_CASE("of columns of unequal lengths what is missing is lost") {
  const auto columns = [](std::initializer_list<std::uint64_t> pids) {
    return bundle(0, part(f::ftrace_bundle::kCompactSched,
                          part(f::compact_sched::kInternTable, "") +
                              column(f::compact_sched::kSwitchTimestamp, {4'000, 1'000}) +
                              column(f::compact_sched::kSwitchPrevState, {0, 0}) +
                              column(f::compact_sched::kSwitchNextPid, pids) +
                              column(f::compact_sched::kSwitchNextComm, {0, 0})));
  };
  CHECK(with(columns({20, 10})) == Lines{"user 0+1000 ", "user 1000+1000 ", "user 2000+1000 ",
                                         "user 3000+1000 ", "user 4000+4000 ", "user 8000+1000 "});
  CHECK(with(columns({20})) == Lines{"user 0+1000 ", "user 1000+1000 ", "user 2000+1000 ",
                                     "user 3000+1 ", "loss 3001+4999 -loss-(6)",
                                     "user 8000+1000 "});
}

TEST_CASE("packets were dropped, whichever packet of the sequence tells it") {
  CHECK(with(packet(part(900, "x") + dropped())) == kLost);
  CHECK(with(packet(content(1, switches(5'000, 0, 50)) + dropped())) == kLost);
}

TEST_CASE("of a Perfetto trace what is lost behind a CPU's last event is lost up to the end") {
  const std::string of_cpu1 = bundle(1, switches(1'000, 0, 50) + switches(9'000, 50, 0));
  const std::string of_cpu0 = bundle(0, switches(1'000, 0, 10));
  const auto cpu0 = [](const std::string& file) { return replayed(file).timeline(0); };
  const Lines full = {"user 0+1 ", "loss 1+7999 -loss-(1)"};
  const Lines damaged = {"user 0+1 ", "loss 1+7999 -loss-(6)"};
  CHECK(cpu0(of_cpu1 + of_cpu0) == Lines{"user 0+8000 "});
  CHECK(cpu0(of_cpu1 + of_cpu0 + bundle(0, number(f::ftrace_bundle::kLostEvents, 1))) == full);
  CHECK(cpu0(of_cpu1 + of_cpu0 + packet(part(900, "x") + dropped())) == full);
  CHECK(cpu0(of_cpu1 + of_cpu0 + packet(kDamage)) == damaged);
  const std::string cut = of_cpu1 + of_cpu0 + of_cpu0;
  CHECK(cpu0(cut.substr(0, cut.size() - 3)) == damaged);
}

TEST_CASE("a small Perfetto trace that unpacks to more events than there is room for is refused") {
  constexpr std::size_t kMany = 2'000'000;
  const std::string ones(kMany, '\1');
  const std::string columns = part(f::compact_sched::kInternTable, "a") +
                              part(f::compact_sched::kWakingTimestamp, ones) +
                              part(f::compact_sched::kWakingPid, ones) +
                              part(f::compact_sched::kWakingComm, std::string(kMany, '\0'));
  const std::string file = part(
      f::trace::kPacket, part(f::trace_packet::kCompressedPackets,
                              packed(bundle(0, part(f::ftrace_bundle::kCompactSched, columns)))));
  CHECK(file.size() < kMany / 10);
  const auto reader = opened(file);
  REQUIRE_FALSE(reader);
  CHECK(reader.error().sentence.starts_with("its events need more than 64"));
}

TEST_CASE("times of clocks that are far apart are taken for the latest") {
  constexpr Ns kMost = std::numeric_limits<Ns>::max();
  const auto of_clock = [](Ns time, Ns boot, const std::string& events) {
    return bundle(0, number(f::ftrace_bundle::kClock, 2) +
                         number(f::ftrace_bundle::kFtraceTimestamp, time) +
                         number(f::ftrace_bundle::kBootTimestamp, boot) + events);
  };
  const std::string events = switches(kMost - 1, 0, 10) + switches(kMost, 10, 0);
  CHECK(opened(of_clock(1, kMost, events)));
  CHECK(opened(of_clock(kMost, 1, events)));
  CHECK(opened(of_clock(1, 2, events) + of_clock(kMost, std::numeric_limits<Ns>::min(), events)));
  CHECK(opened(of_clock(1, read::kLatest, switches(1, 0, 10)) +
               of_clock(1, 1, switches(kMost, 10, 0))));
}

}  // namespace
}  // namespace kutrace::test
