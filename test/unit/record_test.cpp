// SPDX-License-Identifier: BSD-3-Clause
// What the recorder does without a kernel: reading /proc texts, packing names, walking blocks.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "format/event_groups.h"
#include "format/event_table.h"
#include "format/name_entries.h"
#include "format/syscall_names.h"
#include "kutrace/inserts.h"
#include "kutrace/interrupts.h"
#include "record/blocks/block_walk.h"
#include "record/blocks/tally.h"
#include "record/proc/kernel_addresses.h"
#include "record/proc/kernel_counts.h"
#include "record/proc/task_seed.h"
#include "record/run/cost.h"
#include "record/run/losses.h"

using namespace kutrace;

namespace {

std::uint64_t entry(Ticks time, EventNum event, std::uint32_t arg) {
  return time << KUTRACE_TIME_SHIFT | std::uint64_t{event} << KUTRACE_EVENT_SHIFT | arg;
}

// A block in memory with these words after its header.
struct TestBlock {
  TestBlock(Ticks base, std::initializer_list<std::uint64_t> entries) : words(KUTRACE_BLOCK_WORDS) {
    words[0] = base;
    std::copy(entries.begin(), entries.end(), words.begin() + KUTRACE_HEADER_WORDS);
    block = {0, 0, static_cast<std::uint32_t>(KUTRACE_HEADER_WORDS + entries.size()), words.data()};
  }
  std::vector<std::uint64_t> words;
  record::FinishedBlock block;
};

}  // namespace

TEST_CASE("the kernel's variables are found by their whole names") {
  const auto in = [](const char* text) {
    std::istringstream symbols(text);
    return record::addresses_in(symbols, {"page_map", "direct_map"});
  };
  CHECK(in("ffffffff81000000 T page_map_more\n"
           "ffffffff82000010 D direct_map\n"
           "ffffffff82000018 d page_map\n") ==
        std::vector<std::uint64_t>{0xffffffff82000018, 0xffffffff82000010});
  CHECK(in("0000000000000000 D direct_map\nffffffffc0001000 d page_map\t[module]\n\nodd\n") ==
        std::vector<std::uint64_t>{0, 0});
}

TEST_CASE("system calls are named by the machine's own numbers") {
  const auto name_of = [](std::string_view machine, std::uint32_t number) -> std::string {
    for (const NumberedName& call : syscall_names(machine))
      if (call.number == number) return call.name;
    return {};
  };
  CHECK(name_of("x86_64", 39) == "getpid");
  CHECK(name_of("aarch64", 172) == "getpid");
  CHECK(name_of("aarch64", 39) == "umount2");
  CHECK(name_of("x86_64", 435) == name_of("aarch64", 435));
  CHECK(syscall_names("riscv64").empty());
  CHECK_FALSE(syscall32_names("x86_64").empty());
  CHECK(syscall32_names("aarch64").empty());
}

TEST_CASE("event groups: a plain list replaces the standard set, signs change it") {
  CHECK(fact::to_text(EventGroups::parse("")->names()) ==
        "syscalls,irqs,softirqs,faults,sched,wakeups,power,net,processes");
  CHECK(fact::to_text(EventGroups::parse("syscalls")->names()) == "syscalls,sched");
  CHECK(EventGroups::parse("-sched")->has(EventGroup::kSched));
  CHECK(fact::to_text(EventGroups::parse("-net,+samples")->names()) ==
        "syscalls,irqs,softirqs,faults,sched,wakeups,power,samples,processes");
  REQUIRE_FALSE(EventGroups::parse("sched,disks"));
  CHECK(fact::to_text(EventGroups::parse("sched,+disk,+locks")->names()) == "sched,locks,disk");
  CHECK(EventGroups::parse("disks").error().hint.find("syscalls") != std::string::npos);
}

TEST_CASE("a thread's name may hold blanks and parentheses") {
  const auto task = record::parse_task_stat("42 (a b) (c)) S 7 42 42 0 -1 2129984 0 0");
  REQUIRE(task);
  CHECK(task->pid == 42);
  CHECK(task->name == "a b) (c)");
  CHECK(task->parent == 7);
  CHECK(task->kernel_thread);
  CHECK_FALSE(record::parse_task_stat("42 (gone"));
}

TEST_CASE("a worker of a workqueue has the name that the kernel keeps, without what it does") {
  const auto name_of = [](const std::string& shown, const char* flags) {
    const auto task = record::parse_task_stat("42 (" + shown + ") I 2 0 0 0 -1 " + flags + " 0");
    REQUIRE(task);
    return task->name;
  };
  constexpr const char* kWorker = "69238880";
  CHECK(name_of("kworker/u8:6-events_unbound", kWorker) == "kworker/u8:6");
  CHECK(name_of("kworker/0:1+ext4-rsv-conversion", kWorker) == "kworker/0:1");
  CHECK(name_of("kworker/0:1H-kblockd", kWorker) == "kworker/0:1H");
  CHECK(name_of("kworker/u8:3-flush-254:0", kWorker) == "kworker/u8:3");
  CHECK(name_of("kworker/u8:6", kWorker) == "kworker/u8:6");
  CHECK(name_of("kworker/dying", kWorker) == "kworker/dying");
  CHECK(name_of("kworker/R-inet-frag", kWorker) == "kworker/R-inet-frag");
  CHECK(name_of("ext4-rsv-conver", kWorker) == "ext4-rsv-conver");  // a rescuer of older kernels
  CHECK(name_of("kworker/0:1-x", "4194304") == "kworker/0:1-x");    // a program's own
}

TEST_CASE("a thread that reads what all are blocked in finds itself in no call") {
  const auto tasks = record::read_all_tasks();
  const auto self = std::ranges::find(tasks, static_cast<Pid>(gettid()), &record::SeedTask::pid);
  REQUIRE(self != tasks.end());
  CHECK_FALSE(self->blocked_in);
}

TEST_CASE("interrupt counts are summed over CPUs, and devices have names") {
  const auto lines = record::parse_interrupts(
      "           CPU0       CPU1\n"
      " 36:          3      40526  PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\n"
      "LOC:      19163      19952   Local timer interrupts\n"
      "ERR:          0\n");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].label == "36");
  CHECK(lines[0].count == 40529);
  CHECK(lines[0].name == "virtio1-req.0");
  CHECK(lines[1].count == 39115);
  CHECK(lines[1].name.empty());
}

TEST_CASE("numbers of /proc that are too long are no numbers, and throw nothing") {
  const auto lines = record::parse_interrupts(
      "      CPU0\n"
      "9999999999999999999999999: 1  PCI-MSIX-0000:00:02.0   1-edge      disk\n"
      "  7: 9999999999999999999999999  PCI-MSIX-0000:00:02.0   1-edge      net\n");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].name.empty());
  CHECK(lines[0].count == 1);
  CHECK(lines[1].count == 0);
  const std::string label = lines[0].label;
  CHECK(record::compare_counts({{label, 0}}, {{label, 5}}, std::vector<std::uint64_t>(4096), true)
            .size() == 1);
}

TEST_CASE("recorded counts are compared with the kernel's, and small edges forgiven") {
  std::vector<std::uint64_t> by_event(4096);
  by_event[ev::kUSERPID] = 990;
  by_event[0x5ec] = 100'000;
  by_event[0x5fb] = 30;
  by_event[0x5fc] = 4;
  const auto compared =
      record::compare_counts({{"ctxt", 10}, {"LOC", 0}, {"CAL", 0}},
                             {{"ctxt", 1000}, {"LOC", 101'000}, {"CAL", 40}}, by_event, true);
  REQUIRE(compared.size() == 3);
  CHECK(compared[0].name == "CAL");
  CHECK(compared[0].recorded == 34);
  CHECK_FALSE(compared[0].differs());
  CHECK(compared[1].differs());  // LOC: 1 % missing
  CHECK(compared[2].kernel == 990);
  CHECK_FALSE(compared[2].differs());
}

TEST_CASE("what was not recorded is not compared") {
  const std::vector<std::uint64_t> none(4096);
  const auto compared = record::compare_counts({{"ctxt", 10}, {"LOC", 0}},
                                               {{"ctxt", 20}, {"LOC", 5000}}, none, false);
  REQUIRE(compared.size() == 1);
  CHECK(compared[0].name == "ctxt");
}

TEST_CASE("a cost is more than nothing, or said to be unknown") {
  for (const double with : {0.0, 100.0, 185.0, 190.0}) {
    const record::Cost cost{{185, 8}, {with, 2}};
    CHECK_FALSE(cost.ns_per_event());
    CHECK(cost.text().find("not measurable") != std::string::npos);
  }
  const record::Cost cost{{185, 8}, {441, 40}};
  REQUIRE(cost.ns_per_event());
  CHECK(*cost.ns_per_event() == Approx(128));
  CHECK(cost.text() == "128 ns per event");
}

TEST_CASE("a program may insert what events.def gives to programs, of all event numbers") {
  std::set<std::uint32_t> own;
  const std::string program = "program";
#define KUTRACE_POINT(id, number, name, group, argument, by) \
  if (program == #by) own.insert(number);
#include "kutrace/events.def"
#define KUTRACE_KIND(id, kind, what, by) \
  if (program == #by)                    \
    for (std::uint32_t words = 2; words <= 8; ++words) own.insert((kind) | words << 4);
#include "kutrace/events.def"
  REQUIRE(own.contains(ev::kMARK_A));
  REQUIRE_FALSE(own.contains(ev::kRUNNABLE));
  for (std::uint32_t event = 0; event <= KUTRACE_EVENT_MASK; ++event) {
    CAPTURE(event);
    const bool may = kutrace_is_program_point(event) != 0 || kutrace_is_program_name(event) != 0;
    CHECK(may == own.contains(event));
  }
}

TEST_CASE("interrupt numbers above 0xdf share slots below the vectors") {
  CHECK(kutrace_irq_slot(36) == 36);
  CHECK(kutrace_irq_slot(0xe0) == 0x20 + 0xe0 - 0xc0);
  for (std::uint32_t irq = 0; irq < 5000; ++irq) CHECK(kutrace_irq_slot(irq) < 0xe0);
}

TEST_CASE("a block with a claimed word that is not stored is not settled") {
  TestBlock full(100, {entry(101, 0x80e, 0), entry(102, 0xa0e, 0)});
  CHECK(record::is_settled(full.block));
  TestBlock hole(100, {entry(101, 0x80e, 0), 0, entry(103, 0xa0e, 0)});
  CHECK_FALSE(record::is_settled(hole.block));
  CHECK(record::count_holes(hole.block) == 1);
  // A zero word inside a longer entry is its payload.
  TestBlock name(100, {entry(101, 0x032, 7), 0x6261, 0, entry(103, 0x200, 7)});
  CHECK(record::is_settled(name.block));
}

TEST_CASE("what is later than the stop is cut, a call that outlasts it loses its return") {
  const std::uint64_t folded = entry(110, 0x80e, 0) | std::uint64_t{20} << KUTRACE_DELTA_SHIFT;
  const TestBlock whole(100, {entry(101, 0x200, 7), folded, entry(131, 0x206, 9)});
  std::vector<std::uint64_t> copy;
  CHECK(record::cut_after(whole.block, 120, copy) == KUTRACE_HEADER_WORDS + 2);
  CHECK(copy.size() == KUTRACE_BLOCK_WORDS);
  CHECK(copy[KUTRACE_HEADER_WORDS + 1] == entry(110, 0x80e, 0));
  CHECK(copy[KUTRACE_HEADER_WORDS + 2] == 0);
  CHECK(whole.words[KUTRACE_HEADER_WORDS + 1] == folded);
}

TEST_CASE("times over a long gap are followed when a block is cut") {
  constexpr Ticks kGap = 5'000'000;
  const Ticks later = 101 + kGap;
  const TestBlock jump(
      100, {entry(101, 0x200, 7), entry(later, ev::kTSDELTA, kGap), entry(later, 0x206, 9)});
  std::vector<std::uint64_t> copy;
  CHECK(record::cut_after(jump.block, later, copy) == KUTRACE_HEADER_WORDS + 3);
  CHECK(record::cut_after(jump.block, later - 1, copy) == KUTRACE_HEADER_WORDS + 1);
}

TEST_CASE("a tally counts a folded call as two transitions") {
  const std::uint64_t folded = entry(110, 0x80e, 0) | std::uint64_t{20} << KUTRACE_DELTA_SHIFT;
  TestBlock some(100, {folded, entry(131, 0x206, 9),
                       entry(140, 0x148, KUTRACE_LOSS_BUFFER_FULL << KUTRACE_LOSS_REASON_SHIFT),
                       100, 140, 17});
  record::Tally tally;
  tally.add(some.block);
  CHECK(tally.transitions == 4);
  CHECK(tally.by_event[0x80e] == 1);
  CHECK(tally.losses == 17);
}

TEST_CASE("a tally counts what a call is given with the calls") {
  TestBlock some(100, {entry(110, 0x800, 0), entry(111, kind::kARGUMENTS | 2 << 4, 0), 7,
                       entry(112, 0x5ec, 0), entry(113, kind::kCALL_DATA | 2 << 4, 0), 7});
  record::Tally tally;
  tally.add(some.block);
  CHECK(tally.by_group.of(EventGroup::kSyscalls) == 3);
  CHECK(tally.by_group.of(EventGroup::kIrqs) == 1);
  CHECK(tally.by_group.sum() == tally.transitions);
}

TEST_CASE("losses of one CPU and reason become one record") {
  record::Losses losses;
  losses.add(1, KUTRACE_LOSS_DISK, 200, 300, 5);
  losses.add(1, KUTRACE_LOSS_DISK, 100, 150, 2);
  losses.add(0, KUTRACE_LOSS_DISK, 120, 130, 1);
  NameEntries names;
  losses.append_to(names);
  CHECK(names.words() == 2 * KUTRACE_LOSS_WORDS);
  losses.add(0, KUTRACE_LOSS_OFFLINE, 120, 130, KUTRACE_LOSS_UNKNOWN_COUNT);
  record::Tally tally;
  losses.add_to(tally);
  CHECK(tally.losses == 8);
  CHECK(tally.uncounted_losses == 1);
}
