// SPDX-License-Identifier: BSD-3-Clause
// Files of trace-cmd and perf become raw traces: what they tell is there, what they do not tell is
// not made up, and damage costs what it hit.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "read/import/event_format.h"
#include "read/import/kernel_event.h"
#include "read/import/raw_events.h"
#include "read/perf_data/perf_header.h"
#include "read/perf_data/perf_order.h"
#include "read/trace_dat/packed_piece.h"
#include "read/trace_dat/ring_page.h"
#include "support/foreign_traces.h"
#include "support/imported_trace.h"
#include "support/lines.h"
#include "support/spans_of.h"

namespace kutrace::test {
namespace {

const Lines kStoryOfCpu0 = {
    "syscall 0+1000 read(3)",         "idle 1000+2200 -idle-",      "irq 3200+100 eth0(24)=1",
    "idle 3300+700 -idle-",           "syscall 4000+500 read(3)=5", "user 4500+1500 server",
    "softirq 6000+200 BH:timer(1)=1", "user 6200+199995800 server",
};

TEST_CASE("a trace.dat of each version is the trace that it tells of") {
  const ForeignTrace story = foreign_story();
  const std::string file =
      GENERATE_COPY(dat_file(story), dat_file(story, {.version = 7}),
                    dat_file(story, {.version = 7, .packed = true}),
                    dat_file(story, {.version = 7, .packed = true, .page_bytes = 256}));
  const Replay r = replayed(file);
  CHECK(r.timeline(0) == kStoryOfCpu0);
  CHECK(r.info.facts.get(fact::kSource) == "trace-cmd");
  CHECK(r.info.facts.get(fact::kClock) == "mono");
}

TEST_CASE("a perf.data on disk and one of a stream are the trace that they tell of") {
  const ForeignTrace story = foreign_story();
  const std::string file =
      GENERATE_COPY(perf_file(story), perf_file(story, {.stream = true}),
                    perf_file(story, {.packed = true}), perf_file(story, {.round = 100}));
  const Replay r = replayed(file);
  CHECK(r.timeline(0) == kStoryOfCpu0);
  CHECK(r.info.facts.get(fact::kSource) == "perf");
}

TEST_CASE("a perf.data tells the wall clock, which ends where numbers do") {
  using Clock = std::pair<std::uint64_t, std::uint64_t>;
  const auto wall_usec = [](Clock clock) {
    return replayed(perf_file(foreign_story(), {.clock = clock})).info.wall_usec;
  };
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t kBegin = 5'000'000'000;
  CHECK(wall_usec({1'700'000'000'000'000'000, kBegin}) == 1'700'000'000'000'000);
  CHECK(wall_usec({1'700'000'000'000'000'000, 4 * kBegin}) == 1'699'999'985'000'000);
  CHECK(wall_usec({0, kLast}) == 0);
  CHECK(wall_usec({kLast, kLast}) == kBegin / 1000);
  CHECK(wall_usec({kLast, 0}) == static_cast<std::uint64_t>(read::kLatest) / 1000);
  CHECK(wall_usec({std::uint64_t{1} << 63, 0}) == static_cast<std::uint64_t>(read::kLatest) / 1000);
}

TEST_CASE("of a perf.data without rounds not more waits to be sorted than there is room for") {
  constexpr std::size_t kRoom = std::size_t{128} << 20;
  std::size_t taken = 0;
  std::size_t most = 0;
  Ns last = 0;
  bool in_order = true;
  read::PerfOrder order([&](const read::PerfItem& item) -> Status {
    in_order = in_order && item.event.time >= last;
    last = item.event.time;
    ++taken;
    return {};
  });
  constexpr std::size_t kItems = kRoom / sizeof(read::PerfItem) * 3 / 2;
  for (std::size_t pushed = 0; pushed < kItems; ++pushed) {
    read::PerfItem item;
    item.event.time = static_cast<Ns>(pushed ^ 1);
    REQUIRE(order.push(item));
    most = std::max(most, pushed + 1 - taken);
  }
  CHECK(most * sizeof(read::PerfItem) <= kRoom);
  REQUIRE(order.finish());
  CHECK(taken == kItems);
  CHECK(in_order);
}

TEST_CASE("who woke a thread, and what it waited for, follows from another tool's events") {
  const Replay r = replayed(dat_file(foreign_story()));
  CHECK(r.of_kind(SpanKind::kWait) ==
        Lines{"10: wait 1000+2000 wait_pipe", "10: wait 3000+1000 wait_cpu"});
}

TEST_CASE("until a CPU's first event nobody knows who ran there") {
  const Replay r = replayed(dat_file(foreign_story()));
  CHECK(r.timeline(1).front() == "loss 0+500 -loss-(9)");
}

TEST_CASE("where another thread is found than the one switched to, a switch is missing") {
  ForeignTrace t;
  t.on(0, 0).switches(1'000, "swapper/0", 0, 10, "server");
  t.on(0, 10).calls(1'000, 0, 3).returns(2'000, 0, 1);
  t.on(0, 20).calls(9'000, 1, 4).returns(9'500, 1, 1);
  const Replay r = replayed(dat_file(t));
  CHECK(r.timeline(0) == Lines{"syscall 0+1000 read(3)=1", "loss 1000+7000 -loss-(9)",
                               "syscall 8000+500 write(4)=1"});
}

TEST_CASE("what was lost is lost from the event before it to the one behind it") {
  ForeignTrace t;
  t.on(0, 0).switches(1'000, "swapper/0", 0, 10, "server");
  t.on(0, 10).calls(1'000, 0, 3).returns(2'000, 0, 1);
  t.loses(77).calls(9'000, 1, 4).returns(9'500, 1, 1);
  const std::string file = GENERATE_COPY(dat_file(t), perf_file(t));
  const Replay r = replayed(file);
  CHECK(r.timeline(0) == Lines{"syscall 0+1000 read(3)=1", "user 1000+1 server",
                               "loss 1001+6999 -loss-(1)", "syscall 8000+500 write(4)=1"});
  REQUIRE(r.info.losses.size() == 1);
  CHECK(r.info.losses.front().entries == 77);
}

TEST_CASE("what the file does not tell of is said") {
  ForeignTrace t;
  t.on(0, 10).switches(1'000, "server", 1, 20, "client");
  const Replay r = replayed(dat_file(t));
  CHECK(r.info.facts.get(fact::kEvents) == fact::Words{"sched"});
  CHECK(r.info.facts.get(fact::kFaultReturns) == false);
  Lines unseen;
  for (const auto& [key, value] : r.info.facts)
    if (key == fact::kUnseen.text) unseen.push_back(value);
  CHECK(std::ranges::count(unseen, "system calls") == 1);
  CHECK(std::ranges::count(unseen, "page faults") == 1);
}

TEST_CASE("numbers that need more than 16 bits are whole") {
  ForeignTrace t;
  t.on(0, 0).switches(1'000, "swapper/0", 0, 10, "server");
  t.on(0, 10).calls(1'000, 9, 0x7fff'1234'5678).returns(2'000, 9, 0x7fff'0000'1000);
  const Replay r = replayed(dat_file(t));
  REQUIRE(!r.spans.empty());
  CHECK(r.timeline(0).size() == 1);
  CHECK(r.spans.front().result.value == 0x7fff'0000'1000);
  CHECK(r.spans.front().arg == 0x7fff'1234'5678);
}

TEST_CASE("a new thread begins where it is made, and is called as its maker") {
  const Replay r = replayed(perf_file(foreign_story()));
  const auto born = std::ranges::find(r.lives, 30, &ThreadLife::pid);
  REQUIRE(born != r.lives.end());
  CHECK(born->begin == 200'000'000);
  CHECK(r.names.text(born->name) == "client");
}

TEST_CASE("marks that programs set are seen where system calls are") {
  ForeignTrace t;
  constexpr std::int64_t kMark = std::int64_t{0x20a} << 32 | 5;
  t.on(0, 10).inserts(1'000, kMark).calls(2'000, 0).returns(3'000, 0);
  const Replay r = replayed(dat_file(t));
  CHECK(r.of_kind(SpanKind::kMark).size() == 1);
}

TEST_CASE("a mark that is written is no call, and a write is no mark") {
  ForeignTrace t;
  constexpr std::int64_t kMark = std::int64_t{0x20a} << 32 | 5;
  t.on(0, 10).writes_mark(1'000, kMark).calls(2'000, 1, 5).returns(3'000, 1, -EBADF);
  const Replay r = replayed(dat_file(t));
  CHECK(r.of_kind(SpanKind::kMark).size() == 1);
  REQUIRE(r.calls.size() == 1);
  CHECK(r.calls[0].find("-9") != std::string::npos);
}

TEST_CASE("files that cannot be used are refused with a reason") {
  const auto refusal = [](const std::string& file) {
    const auto reader = opened(file);
    REQUIRE_FALSE(reader);
    CHECK(reader.error().kind == ErrorKind::kInput);
    return reader.error().sentence;
  };
  std::string version = dat_file(foreign_story());
  version[10] = '9';
  CHECK(refusal(version) == "is a trace.dat of version 9");
  CHECK(refusal(dat_file(ForeignTrace())) == "holds no events of any CPU");
  CHECK(refusal(dat_file(foreign_story(), {.clock = "x86-tsc"})) ==
        "has times of the clock 'x86-tsc', which are not nanoseconds");
  CHECK(refusal(perf_file(ForeignTrace())) == "is a perf.data without an event that can be used");
  CHECK(refusal("PERFILE2") == "is a damaged perf.data: its header is cut or has impossible sizes");
}

TEST_CASE("CPUs whose events are at one place are refused") {
  ForeignTrace t;
  t.on(0, 10).calls(1'000, 0).on(1, 20).calls(1'000, 0);
  std::string file = dat_file(t);
  const std::size_t places = file.find("flyrecord") + 10;
  for (std::size_t cpu = 0; cpu < 2; ++cpu) {
    const std::uint64_t place[] = {0, file.size()};
    std::memcpy(file.data() + places + cpu * sizeof place, place, sizeof place);
  }
  const auto reader = opened(file);
  REQUIRE_FALSE(reader);
  CHECK(reader.error().sentence ==
        "is a damaged trace.dat: events of several CPUs are at one place");
}

TEST_CASE("ids of a perf.data's events are read once, wherever it says that they are") {
  std::string file = perf_file(foreign_story());
  for (std::size_t attr = 0; attr < 2; ++attr) {
    const std::uint64_t place[] = {0, file.size()};
    std::memcpy(file.data() + 104 + attr * 80 + 64, place, sizeof place);
  }
  const auto header = read::read_perf_header(MappedFile::from_bytes(bytes_of(file), "perf.data"));
  REQUIRE(header);
  CHECK_FALSE(header->attr_of_id.empty());
  CHECK(std::ranges::all_of(header->attr_of_id, [](const auto& id) { return id.second == 0; }));
}

TEST_CASE("of packed parts no more is unpacked than there is room for") {
  // Sizes, then a frame of zstd: one block, as it is.
  using namespace std::string_view_literals;
  const auto bytes = bytes_of(
      "\x0c\0\0\0\x03\0\0\0"
      "\x28\xb5\x2f\xfd\x20\x03\x19\0\0abc"sv);
  std::uint64_t room = 5;
  read::ByteCursor first(bytes);
  const auto part = read::unpack_piece(first, room);
  REQUIRE(part);
  CHECK(part->bytes().size() == 3);
  CHECK(room == 2);
  read::ByteCursor second(bytes);
  CHECK_FALSE(read::unpack_piece(second, room));
  CHECK(second.left() == 0);
  CHECK(room == 2);
}

TEST_CASE("a small perf.data that unpacks to more threads than there is room for is refused") {
  constexpr std::size_t kMany = 1'000'000;
  const std::string file = perf_file(foreign_story(), {.packed = true, .threads = kMany});
  CHECK(file.size() < 4 * kMany);
  const auto reader = opened(file);
  REQUIRE_FALSE(reader);
  CHECK(reader.error().sentence.starts_with("its events need more than"));
}

TEST_CASE("a file that is cut anywhere is refused, or what is left of it is told") {
  const std::string whole =
      GENERATE(dat_file(foreign_story(), {.page_bytes = 128}), perf_file(foreign_story()),
               perf_file(foreign_story(), {.stream = true}));
  for (std::size_t size = 11; size < whole.size(); size += 37) {
    const std::string file = whole.substr(0, size);
    auto reader = opened(file);
    if (!reader) {
      CHECK_FALSE(reader.error().sentence.empty());
      continue;
    }
    Replay r;
    replay(*(*reader)->raw(), r);
  }
}

TEST_CASE("a damaged page costs its time, and is counted") {
  ForeignTrace t;
  t.on(0, 10);
  for (Ns time = 1'000; time < 5'000; time += 100) t.calls(time, 0).returns(time + 50, 0);
  std::string file = dat_file(t, {.page_bytes = 512});
  // The third page of the CPU says that it holds more than a page.
  const std::size_t page = (file.size() / 4096 - 0) > 0 ? file.find("flyrecord") : 0;
  std::uint64_t place = 0;
  std::memcpy(&place, file.data() + page + 10, sizeof place);
  file[place + 2 * 512 + 9] = '\x7f';
  const Replay r = replayed(file);
  CHECK(found_in(file).of(Counter::kEntryBadLength) == 1);
  REQUIRE(r.info.losses.size() == 1);
  CHECK(r.info.losses.front().reason == KUTRACE_LOSS_DAMAGED);
}

TEST_CASE("what is lost behind a CPU's last event is lost up to the end") {
  ForeignTrace t;
  t.on(0, 0).switches(1'000, "swapper/0", 0, 10, "server");
  t.on(0, 10).calls(1'000, 0, 3).returns(2'000, 0, 1).loses(77).calls(3'000, 1, 4);
  t.on(1, 20).calls(1'000, 0, 3).returns(9'000, 0, 1);
  const Lines lost = {"syscall 0+1000 read(3)=1", "user 1000+1 server"};
  SECTION("a page of trace.dat that only tells it") {
    std::string file = dat_file(t, {.page_bytes = 512});
    std::uint64_t place = 0;
    std::memcpy(&place, file.data() + file.find("flyrecord") + 10, sizeof place);
    char* const page = file.data() + place + 512;
    page[8] = page[9] = 0;  // bytes of events
    const std::uint64_t count = 77;
    std::memcpy(page + 16, &count, sizeof count);
    const Replay r = replayed(file);
    CHECK(r.timeline(0) == Lines{lost[0], lost[1], "loss 1001+6999 -loss-(1)"});
    CHECK(r.info.losses.back().entries == 77);
  }
  SECTION("a perf.data that is cut") {
    ForeignTrace whole;
    whole.on(1, 20).calls(1'000, 0, 3).returns(9'000, 0, 1);
    whole.on(0, 10).calls(1'000, 0, 3).returns(2'000, 0, 1).calls(9'500, 0);
    std::string file = perf_file(whole, {.stream = true, .round = 100});
    file.resize(file.size() - 12);
    REQUIRE(found_in(file).of(Counter::kFileCut) == 1);
    CHECK(replayed(file).timeline(0) == Lines{lost[0], lost[1], "loss 1001+6999 -loss-(6)"});
  }
}

TEST_CASE("an event that is shorter than its format is told from one that is not used") {
  using Found = read::RawEvents::Found;
  read::RawEvents events;
  // A field without room is none, wherever it stands.
  events.add(
      "name: sys_enter_read\nID: 7\nformat:\n"
      "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
      "\tfield:char none[0];\toffset:16;\tsize:0;\tsigned:0;\n"
      "\tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n");
  std::string bytes(24, '\0');
  bytes[0] = 7;
  bytes[16] = 3;
  read::KernelEvent event;
  CHECK(events.decode(bytes_of(bytes), event) == Found::kUsed);
  CHECK(event.numbers[1] == 3);
  CHECK(events.decode(bytes_of(bytes.substr(0, 20)), event) == Found::kTooShort);
  CHECK(events.decode(bytes_of(bytes.substr(0, 1)), event) == Found::kTooShort);
  bytes[0] = 8;
  CHECK(events.decode(bytes_of(bytes), event) == Found::kUnused);
}

TEST_CASE("fields of an event stand where its format says") {
  const auto format = read::parse_event_format(
      "name: irq_handler_entry\nID: 224\nformat:\n"
      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
      "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
      "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n"
      "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"
      "\tfield:char * buf;\toffset:64;\tsize:8;\tsigned:0;\n"
      "\nprint fmt: \"irq=%d name=%s\", REC->irq, __get_str(name)\n");
  REQUIRE(format);
  CHECK(format->id == 224);
  REQUIRE(format->field("irq") != nullptr);
  CHECK(format->field("irq")->is_signed);
  CHECK(format->field("name")->is_elsewhere);
  CHECK(format->field("args")->size == 48);
  CHECK(format->field("buf")->offset == 64);
  CHECK(format->field("fmt") == nullptr);
  CHECK_FALSE(read::parse_event_format("name: x\n"));
}

// A page of two events: time, committed bytes, then an event, more of a delta, padding, an event.
TEST_CASE("times in a page add up") {
  std::string page;
  const auto put = [&page](auto value) {
    page.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(std::uint64_t{1'000});
  put(std::uint64_t{40});
  put(std::uint32_t{1U | 5U << 5});  // 5 ns later, a word
  put(std::uint32_t{0xabcd});
  put(std::uint32_t{30U | 3U << 5});  // 3 + 2 * 2^27 ns
  put(std::uint32_t{2});
  put(std::uint32_t{29U | 1U << 5});  // what was thrown away: 8 bytes with the length
  put(std::uint32_t{8});
  put(std::uint32_t{0xeeee});
  put(std::uint32_t{0U | 7U << 5});  // 7 ns later, its length in a word
  put(std::uint32_t{8});
  put(std::uint32_t{0x1234});
  const auto bytes = bytes_of(page);
  read::RingPage ring(bytes, 8);
  REQUIRE(ring.next());
  CHECK(ring.time() == 1'005);
  CHECK(ring.event().size() == 4);
  REQUIRE(ring.next());
  CHECK(ring.time() == 1'005 + 3 + (2ULL << 27) + 1 + 7);
  CHECK_FALSE(ring.next());
  CHECK_FALSE(ring.damaged());
}

}  // namespace
}  // namespace kutrace::test
