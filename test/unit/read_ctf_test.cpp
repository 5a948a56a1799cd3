// SPDX-License-Identifier: BSD-3-Clause
// Traces of CTF become raw traces, from metadata of either version; what is damaged or asks for
// too much is refused, or costs what it hit.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "model/span_sink.h"
#include "read/ctf/bit_reader.h"
#include "read/ctf/ctf_clock.h"
#include "read/ctf/ctf_import.h"
#include "read/ctf/ctf_metadata.h"
#include "read/ctf/tsdl.h"
#include "read/import/kernel_event.h"
#include "support/bit_writer.h"
#include "support/ctf_files.h"
#include "support/foreign_traces.h"
#include "support/lines.h"
#include "support/spans_of.h"

namespace kutrace::test {
namespace {

Result<std::unique_ptr<read::TraceReader>> opened(const CtfFiles& files) {
  std::vector<MappedFile> streams;
  for (const std::string& stream : files.streams)
    streams.push_back(MappedFile::from_bytes(bytes_of(stream), "stream"));
  return read::import_ctf(MappedFile::from_bytes(bytes_of(files.metadata), "metadata"),
                          std::move(streams));
}

Replay replayed(const CtfFiles& files) {
  auto reader = opened(files);
  if (!reader) FAIL(describe(reader.error()));
  Replay r;
  replay(*(*reader)->raw(), r);
  return r;
}

std::string refusal(const CtfFiles& files) {
  const auto reader = opened(files);
  return reader ? "" : reader.error().sentence;
}

Result<read::CtfSchema> metadata(std::string_view text) {
  return read::read_ctf_metadata(MappedFile::from_bytes(bytes_of(text), "metadata"));
}

std::string metadata_refusal(const std::string& text) {
  const auto schema = metadata("/* CTF 1.8 */ " + text);
  return schema ? "" : schema.error().sentence;
}

const Lines kStoryOfCpu0 = {
    "syscall 0+1000 read(3)",         "idle 1000+2200 -idle-",      "irq 3200+100 eth0(24)=1",
    "idle 3300+700 -idle-",           "syscall 4000+500 read(3)=5", "user 4500+1500 server",
    "softirq 6000+200 BH:timer(1)=1", "user 6200+199995800 server",
};

TEST_CASE("a CTF trace is the trace that it tells of, in each of its forms") {
  const CtfOptions options = GENERATE(
      CtfOptions{.has_thread = true}, CtfOptions{.is_in_packets = true, .has_thread = true},
      CtfOptions{.is_large = true, .has_thread = true},
      CtfOptions{.is_big_endian = true, .has_thread = true},
      CtfOptions{.is_ctf2 = true, .has_thread = true},
      CtfOptions{.is_ctf2 = true, .is_big_endian = true, .is_large = true, .has_thread = true},
      CtfOptions{.has_thread = true, .packet = 1}, CtfOptions{.has_thread = true, .packet = 100});
  const Replay r = replayed(ctf_files(foreign_story(), options));
  CHECK(r.timeline(0) == kStoryOfCpu0);
  CHECK(r.info.facts.get(fact::kSource) == "lttng");
  CHECK(r.info.facts.get(fact::kStartMonotonicNs) == 5'000'000'000);
  CHECK(r.info.wall_usec == 1'700'000'005'000'000);
  CHECK(r.of_kind(SpanKind::kWait) ==
        Lines{"10: wait 1000+2000 wait_pipe", "10: wait 3000+1000 wait_cpu"});
}

TEST_CASE("without a thread in each event, who runs is known from the first switch on") {
  const Replay r = replayed(ctf_files(foreign_story()));
  CHECK(r.timeline(0).front() == "loss 0+1000 -loss-(9)");
  CHECK(r.timeline(0)[1] == "idle 1000+2200 -idle-");
}

TEST_CASE("times of 27 bits begin again, once between two events") {
  constexpr Ns kAgain = Ns{1} << 27;
  ForeignTrace t;
  t.on(0, 10).calls(kAgain - 500, 0, 3).returns(kAgain + 500, 0, 1);
  t.calls(2 * kAgain + 499, 1, 4).returns(5 * kAgain, 1, 1);
  const Replay r = replayed(ctf_files(t, {.has_thread = true, .packet = 100}));
  CHECK(r.timeline(0) == Lines{"hidden 0+1000 -hidden-", "user 1000+134217727 ",
                               "hidden 134218727+402652685 -hidden-"});
}

TEST_CASE("events that the tracer discarded are lost up to the next event of the CPU") {
  ForeignTrace t;
  t.on(0, 10).calls(1'000, 0, 3).returns(2'000, 0, 1);
  t.loses(7).calls(9'000, 1, 4).returns(9'500, 1, 1);
  const Replay r = replayed(ctf_files(t, {.has_thread = true}));
  CHECK(r.timeline(0) == Lines{"hidden 0+1000 -hidden-", "user 1000+1 ", "loss 1001+6999 -loss-(1)",
                               "hidden 8000+500 -hidden-"});
  REQUIRE(r.info.losses.size() == 1);
  CHECK(r.info.losses[0].entries == 7);
}

// A call in each.
CtfFiles three_packets() {
  ForeignTrace t;
  t.on(0, 10).calls(1'000, 0, 3).returns(2'000, 0, 1);
  t.calls(3'000, 1, 4).returns(4'000, 1, 1).calls(5'000, 1, 4).returns(6'000, 1, 1);
  return ctf_files(t, {.has_thread = true, .packet = 2});
}

TEST_CASE("a packet that is missing is a loss of its CPU") {
  CtfFiles files = three_packets();
  std::string& stream = files.streams[0];
  const std::size_t packet = stream.size() / 3;
  REQUIRE(stream.substr(packet, 4) == stream.substr(0, 4));
  stream.erase(packet, packet);
  const Replay r = replayed(files);
  CHECK(r.timeline(0) == Lines{"hidden 0+1000 -hidden-", "user 1000+1 ", "loss 1001+2999 -loss-(1)",
                               "hidden 4000+1000 -hidden-"});
}

TEST_CASE("a packet that is damaged is a loss, and those behind it are read") {
  CtfFiles files = three_packets();
  std::string& stream = files.streams[0];
  const std::size_t packet = stream.size() / 3;
  constexpr std::size_t kFirstEvent = 84;  // behind header and context
  stream[packet + kFirstEvent] = '\x1e';   // an event that there is none of
  const Replay r = replayed(files);
  CHECK(r.timeline(0) == Lines{"hidden 0+1000 -hidden-", "user 1000+1 ", "loss 1001+2999 -loss-(6)",
                               "hidden 4000+1000 -hidden-"});
}

// Offsets behind the header of 32 bytes: begin, end, size of the content, size of the packet.
TEST_CASE("a packet that was never closed is read as far as it goes, and the rest is lost") {
  ForeignTrace t;
  t.on(0, 0).switches(1'000, "swapper/0", 0, 10, "server");
  t.on(0, 10).calls(1'000, 0, 3).returns(2'000, 0, 1).calls(3'000, 1, 4).returns(4'000, 1, 1);
  t.on(1, 0).switches(1'000, "swapper/1", 0, 20, "client");
  t.on(1, 20).calls(5'000, 0, 3).returns(9'000, 0, 1);
  const bool is_large = GENERATE(false, true);
  CtfFiles files = ctf_files(t, {.is_large = is_large, .packet = 100});
  std::string& stream = files.streams[0];
  stream.replace(32 + 8, 24, 24, '\xff');
  SECTION("zeros behind it") { stream += std::string(4096, '\0'); }
  SECTION("cut within its last event") { stream.resize(stream.find_last_not_of('\0') - 4); }
  const Replay r = replayed(files);
  CHECK(r.info.cpus == std::vector<CpuId>{0, 1});
  const Lines timeline = r.timeline(0);
  REQUIRE(timeline.size() > 2);
  CHECK(timeline[0] == "syscall 0+1000 read(3)=1");
  CHECK(timeline[1] == "user 1000+1000 server");
  CHECK(timeline.back().starts_with("loss "));
  REQUIRE(r.info.losses.size() == 1);
  CHECK(r.info.losses.front().end == 8'000);
  CHECK(r.info.losses.front().reason == KUTRACE_LOSS_DAMAGED);
}

TEST_CASE("of a CPU whose only packet has an impossible size all is lost") {
  ForeignTrace t;
  t.on(0, 10).calls(1'000, 0, 3).returns(2'000, 0, 1).on(1, 20).calls(5'000, 0, 3);
  CtfFiles files = ctf_files(t, {.has_thread = true});
  files.streams[1][32 + 16] = '\x01';
  files.streams[1].replace(32 + 17, 7, 7, '\0');
  const Replay r = replayed(files);
  CHECK(r.timeline(1) == Lines{"loss 0+1000 -loss-(9)"});
}

TEST_CASE("a packet's end that later packets contradict moves no end of the trace") {
  CtfFiles files = three_packets();
  constexpr std::size_t kHighOfEnd = 47;
  files.streams[0][kHighOfEnd] = '\x10';
  const Replay sound = replayed(three_packets());
  const Replay r = replayed(files);
  CHECK(r.timeline(0) == sound.timeline(0));
  CHECK(r.info.end == sound.info.end);
  CHECK(std::ranges::none_of(r.info.facts, [](const auto& fact) {
    return fact.second == "an end far ahead of all events";
  }));
}

TEST_CASE("a clock that is far from everything tells a wall clock that still fits") {
  CtfFiles files = ctf_files(foreign_story(), {.has_thread = true});
  const auto set = [&files](std::string_view field, std::string_view value) {
    const std::size_t at = files.metadata.find(field) + field.size();
    files.metadata.replace(at, files.metadata.find(';', at) - at, value);
  };
  set("freq = ", "1");
  set("offset = ", "9223372036854775807");
  const Replay r = replayed(files);
  CHECK(r.info.wall_usec == static_cast<std::uint64_t>(2 * read::kLatest) / 1000);
}

TEST_CASE("a stream may be cut anywhere") {
  const CtfFiles whole = ctf_files(foreign_story(), {.has_thread = true});
  for (std::size_t size = 0; size < whole.streams[0].size(); ++size) {
    CtfFiles files = whole;
    files.streams[0].resize(size);
    REQUIRE(opened(files));
  }
}

TEST_CASE("metadata may be cut anywhere: they are read or refused") {
  for (const bool is_ctf2 : {false, true}) {
    const CtfFiles whole = ctf_files(foreign_story(), {.is_ctf2 = is_ctf2});
    for (std::size_t size = 0; size < whole.metadata.size(); size += 7) {
      const auto reader = opened({whole.metadata.substr(0, size), whole.streams});
      if (!reader) CHECK_FALSE(reader.error().sentence.empty());
    }
  }
}

TEST_CASE("numbers of any number of bits are read from either end") {
  const bool is_big = GENERATE(false, true);
  BitWriter out(is_big);
  std::vector<std::pair<std::uint64_t, unsigned>> numbers;
  for (unsigned bits = 1; bits <= 64; ++bits)
    numbers.emplace_back(0x9e3779b97f4a7c15U >> (64 - bits), bits);
  for (const auto& [value, bits] : numbers) out.put(value, bits);
  const std::vector<std::byte> bytes = bytes_of(out.bytes());
  std::uint64_t at = 0;
  for (const auto& [value, bits] : numbers) {
    CHECK(read::bits_at(bytes, at, bits, is_big) == value);
    at += bits;
  }
  CHECK(read::sign_extended(0x1f, 5) == -1);
  CHECK(read::sign_extended(0x0f, 5) == 15);
  CHECK(read::advanced(0x1ff, 0x01, 8) == 0x201);
  CHECK(read::advanced(0x1f0, 0xff, 8) == 0x1ff);
}

TEST_CASE("types of TSDL get the bits and places that they tell") {
  const auto good = metadata(
      "/* CTF 1.8 */ typealias integer { size = 12; signed = true; byte_order = be; } := short12;\n"
      "typealias integer { size = 0x10; align = 16; } := unsigned short int; // with a blank\n"
      "struct inner { short12 a; unsigned short int b[2][3]; } align(32);\n"
      "trace { major = 1; minor = 8; byte_order = le; };\n"
      "stream { event.header := struct { unsigned short int id; }; };\n"
      "event { name = \"e\\\"x\"; id = 7; fields := struct { struct inner i; string s; "
      "unsigned short int n; string many[n]; }; };");
  if (!good) FAIL(describe(good.error()));
  const read::CtfField& fields = good->streams.at(0).events.at(7).fields;
  REQUIRE(fields.children.size() == 4);
  const read::CtfField& inner = fields.children[0];
  CHECK(inner.align == 32);
  CHECK(inner.children[0].bits == 12);
  CHECK(inner.children[0].align == 1);
  CHECK(inner.children[0].is_signed);
  CHECK(inner.children[0].order == read::ByteOrder::kBig);
  CHECK(inner.children[1].count == 2);
  CHECK(inner.children[1].children[0].count == 3);
  CHECK(inner.children[1].children[0].children[0].order == read::ByteOrder::kLittle);
  CHECK(fields.children[3].told_by == fields.children[2].slot);
}

TEST_CASE("metadata that ask for too much, or for what is not there, are refused with a reason") {
  CHECK(metadata_refusal("typealias integer { size = 1000000; } := x;") ==
        "line 1 of its metadata: an integer of 1000000 bits");
  CHECK(metadata_refusal("typealias integer { size = 8; align = 3; } := x;") ==
        "line 1 of its metadata: an alignment of 3 bits");
  CHECK(metadata_refusal("\nstruct a { struct a b; };") ==
        "line 2 of its metadata: 'struct a' is not declared");
  CHECK(metadata_refusal("clock { name = c; freq = 0; };") ==
        "line 1 of its metadata: a clock of 0 Hz");
  CHECK(metadata_refusal("event { fields := struct { string a[n]; }; };") ==
        "its metadata declare no length or tag for 'n' before it");
  CHECK(metadata_refusal("wurst { };") == "line 1 of its metadata: 'wurst' is not known");
  std::string doubled = "typealias integer { size = 8; } := t0;\n";
  for (int i = 1; i <= 30; ++i)
    doubled += "typealias struct { t" + std::to_string(i - 1) + " a; t" + std::to_string(i - 1) +
               " b; } := t" + std::to_string(i) + ";\n";
  constexpr std::string_view kTooMuch =
      "it describes more fields, or longer names, than any trace has";
  CHECK(metadata_refusal(doubled).ends_with(kTooMuch));
  const std::string name(300, 'n');
  CHECK(metadata_refusal("struct a { integer { size = 8; } " + name + "; };").ends_with(kTooMuch));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "struct { ";
  CHECK(metadata_refusal("event { fields := " + deep) ==
        "line 1 of its metadata: types are nested too deeply");
}

// A stream of one packet with one CPU, and one event with these fields.
CtfFiles one_event(const std::string& fields, const std::string& bytes) {
  return {
      "/* CTF 1.8 */ typealias integer { size = 64; align = 8; } := u64; "
      "typealias integer { size = 8; } := u8; struct nothing { };"
      "trace { byte_order = le; packet.header := struct { u8 magic_of_none; }; };"
      "stream { packet.context := struct { u8 cpu_id; }; };"
      "event { name = \"sched_waking\"; fields := struct { " +
          fields + " }; };",
      {std::string(2, '\0') + bytes}};
}

TEST_CASE("fields of impossible lengths, or of none, cost their packet and no time") {
  const std::string bytes(64, '\x01');
  for (const std::string_view fields :
       {"u8 tid; u8 a[1152921504606846976];", "u8 tid; struct nothing a[1152921504606846976];",
        "u64 tid; struct nothing a[tid];", "u8 tid; string a[18446744073709551615];",
        "struct nothing tid;", "u64 tid; struct { struct nothing b[tid]; } a[tid];"}) {
    CHECK(refusal(one_event(std::string(fields), bytes))
              .starts_with("is the metadata of a CTF trace"));
  }
}

TEST_CASE("times of a stream without a clock may be any number") {
  CtfFiles files = one_event("u8 tid;", "");
  constexpr std::string_view kContext = "u8 cpu_id; };";
  files.metadata.insert(files.metadata.find(kContext) + kContext.size(),
                        " event.header := struct { u64 timestamp; };");
  const std::string lowest = std::string(7, '\0') + '\x80';
  const std::string highest = std::string(7, '\xff') + '\x7f';
  files.streams[0] = std::string(2, '\0') + lowest + '\1' + highest + '\1';
  const Replay r = replayed(files);
  CHECK(r.info.begin == 0);
  CHECK(r.info.end == 0);
}

TEST_CASE("packets of impossible sizes end their stream") {
  CtfFiles files = ctf_files(foreign_story(), {.has_thread = true});
  constexpr std::size_t kSizes = 48;  // of content, then of packet
  for (const int size : {0, 1, 8, 255}) {
    CtfFiles damaged = files;
    for (std::size_t i = 0; i < 16; ++i) damaged.streams[0][kSizes + i] = static_cast<char>(size);
    CHECK(opened(damaged));
  }
}

TEST_CASE("fragments of CTF 2 that cannot be are refused with a reason") {
  const auto refused = [](const std::string& fragment) {
    const auto schema = metadata("\x1e{\"type\":\"preamble\",\"version\":2}\n\x1e" + fragment);
    return schema ? "" : schema.error().sentence;
  };
  CHECK(refused("[1]") == "fragment 2 of its metadata: it is no JSON object");
  CHECK(refused("{\"type\":\"x\"}") == "fragment 2 of its metadata: its type 'x' is not known");
  CHECK(refused("{\"type\":\"field-class-alias\",\"name\":\"a\",\"field-class\":\"b\"}") ==
        "fragment 2 of its metadata: 'b' is not declared");
  CHECK(refused("{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":0}") ==
        "fragment 2 of its metadata: a clock of 0 Hz");
  CHECK(refused("{\"type\":\"preamble\",\"version\":2,\"extensions\":{\"a\":{\"b\":1}}}") ==
        "fragment 2 of its metadata: it has extensions, which may change anything");
  CHECK(refused(
            "{\"type\":\"field-class-alias\",\"name\":\"a\",\"field-class\":{\"type\":"
            "\"fixed-length-unsigned-integer\",\"length\":99,\"byte-order\":\"little-endian\"}}") ==
        "fragment 2 of its metadata: a number of 99 bits");
}

TEST_CASE("what is told of threads at the start of an LTTng recording is theirs") {
  ForeignTrace t;
  t.on(0, 10).switches(1'000, "server", 1, 20, "client").switches(2'000, "client", 1, 10, "server");
  t.forks(3'000, "server", 40, "server");  // as all births are told, the others are older
  CtfFiles files = ctf_files(t);
  files.metadata +=
      "event { name = \"lttng_statedump_process_state\"; id = 9; stream_id = 0; fields := struct { "
      "int32_t _tid; int32_t _vtid; int32_t _pid; int32_t _ppid; string _name; }; };";
  // In a packet of its own, in front of the others.
  ForeignTrace one;
  one.on(0, 10).switches(1'000, "server", 1, 20, "client");
  std::string packet = ctf_files(one).streams[0];
  BitWriter event(false);
  event.put(9, 5).put(900, 27).put(30, 32).put(30, 32).put(31, 32).put(1, 32).text("helper", 7);
  constexpr std::size_t kBegin = 32;
  constexpr std::size_t kContent = 48;
  constexpr std::size_t kFirstEvent = 84;
  BitWriter sizes(false);
  sizes.put((kFirstEvent + event.bytes().size()) * 8, 64).put(packet.size() * 8, 64).put(99, 64);
  packet.replace(kContent, sizes.bytes().size(), sizes.bytes());
  packet.replace(kBegin, 16, std::string("\x84\x03\0\0\0\0\0\0\x84\x03\0\0\0\0\0\0", 16));
  packet.replace(kFirstEvent, event.bytes().size(), event.bytes());
  files.streams.push_back(packet);
  const Replay r = replayed(files);
  REQUIRE(r.info.threads.contains(30));
  CHECK(r.info.threads.at(30).process == 31);
  CHECK(r.info.threads.at(30).parent == 1);
}

TEST_CASE("metadata are told by their first bytes") {
  CHECK(read::is_ctf_metadata("/* CTF 1.8 */\n"));
  CHECK(read::is_ctf_metadata("\x1e{\"type\": \"preamble\", \"version\": 2}"));
  CHECK(read::is_ctf_metadata("\x57\x1d\xd1\x75"));
  CHECK(read::is_ctf_metadata("\x75\xd1\x1d\x57"));
  CHECK_FALSE(read::is_ctf_metadata("\x1e{\"type\": \"other\"}"));
  CHECK_FALSE(read::is_ctf_metadata("/* a comment */"));
  CHECK_FALSE(read::is_ctf_metadata(""));
}

}  // namespace
}  // namespace kutrace::test
