// SPDX-License-Identifier: BSD-3-Clause
// Entries of the recording to entries of a reader. All that is written goes through put().
#include "record/view/reader_stream.h"

#include <algorithm>
#include <array>

#include "decode/block_decoder.h"
#include "format/entry_group.h"
#include "format/entry_word.h"
#include "format/event_table.h"
#include "format/name_entries.h"
#include "kutrace/owners.h"
#include "record/view/sight.h"

namespace kutrace::record {

namespace {

constexpr double kNsPerSecond = 1e9;
constexpr std::size_t kWordBytes = 8;
// Of his threads; beyond them the parent of a new one may be unknown.
constexpr std::size_t kMostKnown = 65'536;
constexpr std::size_t kMostSeconds = 64;  // that are counted

std::uint32_t owner_in(std::uint32_t argument) {
  return argument >> KUTRACE_OWNER_SHIFT & KUTRACE_OWNERS_MOST;
}

Pid pid_in(std::uint32_t argument) { return static_cast<Pid>(argument & KUTRACE_OWNER_PID_MASK); }

Block block_of(const FinishedBlock& finished) {
  Block block;
  block.words = reinterpret_cast<const std::byte*>(finished.words);
  block.header_words = KUTRACE_HEADER_WORDS;
  block.word_count = finished.end;
  block.cpu = finished.cpu;
  block.base = finished.base();
  return block;
}

std::vector<std::uint64_t> payload_of(const decode::Entry& entry) {
  std::vector<std::uint64_t> words;
  for (unsigned i = 0; i + 1 < entry.words; ++i) words.push_back(entry.payload_word(i));
  return words;
}

// Bits 43:0 of the entry's first word, with another argument; the result of a folded call is kept.
std::uint64_t low44_of(const decode::Entry& entry, std::uint32_t argument) {
  std::uint64_t word = low44(entry.number, argument);
  if (entry.fold_ticks != 0)
    word |= std::uint64_t{entry.fold_ticks} << KUTRACE_DELTA_SHIFT |
            std::uint64_t{entry.result & 0xffu} << KUTRACE_RESULT_SHIFT;
  return word;
}

// What an entry says of the thread that runs from there on.
std::uint32_t runs_bits(Pid shown) {
  const std::uint32_t hidden = shown >= kFirstHiddenPid ? KUTRACE_SWITCH_HIDDEN : 0;
  return static_cast<std::uint32_t>(shown) | hidden;
}

bool is_loss(const decode::Entry& entry) {
  return event_class(entry.number) == EventClass::kName && name_kind(entry.number) == kind::kLOSS &&
         entry.words == KUTRACE_LOSS_WORDS;
}

bool is_renumbered(const decode::Entry& entry) {
  return event_class(entry.number) == EventClass::kName && name_kind(entry.number) == kind::kTASK &&
         entry.words == KUTRACE_TASK_WORDS &&
         (entry.payload_word(0) & KUTRACE_TASK_RENUMBERED) != 0;
}

}  // namespace

struct ReaderStream::Cpu {
  Cpu(CpuId id, std::uint64_t first, Ticks from)
      : writer({.cpu = id, .sequence = first}), begin(from) {}

  CpuWriter writer;
  std::optional<std::uint64_t> sequence;  // of the last block
  Pid running = 0;                        // as the recording says
  std::uint32_t owner = 0;                // of it
  Pid shown = 0;                          // as the reader is told
  std::size_t sent = 0;                   // words of the writer's block
  Ticks last = 0;                         // of the last entry that was looked at
  std::uint64_t lost = 0;                 // entries that he did not get
  Ticks lost_since = 0;
  Ticks begin;               // of his first block
  bool goes_on = false;      // which follows what he has
  std::optional<Ticks> gap;  // since when blocks are missing
  Ticks base = 0;            // of the block behind it
  bool must_say = false;     // who runs, as a loss made it unknown
};

ReaderStream::ReaderStream(ReaderRights rights, Ticks begin, PieceSink& sink)
    : rights_(rights), begin_(begin), sink_(sink) {}

ReaderStream::~ReaderStream() = default;

ReaderStream::Cpu& ReaderStream::cpu_of(CpuId id) {
  std::unique_ptr<Cpu>& cpu = cpus_[id];
  if (!cpu) cpu = std::make_unique<Cpu>(id, 0, begin_);
  return *cpu;
}

void ReaderStream::go_on_from(CpuId cpu, std::uint64_t sequence, Ticks last) {
  auto own = std::make_unique<Cpu>(cpu, sequence, begin_);
  own->sequence = sequence - 1;
  own->last = last;
  own->goes_on = true;
  cpus_[cpu] = std::move(own);
}

// Where several users read each block begins with who runs, and until it has said so nothing in it
// is anybody's. Where one may see all its header says it.
void ReaderStream::begin_anew(Cpu& cpu, const FinishedBlock& block, bool follows) const {
  if (!follows) cpu.owner = 0;
  if (!rights_.lapped) return;
  if (!follows && (cpu.sequence || block.base() > begin_)) {
    cpu.gap = cpu.sequence ? cpu.last : begin_;
    cpu.base = block.base();
  }
  if (std::exchange(cpu.goes_on, false)) cpu.begin = block.base();
  if (!follows || !cpu.writer.is_open())
    cpu.running = cpu.shown = static_cast<Pid>(block.words[2] & 0xffff'ffff);
}

void ReaderStream::add(const FinishedBlock& block) {
  Cpu& cpu = cpu_of(block.cpu);
  begin_anew(cpu, block, cpu.sequence && block.sequence() == *cpu.sequence + 1);
  cpu.sequence = block.sequence();
  if (sink_.waiting() >= rights_.memory) is_full_ = true;
  if (sink_.waiting() <= rights_.memory / 2) is_full_ = false;
  const Block raw = block_of(block);
  decode::DecodeCounters counters;
  decode::BlockDecoder decoder(raw, counters);
  decode::Entry next;
  while (decoder.next(next)) {
    entry(cpu, next);
    cpu.last = std::max(cpu.last, next.time);
  }
  send_new(cpu);
}

// ---- what passes -------------------------------------------------------------------------------

void ReaderStream::entry(Cpu& cpu, const decode::Entry& entry) {
  if (entry.number == ev::kTSDELTA) return;
  const EventNum kind =
      event_class(entry.number) == EventClass::kName ? name_kind(entry.number) : EventNum{0};
  if (kind == kind::kBLOCK) return;
  if (cpu.gap) end_gap(cpu, is_loss(entry) ? entry.payload_word(0) : cpu.base);
  if (entry.number == ev::kUSERPID) return context_switch(cpu, entry);
  if (is_loss(entry)) return loss(cpu, entry);
  if (kind == kind::kLOSS) return;
  if (is_renumbered(entry)) {
    cpu.running = static_cast<Pid>(entry.arg);
    know(cpu.running, cpu.owner, entry.time);
  }
  if (!is_wanted(entry)) return;
  if (rights_.owner)
    pass_own(cpu, entry);
  else
    pass(cpu, entry);
  if (is_renumbered(entry)) cpu.shown = shown(cpu, cpu.running, cpu.owner);
}

bool ReaderStream::is_wanted(const decode::Entry& entry) const {
  const EventNum kind =
      event_class(entry.number) == EventClass::kName ? name_kind(entry.number) : EventNum{0};
  if (!rights_.arguments && (kind == kind::kARGUMENTS || kind == kind::kCALL_DATA)) return false;
  return rights_.groups.has(group_of_entry(entry.number, entry.arg));
}

// The number may be another's next. What was said before the reader came may be of another user.
void ReaderStream::know(Pid pid, std::uint32_t owner, Ticks time) {
  if (!rights_.owner || pid == 0 || time < begin_) return;
  if (owner != *rights_.owner) {
    own_.erase(pid);
    return;
  }
  if (own_.size() >= kMostKnown) own_.clear();
  own_.insert(pid);
}

Pid ReaderStream::shown(const Cpu& cpu, Pid pid, std::uint32_t owner) const {
  const bool is_visible = !rights_.owner || pid == 0 || owner == *rights_.owner;
  return is_visible ? pid : hidden_pid(cpu.writer.cpu());
}

// To a user all others are one thread of the CPU, which is blocked whenever another one runs: when
// it goes on running as another of them, he is told nothing. Behind a loss he is told who runs.
void ReaderStream::context_switch(Cpu& cpu, const decode::Entry& entry) {
  const Pid before = cpu.shown;
  std::uint32_t how = entry.arg & KUTRACE_SWITCH_UNSEEN;
  cpu.running = pid_in(entry.arg);
  cpu.owner = owner_in(entry.arg);
  const Pid now = shown(cpu, cpu.running, cpu.owner);
  const bool must_say = std::exchange(cpu.must_say, false);
  const bool is_news = now != before || must_say;
  if (rights_.owner) {
    know(cpu.running, cpu.owner, entry.time);
    if (!is_news) return;
    if (how != KUTRACE_SWITCH_UNSEEN && before == hidden_pid(cpu.writer.cpu()))
      how = KUTRACE_SWITCH_BLOCKED;
    if (how == 0 && !must_say) how = KUTRACE_SWITCH_BLOCKED;  // the same thread, in other hands
  } else if (how == 0 && !is_news) {
    return;  // said for the owner's sake alone
  }
  put(cpu, entry.time, low44(ev::kUSERPID, how | runs_bits(now)));
  cpu.shown = now;
}

// Of what lies before the reader's begin he is told nothing.
void ReaderStream::loss(Cpu& cpu, const decode::Entry& entry) {
  if (entry.payload_word(1) <= begin_) return;
  cpu.owner = 0;  // until it is said again
  cpu.must_say = true;
  const std::array<std::uint64_t, 3> words{std::max<std::uint64_t>(entry.payload_word(0), begin_),
                                           entry.payload_word(1), entry.payload_word(2)};
  put(cpu, entry.time, low44(entry.number, entry.arg), words);
}

// What was overwritten ends where a loss begins that the block itself tells of, else with the
// block.
void ReaderStream::end_gap(Cpu& cpu, Ticks next_loss) {
  const Ticks since = std::max(*std::exchange(cpu.gap, std::nullopt), begin_);
  const Ticks until = std::min(next_loss, cpu.base);
  if (cpu.base < begin_) return;
  if (!cpu.writer.is_open()) begin_first_block(cpu);
  if (until > since)
    write_loss(cpu, cpu.base, since, until, KUTRACE_LOSS_UNKNOWN_COUNT);
  else
    write(cpu, cpu.base, low44(ev::kUSERPID, runs_bits(cpu.shown)), {});
}

void ReaderStream::pass(Cpu& cpu, const decode::Entry& entry) {
  const std::uint32_t argument =
      entry.number == ev::kRUNNABLE ? static_cast<std::uint32_t>(pid_in(entry.arg)) : entry.arg;
  put(cpu, entry.time, low44_of(entry, argument), payload_of(entry));
}

void ReaderStream::pass_own(Cpu& cpu, const decode::Entry& entry) {
  const bool is_own = cpu.owner == *rights_.owner;
  std::vector<std::uint64_t> payload = payload_of(entry);
  std::uint32_t argument = entry.arg;
  switch (sight_of_user(entry.number, entry.arg)) {
    case Sight::kWakeup:
      know(pid_in(entry.arg), owner_in(entry.arg), entry.time);
      if (owner_in(entry.arg) != *rights_.owner) return;
      argument = static_cast<std::uint32_t>(pid_in(entry.arg));
      break;
    case Sight::kIdle:
      if (cpu.running != 0) return;
      break;
    case Sight::kOwn:
      if (!is_own) return;
      break;
    case Sight::kOwnFamily: {
      if (!is_own || payload.size() + 1 != KUTRACE_TASK_WORDS) return;
      know(cpu.running, cpu.owner, entry.time);
      know(static_cast<Pid>(entry.arg), cpu.owner, entry.time);
      const bool knows_parent = own_.contains(static_cast<Pid>(payload[1] >> 32));
      if (!knows_parent) payload[1] &= 0xffff'ffff;
      break;
    }
    case Sight::kOwnNumber:
      if (!is_own) return;
      argument = 0;
      break;
    case Sight::kOwnSoftirq:
      if (!is_own) return;
      argument &= 0xf;
      break;
    case Sight::kHidden:
    case Sight::kLoss:
    case Sight::kSwitch:
      return;
  }
  put(cpu, entry.time, low44_of(entry, argument), payload);
}

// ---- what is written ---------------------------------------------------------------------------

bool ReaderStream::may_put(Ticks time) {
  if (is_full_) return false;
  if (rights_.rate == 0) return true;
  const double seconds = rights_.ticks.ns(time - begin_) / kNsPerSecond;
  const auto [second, is_new] = by_second_.try_emplace(static_cast<std::uint64_t>(seconds), 0);
  if (second->second == rights_.rate) return false;
  ++second->second;
  if (is_new && by_second_.size() > kMostSeconds) by_second_.erase(by_second_.begin());
  return true;
}

void ReaderStream::put(Cpu& cpu, Ticks time, std::uint64_t low44,
                       std::span<const std::uint64_t> payload) {
  if (time < begin_) return;
  if (!may_put(time)) {
    if (cpu.lost++ == 0) cpu.lost_since = std::max(cpu.last, begin_);
    return;
  }
  if (!cpu.writer.is_open()) begin_first_block(cpu);
  if (cpu.lost != 0) write_loss(cpu, time, cpu.lost_since, time, std::exchange(cpu.lost, 0));
  write(cpu, time, low44, payload);
}

void ReaderStream::write_loss(Cpu& cpu, Ticks time, Ticks since, Ticks until,
                              std::uint64_t entries) {
  const LooseEntry lost =
      loss_entry({cpu.writer.cpu(), KUTRACE_LOSS_BUFFER_FULL, since, until, entries});
  write(cpu, time, low44(lost.number, lost.arg), lost.payload);
  write(cpu, time, low44(ev::kUSERPID, runs_bits(cpu.shown)), {});
}

void ReaderStream::begin_block(Cpu& cpu, Ticks time) {
  BlockHeader header;
  header.start.counter = time;
  header.pid = cpu.shown;
  cpu.writer.open(header);
  cpu.sent = 0;
}

// It begins when the reader does, and says who runs.
void ReaderStream::begin_first_block(Cpu& cpu) const {
  begin_block(cpu, cpu.begin);
  if (rights_.owner) {
    const LooseEntry name = name_entry(
        kind::kPID_NAME, static_cast<std::uint32_t>(hidden_pid(cpu.writer.cpu())), kHiddenName);
    cpu.writer.put(cpu.begin, low44(name.number, name.arg), name.payload);
  }
  cpu.writer.put(cpu.begin, low44(ev::kUSERPID, runs_bits(cpu.shown)));
}

void ReaderStream::finish() {
  for (auto& [id, cpu] : cpus_) {
    if (cpu->gap) end_gap(*cpu, cpu->base);
    if (!cpu->writer.is_open() && !cpu->goes_on) begin_first_block(*cpu);
    send_new(*cpu);
  }
}

void ReaderStream::write(Cpu& cpu, Ticks time, std::uint64_t low44,
                         std::span<const std::uint64_t> payload) {
  if (!cpu.writer.fits(time, payload.size() + 1)) {
    send_new(cpu);
    begin_block(cpu, time);
  }
  cpu.writer.put(time, low44, payload);
}

void ReaderStream::send_new(Cpu& cpu) {
  if (!cpu.writer.is_open()) return;
  const BlockWriter& block = cpu.writer.block();
  const std::size_t words = block.position() - cpu.sent;
  if (words == 0) return;
  sink_.put({cpu.writer.cpu(), cpu.writer.sequence() - 1, static_cast<std::uint32_t>(cpu.sent),
             static_cast<std::uint32_t>(words), std::max(block.last(), begin_)},
            block.bytes().substr(cpu.sent * kWordBytes, words * kWordBytes));
  cpu.sent = block.position();
}

std::vector<OpenLoss> ReaderStream::open_losses() const {
  std::vector<OpenLoss> losses;
  for (const auto& [id, cpu] : cpus_)
    if (cpu->lost != 0)
      losses.push_back({id, KUTRACE_LOSS_BUFFER_FULL, cpu->lost_since, cpu->lost});
  return losses;
}

}  // namespace kutrace::record
