// SPDX-License-Identifier: BSD-3-Clause
// Traces of Perfetto become raw traces: events as messages or columns, of whichever clock; who runs
// is told by switches alone.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emit/stream/protobuf.h"
#include "format/event_table.h"
#include "format/perfetto_fields.h"
#include "kutrace/abi.h"
#include "read/perfetto/wire_fields.h"
#include "support/foreign_traces.h"
#include "support/imported_trace.h"
#include "support/lines.h"
#include "support/perfetto_file.h"
#include "support/spans_of.h"

namespace kutrace::test {
namespace {

namespace f = perfetto;

const Lines kStoryOfCpu0 = {
    "syscall 0+1000 read(3)",         "idle 1000+2200 -idle-",      "irq 3200+100 eth0(24)=1",
    "idle 3300+700 -idle-",           "syscall 4000+500 read(3)=5", "user 4500+1500 server",
    "softirq 6000+200 BH:timer(1)=1", "user 6200+199995800 server",
};

TEST_CASE("a Perfetto trace is the trace that it tells of") {
  const ForeignTrace story = foreign_story();
  const std::string file = GENERATE_COPY(
      perfetto_file(story), perfetto_file(story, {.packed = true, .bundle = 1}),
      perfetto_file(story, {.described = true}), perfetto_file(story, {.bundle = 100}),
      perfetto_file(story, {.clock = f::ftrace_bundle::kMonoRaw}),
      perfetto_file(story, {.has_interrupted = false}));
  const Replay r = replayed(file);
  CHECK(r.timeline(0) == kStoryOfCpu0);
  CHECK(r.info.facts.get(fact::kSource) == "perfetto");
  CHECK(r.info.facts.get(fact::kStartMonotonicNs) == 5'000'000'000);
  CHECK(r.info.wall_usec == 1'700'000'006'000'000);
  CHECK(r.of_kind(SpanKind::kWait) ==
        Lines{"10: wait 1000+2000 wait_pipe", "10: wait 3000+1000 wait_cpu"});
}

TEST_CASE("switches and wakeups in columns are those of messages") {
  const Replay r = replayed(perfetto_file(foreign_story(), {.compact = true}));
  CHECK(r.timeline(0) == kStoryOfCpu0);
  CHECK(r.of_kind(SpanKind::kWait) ==
        Lines{"10: wait 1000+2000 wait_pipe", "10: wait 3000+1000 wait_cpu"});
}

TEST_CASE("of a CPU's first switch in columns it is known who comes") {
  ForeignTrace t;
  t.on(0, 10).switches(1'000, "server", 1, 20, "client");
  t.switches(2'000, "client", 1, 10, "server");
  t.on(1, 30).calls(500, 0);
  const Replay r = replayed(perfetto_file(t, {.compact = true}));
  CHECK(r.timeline(0) == Lines{"loss 0+500 -loss-(9)", "user 500+1000 client"});
}

TEST_CASE("threads belong to the processes that the trace tells of, without being older for it") {
  ForeignTrace t;
  t.on(0, 10).switches(1'000, "server", 0, 11, "other");
  t.switches(2'000, "other", 1, 10, "server");
  const Replay r = replayed(perfetto_file(t));
  CHECK(r.info.threads.at(11).process == 10);
}

TEST_CASE("what Perfetto's buffers lost is lost up to the next event of the CPU") {
  ForeignTrace t;
  t.on(0, 10).calls(1'000, 0, 3).returns(2'000, 0, 1);
  t.loses(1).calls(9'000, 1, 4).returns(9'500, 1, 1);
  const Replay r = replayed(perfetto_file(t));
  CHECK(r.timeline(0) == Lines{"hidden 0+1000 -hidden-", "user 1000+1 server",
                               "loss 1001+6999 -loss-(1)", "hidden 8000+500 -hidden-"});
}

// Events of one CPU, a microsecond apart, by messages that are made field by field.
class Messages {
 public:
  using Numbers = std::vector<std::pair<f::FieldNumber, std::int64_t>>;

  Messages() {
    packet_ = out_.begin_long(f::trace::kPacket);
    bundle_ = out_.begin_long(f::trace_packet::kFtraceEvents);
    out_.number(f::ftrace_bundle::kCpu, 0);
  }
  Messages& add(Pid pid, f::FieldNumber kind, const Numbers& numbers, std::string_view text = {}) {
    const auto event = out_.begin(f::ftrace_bundle::kEvent);
    out_.signed_number(f::ftrace_event::kTimestamp, time_ += 1'000);
    out_.signed_number(f::ftrace_event::kPid, pid);
    const auto inner = out_.begin(kind);
    for (const auto& [number, value] : numbers) out_.signed_number(number, value);
    if (!text.empty()) out_.text(f::ipi::kReason, text);
    out_.end(inner);
    out_.end(event);
    return *this;
  }
  Messages& switches(Pid from, Pid to) {
    return add(from, f::ftrace_event::kSchedSwitch,
               {{f::sched_switch::kPrevPid, from}, {f::sched_switch::kNextPid, to}});
  }
  Replay replayed() {
    out_.end(bundle_);
    out_.end(packet_);
    return test::replayed(std::string(out_.bytes()));
  }

 private:
  emit::Protobuf out_;
  emit::Protobuf::Message packet_;
  emit::Protobuf::Message bundle_;
  Ns time_ = 0;
};

TEST_CASE("runs of the thread that stands for loss are loss") {
  Messages m;
  m.switches(10, 20).switches(20, kLostThread).switches(kLostThread, 30);
  const Replay r = m.switches(30, 0).switches(0, 30).replayed();
  CHECK(r.timeline(0) == Lines{"user 0+1000 ", "idle 1000+1 -idle-", "loss 1001+999 -loss-(8)",
                               "user 2000+1000 ", "idle 3000+1000 -idle-"});
}

TEST_CASE("a CPU whose first switch leads to nobody is nobody's until the next one") {
  Messages m;
  m.switches(0, kLostThread);
  m.add(77, f::ftrace_event::kSysEnter, {{f::raw_syscall::kId, 0}});
  const Replay r = m.switches(kLostThread, 20).switches(20, 0).replayed();
  CHECK(r.timeline(0) == Lines{"loss 0+2000 -loss-(9)", "user 2000+1000 "});
}

TEST_CASE("a call of a thread that does not run there is left out, and said") {
  Messages m;
  m.switches(10, 20).add(77, f::ftrace_event::kSysEnter, {{f::raw_syscall::kId, 0}});
  const Replay r = m.switches(20, 0).replayed();
  CHECK(r.timeline(0) == Lines{"user 0+2000 "});
  Lines unseen;
  for (const auto& [key, value] : r.info.facts)
    if (key == fact::kUnseen.text) unseen.push_back(value);
  CHECK(std::ranges::count(unseen,
                           "1 begin or end of a system call of threads that did not run "
                           "where the trace has them") == 1);
}

TEST_CASE("a number that no thread has is not cut to that of another thread") {
  constexpr std::int64_t kFar = (std::int64_t{1} << 32) + 20;
  Messages m;
  m.switches(10, 20).add(20, f::ftrace_event::kSchedSwitch,
                         {{f::sched_switch::kPrevPid, 20}, {f::sched_switch::kNextPid, kFar}});
  const Replay r = m.switches(20, 30).switches(30, 0).switches(0, 30).replayed();
  CHECK(r.timeline(0) == Lines{"user 0+1000 ", "idle 1000+1 -idle-", "loss 1001+999 -loss-(8)",
                               "user 2000+1000 ", "idle 3000+1000 -idle-"});
  CHECK(read::thread_number(kFar) == read::kNotAThread);
  CHECK(read::thread_number(static_cast<std::uint64_t>(-1)) == -1);
}

TEST_CASE("a damaged packet costs itself, and what is behind it is read") {
  const std::string whole = perfetto_file(foreign_story());
  const Replay sound = replayed(whole);
  // A packet whose length leads out of the file, behind the first one and behind all.
  const std::string bad("\x0a\xff\xff\xff\x7f", 5);
  read::WireFields packets(std::as_bytes(std::span(whole)));
  REQUIRE(packets.next());
  const auto* const begin = reinterpret_cast<const std::byte*>(whole.data());
  std::string between = whole;
  between.insert(static_cast<std::size_t>(packets->bytes.data() + packets->bytes.size() - begin),
                 bad);
  CHECK(replayed(between).timeline(0).back() == sound.timeline(0).back());
  CHECK(found_in(between).of(Counter::kEntryBadLength) == 1);
  CHECK(found_in(between).of(Counter::kFileCut) == 0);
  CHECK(replayed(whole + bad).timeline(0) == sound.timeline(0));
  CHECK(found_in(whole + bad).of(Counter::kFileCut) == 1);
  // One whose fields cannot be read, in front of so few others that all are looked at.
  const std::string unread("\x0a\x02\x0b\x0b", 4);
  CHECK(replayed(unread + whole).timeline(0) == sound.timeline(0));
}

TEST_CASE("a new thread is of its maker's process, or of a process of its own") {
  constexpr std::int64_t kCloneThread = 0x10000;
  const auto made = [](Pid pid, std::int64_t flags) {
    return Messages::Numbers{{f::task::kPid, pid}, {f::task::kCloneFlags, flags}};
  };
  Messages m;
  m.switches(10, 20).add(20, f::ftrace_event::kTaskNewtask, made(21, 0)).switches(20, 21);
  m.add(21, f::ftrace_event::kTaskNewtask, made(22, kCloneThread));
  const Replay r = m.switches(21, 22).switches(22, 0).replayed();
  CHECK(r.info.threads.at(21).process == 21);
  CHECK(r.info.threads.at(21).parent == 20);
  CHECK(r.info.threads.at(22).process == 21);
  const auto born = std::ranges::find(r.lives, 22, &ThreadLife::pid);
  REQUIRE(born != r.lives.end());
  CHECK(born->begin == 3'000);
}

TEST_CASE("a return without a result was not seen") {
  const bool is_seen = GENERATE(true, false);
  Messages m;
  m.switches(10, 20).add(20, f::ftrace_event::kSysEnter, {{f::raw_syscall::kId, 0}});
  Messages::Numbers numbers{{f::raw_syscall::kId, 0}};
  if (is_seen) numbers.emplace_back(f::raw_syscall::kRet, 0);
  m.add(20, f::ftrace_event::kSysExit, numbers);
  const Replay r = m.switches(20, 0).replayed();
  CHECK(r.timeline(0).back() == (is_seen ? "user 2000+1000 " : "syscall 1000+2000 sys#0"));
}

TEST_CASE("what an interrupt between CPUs of arm64 is for tells which it is") {
  Messages m;
  m.switches(10, 20).add(20, f::ftrace_event::kIpiEntry, {}, "Rescheduling interrupts");
  m.add(20, f::ftrace_event::kIpiExit, {}, "Rescheduling interrupts");
  m.add(20, f::ftrace_event::kIpiEntry, {}, "something new");
  const Replay r = m.switches(20, 0).replayed();
  CHECK(r.timeline(0) ==
        Lines{"user 0+1000 ", "irq 1000+1000 reschedule_ipi=0", "user 2000+2000 "});
}

TEST_CASE("a Perfetto trace that is cut anywhere is refused, or what is left of it is told") {
  const std::string whole =
      GENERATE(perfetto_file(foreign_story()),
               perfetto_file(foreign_story(), {.compact = true, .packed = true}));
  for (std::size_t size = 120; size < whole.size(); size += 7) {
    auto reader = opened(whole.substr(0, size));
    if (!reader) {
      CHECK_FALSE(reader.error().sentence.empty());
      continue;
    }
    Replay r;
    replay(*(*reader)->raw(), r);
  }
}

TEST_CASE("a Perfetto trace is recognized whose first packet is larger than what is read at once") {
  constexpr std::uint32_t kSomething = 900;
  emit::Protobuf out;
  const auto packet = out.begin_long(f::trace::kPacket);
  out.text(kSomething, std::string(300'000, 'x'));
  out.end(packet);
  const std::string front(out.bytes());
  CHECK(replayed(front + perfetto_file(foreign_story())).timeline(0) == kStoryOfCpu0);
}

TEST_CASE("a Perfetto trace without events of the kernel is refused with a reason") {
  emit::Protobuf out;
  const auto packet = out.begin_long(f::trace::kPacket);
  for (int i = 0; i < 3; ++i) out.number(f::trace_packet::kTrustedPacketSequenceId, 1);
  out.end(packet);
  const auto reader = opened(std::string(out.bytes()));
  REQUIRE_FALSE(reader);
  CHECK(reader.error().sentence ==
        "is a Perfetto trace without events of the kernel that can be used");
}

TEST_CASE("fields of a message are read, and damage ends them") {
  const auto fields_of = [](std::string_view bytes) {
    Lines lines;
    read::WireFields fields(std::as_bytes(std::span(bytes)));
    while (fields.next())
      lines.push_back(std::to_string(fields->number) + "=" +
                      (fields->is_bytes ? std::string(fields->text())
                                        : std::to_string(fields->signed_value())));
    if (fields.damaged()) lines.emplace_back("damaged");
    return lines;
  };
  using namespace std::string_view_literals;
  CHECK(fields_of("\x08\x96\x01\x12\x02hi"sv) == Lines{"1=150", "2=hi"});
  CHECK(fields_of("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv) == Lines{"1=-1"});
  CHECK(fields_of("\x0d\x01\x00\x00\x00\x11\x02\x00\x00\x00\x00\x00\x00\x00"sv) ==
        Lines{"1=1", "2=2"});
  CHECK(fields_of("\x12\x05hi"sv) == Lines{"damaged"});
  CHECK(fields_of("\x08\xff"sv) == Lines{"damaged"});
  CHECK(fields_of("\x0b"sv) == Lines{"damaged"});
  CHECK(fields_of("\x00\x00"sv) == Lines{"damaged"});
}

}  // namespace
}  // namespace kutrace::test
