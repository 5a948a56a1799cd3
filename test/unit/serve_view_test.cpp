// SPDX-License-Identifier: BSD-3-Clause
// What reaches a reader of the daemon, byte by byte: of every number that an entry can have, in the
// time of his own threads, of another user's, and of nobody.
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "decode/block_decoder.h"
#include "format/cpu_writer.h"
#include "format/entry_word.h"
#include "format/event_table.h"
#include "format/name_entries.h"
#include "kutrace/owners.h"
#include "record/served/served_protocol.h"
#include "record/view/reader_stream.h"
#include "record/view/sight.h"
#include "serve/outgoing.h"
#include "serve/policy.h"
#include "support/temporary_file.h"

namespace kutrace::test {
namespace {

constexpr std::uint32_t kMine = 1;
constexpr std::uint32_t kOthers = 2;
constexpr Pid kMyThread = 111;
constexpr Pid kOtherThread = 777;
constexpr CpuId kCpu = 3;
constexpr Ticks kBegin = 1000;
constexpr std::uint64_t kSecret = 0x5ec4e75ec4e75ec4;  // in payloads
constexpr std::uint32_t kSecretNumber = 0x5ec4;        // in arguments

struct Seen {
  EventNum number = 0;
  std::uint32_t arg = 0;
  std::vector<std::uint64_t> payload;
};

std::uint32_t named(Pid pid, std::uint32_t owner) {
  return static_cast<std::uint32_t>(pid) | owner << KUTRACE_OWNER_SHIFT;
}

// Blocks of a recording, as the source with owners writes them.
class Recorded {
 public:
  explicit Recorded(CpuId cpu = kCpu) : cpu_(cpu), writer_({.cpu = cpu}) { open(); }

  void switch_to(Pid pid, std::uint32_t owner) {
    put(ev::kUSERPID, named(pid, owner) | KUTRACE_SWITCH_BLOCKED);
  }
  void put(EventNum number, std::uint32_t arg, std::vector<std::uint64_t> payload = {}) {
    if (!writer_.fits(time_ += 10, payload.size() + 1)) open();
    writer_.put(time_, low44(number, arg), payload);
  }
  void hand_to(record::ReaderStream& stream) {
    add_to(stream);
    stream.finish();
  }
  void add_to(record::ReaderStream& stream) {
    keep();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      record::FinishedBlock block;
      block.cpu = cpu_;
      block.words = blocks_[i].data();
      block.end = ends_[i];
      stream.add(block);
    }
  }

 private:
  void keep() {
    const BlockWriter& block = writer_.block();
    blocks_.emplace_back(block.words(), block.words() + KUTRACE_BLOCK_WORDS);
    ends_.push_back(static_cast<std::uint32_t>(block.position()));
  }
  void open() {
    if (writer_.is_open()) keep();
    BlockHeader header;
    header.start.counter = time_;
    header.pid = kOtherThread;
    header.comm = "secret";
    writer_.open(header);
  }

  CpuId cpu_;
  CpuWriter writer_;
  Ticks time_ = kBegin;
  std::vector<std::vector<std::uint64_t>> blocks_;
  std::vector<std::uint32_t> ends_;
};

record::ReaderRights rights(std::optional<std::uint32_t> owner) {
  record::ReaderRights all;
  all.groups = serve::Policy().groups;
  all.arguments = true;
  all.owner = owner;
  return all;
}

// Entries in the pieces that a reader was sent, and their words.
std::vector<Seen> read(const serve::Outgoing& outgoing, std::string* bytes = nullptr) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> blocks;
  std::map<std::uint64_t, std::uint32_t> ends;
  std::string_view left = outgoing.bytes();
  while (!left.empty()) {
    const std::size_t end = left.find('\n');
    const auto piece = record::parse_piece(left.substr(0, end));
    REQUIRE(piece);
    CHECK(piece->cpu == kCpu);
    left.remove_prefix(end + 1);
    auto& words = blocks.try_emplace(piece->block, KUTRACE_BLOCK_WORDS).first->second;
    std::memcpy(&words[piece->at], left.data(), piece->words * sizeof words[0]);
    if (bytes != nullptr) bytes->append(left.substr(0, piece->words * sizeof words[0]));
    ends[piece->block] = piece->at + piece->words;
    left.remove_prefix(piece->words * sizeof words[0]);
  }
  std::vector<Seen> seen;
  for (const auto& [number, words] : blocks) {
    Block block;
    block.words = reinterpret_cast<const std::byte*>(words.data());
    block.header_words = KUTRACE_HEADER_WORDS;
    block.word_count = ends[number];
    block.base = words[0] & KUTRACE_LOW56_MASK;
    decode::DecodeCounters counters;
    decode::BlockDecoder decoder(block, counters);
    decode::Entry entry;
    while (decoder.next(entry)) {
      Seen one{entry.number, entry.arg, {}};
      for (unsigned i = 0; i + 1 < entry.words; ++i) one.payload.push_back(entry.payload_word(i));
      seen.push_back(std::move(one));
    }
  }
  return seen;
}

// Every number that is an entry's, but for what is about the block itself or who runs.
std::vector<Seen> all_entries() {
  std::vector<Seen> all;
  for (EventNum number = 0; number < kEventNumbers; ++number) {
    const EventClass what = event_class(number);
    const bool is_name = what == EventClass::kName;
    if (number == ev::kUSERPID || number == ev::kTSDELTA) continue;
    if (is_name && (name_words(number) < 1 || name_words(number) > KUTRACE_MAX_WORDS)) continue;
    if (is_name && (name_kind(number) == kind::kBLOCK || name_kind(number) == kind::kLOSS))
      continue;
    if (is_name && name_kind(number) == kind::kPC_TEMP && name_words(number) != 2) continue;
    if (!is_name && number < 0x200) continue;
    const std::size_t words = is_name ? name_words(number) : what == EventClass::kPcSample ? 2 : 1;
    all.push_back({number, kSecretNumber, std::vector<std::uint64_t>(words - 1, kSecret)});
    if (!is_name || name_kind(number) != kind::kPOINT) continue;
    for (EventNum point = 0x200; point < 0x280; ++point)
      all.push_back({number, point, std::vector<std::uint64_t>(words - 1, kSecret)});
  }
  return all;
}

bool holds(const std::string& bytes, std::uint64_t word) {
  return bytes.find(std::string(reinterpret_cast<const char*>(&word), sizeof word)) != bytes.npos;
}

std::set<EventNum> kinds_of(const std::vector<Seen>& seen) {
  std::set<EventNum> kinds;
  for (const Seen& one : seen)
    kinds.insert(event_class(one.number) == EventClass::kName ? name_kind(one.number) : one.number);
  return kinds;
}

}  // namespace

TEST_CASE("of what another user's thread does nothing reaches a user, whatever the entry",
          "[serve]") {
  Recorded recorded;
  recorded.switch_to(kOtherThread, kOthers);
  for (const Seen& one : all_entries()) recorded.put(one.number, one.arg, one.payload);
  recorded.switch_to(kOtherThread + 1, 0);
  for (const Seen& one : all_entries()) recorded.put(one.number, one.arg, one.payload);
  recorded.put(ev::kRUNNABLE, named(kOtherThread, kOthers));
  serve::Outgoing outgoing;
  record::ReaderStream stream(rights(kMine), kBegin, outgoing);
  recorded.hand_to(stream);
  std::string bytes;
  const std::vector<Seen> seen = read(outgoing, &bytes);
  CHECK(kinds_of(seen) == std::set<EventNum>{kind::kBLOCK, kind::kPID_NAME, ev::kUSERPID});
  CHECK_FALSE(holds(bytes, kSecret));
  CHECK(bytes.find("secret") == bytes.npos);
  const std::set<std::uint32_t> known{static_cast<std::uint32_t>(record::hidden_pid(kCpu)), 0};
  for (const Seen& one : seen) {
    if (one.number == ev::kUSERPID)
      CHECK(known.contains(one.arg & KUTRACE_SWITCH_PID_MASK));
    else if (name_kind(one.number) == kind::kPID_NAME)
      CHECK(known.contains(one.arg));
  }
}

TEST_CASE("in idle time a user sees how deep the CPU sleeps, and nothing else", "[serve]") {
  Recorded recorded;
  recorded.switch_to(0, 0);
  for (const Seen& one : all_entries()) recorded.put(one.number, one.arg, one.payload);
  serve::Outgoing outgoing;
  record::ReaderStream stream(rights(kMine), kBegin, outgoing);
  recorded.hand_to(stream);
  std::string bytes;
  CHECK(kinds_of(read(outgoing, &bytes)) == std::set<EventNum>{kind::kBLOCK, kind::kPID_NAME,
                                                               ev::kUSERPID, ev::kMWAIT,
                                                               ev::kMONITOR_EXIT});
  CHECK_FALSE(holds(bytes, kSecret));
}

TEST_CASE("of his own threads a user sees what is on the list", "[serve]") {
  std::set<EventNum> wanted{kind::kBLOCK,         kind::kPID_NAME,
                            kind::kTASK,          kind::kFUNCTION,
                            kind::kFILE_NAME,     kind::kMETHOD_NAME,
                            kind::kLOCK_NAME,     kind::kQUEUE_NAME,
                            kind::kRESOURCE_NAME, kind::kARGUMENTS,
                            kind::kWIDE,          kind::kCALL_DATA,
                            kind::kPOINT,         ev::kUSERPID,
                            ev::kRPC_REQUEST,     ev::kRPC_RESPONSE,
                            ev::kRPC_MIDDLE,      ev::kMARK_A,
                            ev::kMARK_B,          ev::kMARK_C,
                            ev::kMARK_D,          ev::kLEFT_MARK,
                            ev::kRIGHT_MARK,      ev::kLOCK_TRY,
                            ev::kLOCK_ACQUIRE,    ev::kLOCK_RELEASE,
                            ev::kRX_USER,         ev::kTX_USER,
                            ev::kRESOURCE,        ev::kENQUEUE,
                            ev::kDEQUEUE,         ev::kFUNCTION_ENTER,
                            ev::kFUNCTION_LEAVE,  ev::kFUNCTIONS_LEFT_OUT,
                            ev::kPC_USER};
  for (EventNum number = ev::kFirstCall; number < kEventNumbers; ++number) wanted.insert(number);
  Recorded recorded;
  recorded.switch_to(kMyThread, kMine);
  for (const Seen& one : all_entries()) recorded.put(one.number, one.arg, one.payload);
  serve::Outgoing outgoing;
  record::ReaderStream stream(rights(kMine), kBegin, outgoing);
  recorded.hand_to(stream);
  const std::vector<Seen> seen = read(outgoing);
  CHECK(kinds_of(seen) == wanted);
  for (const Seen& one : seen) {
    INFO(std::hex << one.number);
    if (event_class(one.number) == EventClass::kName && name_kind(one.number) == kind::kPOINT)
      CHECK(one.arg == ev::kFUTEX_WAIT);
    if (one.number >= ev::kFirstCall && one.number < 0x800) CHECK((one.arg == 0 || one.arg == 4));
    if (event_class(one.number) == EventClass::kName && name_kind(one.number) == kind::kTASK)
      CHECK(one.payload.at(1) >> 32 == 0);  // a parent that is not known to be his
  }
}

TEST_CASE("a user is told of wakeups of his own threads alone", "[serve]") {
  Recorded recorded;
  recorded.switch_to(kOtherThread, kOthers);
  recorded.put(ev::kRUNNABLE, named(kMyThread, kMine));
  recorded.switch_to(kMyThread, kMine);
  recorded.put(ev::kRUNNABLE, named(kOtherThread, kOthers));
  recorded.put(ev::kRUNNABLE, named(kOtherThread, 0));
  serve::Outgoing outgoing;
  record::ReaderStream stream(rights(kMine), kBegin, outgoing);
  recorded.hand_to(stream);
  std::vector<std::uint32_t> woken;
  for (const Seen& one : read(outgoing))
    if (one.number == ev::kRUNNABLE) woken.push_back(one.arg);
  CHECK(woken == std::vector<std::uint32_t>{kMyThread});
}

TEST_CASE("switches between others are not told, nor who they are", "[serve]") {
  Recorded recorded;
  recorded.switch_to(kMyThread, kMine);
  for (Pid other = 0; other < 50; ++other) recorded.switch_to(kOtherThread + other, kOthers);
  recorded.switch_to(kMyThread, kMine);
  recorded.put(ev::kUSERPID, named(kMyThread, 0));  // in other hands
  recorded.put(0x800, kSecretNumber);
  serve::Outgoing outgoing;
  record::ReaderStream stream(rights(kMine), kBegin, outgoing);
  recorded.hand_to(stream);
  std::vector<std::uint32_t> runs;
  for (const Seen& one : read(outgoing)) {
    CHECK(one.number < 0x800);
    if (one.number == ev::kUSERPID) runs.push_back(one.arg & KUTRACE_SWITCH_PID_MASK);
  }
  const auto hidden = static_cast<std::uint32_t>(record::hidden_pid(kCpu));
  CHECK(runs == std::vector<std::uint32_t>{0, kMyThread, hidden, kMyThread, hidden});
}

TEST_CASE("who sees all gets every entry of his groups as it was, without owners", "[serve]") {
  Recorded recorded;
  recorded.switch_to(kOtherThread, kOthers);
  recorded.put(ev::kRUNNABLE, named(kMyThread, kMine));
  recorded.put(0x8aa, kSecretNumber);
  recorded.put(0x50e, kSecretNumber);
  record::ReaderRights some = rights(std::nullopt);
  some.groups = *EventGroups::parse("syscalls,wakeups");
  serve::Outgoing outgoing;
  record::ReaderStream stream(some, kBegin, outgoing);
  recorded.hand_to(stream);
  std::vector<std::pair<EventNum, std::uint32_t>> told;
  for (const Seen& one : read(outgoing))
    if (one.number >= 0x200) told.emplace_back(one.number, one.arg);
  CHECK(told == std::vector<std::pair<EventNum, std::uint32_t>>{
                    {ev::kUSERPID, 0},
                    {ev::kUSERPID, std::uint32_t{kOtherThread} | KUTRACE_SWITCH_BLOCKED},
                    {ev::kRUNNABLE, kMyThread},
                    {0x8aa, kSecretNumber}});
}

TEST_CASE("behind a loss it is said who runs, though it is the same thread", "[serve]") {
  for (const std::optional<std::uint32_t> owner : {std::optional<std::uint32_t>(), {kMine}}) {
    Recorded recorded;
    recorded.switch_to(kMyThread, kMine);
    recorded.put(0x827, 0);
    recorded.put(KUTRACE_LOSS, KUTRACE_LOSS_BUFFER_FULL << KUTRACE_LOSS_REASON_SHIFT | kCpu,
                 {kBegin + 20, kBegin + 30, 7});
    recorded.put(ev::kUSERPID, named(kMyThread, kMine));
    recorded.put(0x828, 0);
    serve::Outgoing outgoing;
    record::ReaderStream stream(rights(owner), kBegin, outgoing);
    recorded.hand_to(stream);
    const std::vector<Seen> seen = read(outgoing);
    REQUIRE(seen.size() >= 3);
    const auto loss = std::ranges::find(seen, EventNum{KUTRACE_LOSS}, &Seen::number);
    REQUIRE(seen.end() - loss == 3);
    CHECK(loss[1].number == ev::kUSERPID);
    CHECK(loss[1].arg == kMyThread);
    CHECK(loss[2].number == 0x828);
  }
}

TEST_CASE("who is too slow is lapped, and told from when to when and how much", "[serve]") {
  record::ReaderRights little = rights(std::nullopt);
  little.rate = 1'000'000;  // entries a second: one in 62.5 ticks, and they come every 10
  serve::Outgoing outgoing;
  record::ReaderStream stream(little, kBegin, outgoing);
  Recorded recorded;
  recorded.switch_to(kOtherThread, kOthers);
  constexpr std::uint64_t kCalls = 2'000'000;
  for (std::uint64_t i = 0; i < kCalls; ++i) recorded.put(0x827, 0);
  recorded.hand_to(stream);
  std::uint64_t got = 0;
  std::uint64_t lost = 0;
  for (const Seen& one : read(outgoing)) {
    if (one.number == 0x827) ++got;
    if (event_class(one.number) == EventClass::kName && name_kind(one.number) == kind::kLOSS) {
      lost += one.payload.at(2);
      CHECK(one.payload.at(0) < one.payload.at(1));
    }
  }
  for (const record::OpenLoss& loss : stream.open_losses()) lost += loss.entries;
  CHECK(got > 0);
  CHECK(lost > 0);
  CHECK(got + lost == kCalls);
}

// Their blocks come one CPU after the other.
TEST_CASE("who stays below the rate loses nothing, on however many CPUs", "[serve]") {
  class Nowhere final : public record::PieceSink {
    void put(const record::Piece& /*piece*/, std::string_view /*words*/) override {}
    std::size_t waiting() const override { return 0; }
  };
  constexpr CpuId kCpus = 8;
  constexpr int kEntries = 5000;  // of each CPU, in as many ticks of 100 us
  record::ReaderRights some = rights(std::nullopt);
  some.rate = 2 * kCpus * (kEntries + 10);
  some.ticks = TickRate{10'000, 1};
  Nowhere nowhere;
  record::ReaderStream stream(some, kBegin, nowhere);
  for (CpuId cpu = 0; cpu < kCpus; ++cpu) {
    Recorded recorded(cpu);
    recorded.switch_to(kOtherThread, kOthers);
    for (int i = 0; i < kEntries; ++i) recorded.put(0x827, 0);
    recorded.add_to(stream);
  }
  stream.finish();
  CHECK(stream.open_losses().empty());
}

TEST_CASE("a policy is read, or refused with the line that is wrong", "[serve]") {
  const auto policy = serve::parse_policy(
      "# of this machine\nusers = nobody\n groups=-net,+disk # and so on\nmemory = 3\nrate = 1000\n"
      "duration = 90s\narguments = yes\n\n",
      "conf");
  REQUIRE(policy);
  CHECK_FALSE(policy->users);
  CHECK(policy->groups.has(EventGroup::kDisk));
  CHECK_FALSE(policy->groups.has(EventGroup::kNet));
  CHECK(policy->memory == 3u << 20);
  CHECK(policy->rate == 1000);
  CHECK(policy->duration == 90'000'000'000);
  CHECK(policy->arguments);
  for (const auto& [text, wrong] : std::map<std::string, std::string>{
           {"users = some", "conf line 1: users: must be own or nobody"},
           {"\nmemory = 0", "conf line 2: memory: must be at least 1"},
           {"rate", "conf line 1: rate: a line is NAME = VALUE"},
           {"rate = 5\nrate = 6", "conf line 2: rate: it is set twice"},
           {"duration = 0.1ns", "conf line 1: duration: is less than a nanosecond"},
           {"groups = net,-sched", "conf line 1: groups: sched is always recorded"},
           {"group = # nobody", "conf line 1: group: it has no value"},
           {"grups = net", "conf line 1: grups: there is no such setting"}}) {
    const auto refused = serve::parse_policy(text, "conf");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().sentence == wrong);
  }
}

TEST_CASE("of a policy's file that is there and cannot be read all the daemon is told", "[serve]") {
  const TemporaryFile dangling("");
  REQUIRE(unlink(dangling.path().c_str()) == 0);
  REQUIRE(symlink("/nowhere/kutrace.conf", dangling.path().c_str()) == 0);
  CHECK(serve::read_policy("/dev/null"));
  for (const auto& [path, wrong] : std::map<std::string, std::string>{
           {"", "cannot read : No such file or directory"},
           {"/nowhere/kutrace.conf",
            "cannot read /nowhere/kutrace.conf: No such file or directory"},
           {dangling.path(), "cannot read " + dangling.path() + ": No such file or directory"},
           {"/", "cannot read /: Is a directory"},
           {"/dev/null/conf", "cannot read /dev/null/conf: Not a directory"},
           {"/dev/zero", "/dev/zero is longer than 65536 bytes"}}) {
    const auto refused = serve::read_policy(path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().sentence == wrong);
  }
}

}  // namespace kutrace::test
