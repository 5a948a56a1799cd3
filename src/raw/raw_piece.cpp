// SPDX-License-Identifier: BSD-3-Clause
// Copying a CPU's entries into new blocks.
#include "raw/raw_piece.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "format/entry_group.h"
#include "format/entry_word.h"
#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::raw {

namespace {

constexpr std::uint64_t kFoldedBits = 0xffff'0000;

// What a piece begins with on a CPU, in place of all that was before it.
LooseEntry seed(EventNum number, std::uint32_t arg) { return {number, arg, {}}; }

// What a filter leaves out of threads that do not pass, as sources do.
bool is_of_thread(const decode::Entry& entry) {
  switch (group_of_entry(entry.number, entry.arg)) {
    case EventGroup::kAlways:
    case EventGroup::kIrqs:
    case EventGroup::kSoftirqs:
    case EventGroup::kSched:
    case EventGroup::kWakeups:
    case EventGroup::kPower:
    case EventGroup::kNet:
      return false;
    default:
      return true;
  }
}

}  // namespace

CpuPiece::CpuPiece(const timeline::TraceLayout& layout, const RawState& state,
                   const timeline::CpuBlocks& blocks, Options options)
    : layout_(layout),
      state_(state),
      cpu_state_(state.cpu(blocks.cpu)),
      blocks_(blocks),
      options_(std::move(options)),
      writer_({.cpu = blocks.cpu,
               .trailer = options_.trailer,
               .numbered = blocks.blocks.front().sequence.has_value(),
               .sequence = options_.sequence}) {}

void CpuPiece::begin() {
  begun_ = true;
  const auto& sources = blocks_.blocks;
  // The last block that begins before the window holds its first entries. Blocks before need no
  // look.
  while (source_ + 1 < sources.size() && sources[source_ + 1].block.base <= options_.window.begin) {
    ++source_;
  }
  if (source_ > 0) source_sequence_ = sources[source_ - 1].sequence;
  seeds_ = std::move(options_.before);
  const Pid pid = cpu_state_.pid;
  hidden_ = cpu_state_.hidden || is_left_out(pid, cpu_state_.begin);
  seeds_.push_back(seed(ev::kUSERPID, runs(pid)));
  seeds_.insert(seeds_.end(), cpu_state_.names.begin(), cpu_state_.names.end());
  sleeps_on_ = options_.asleep != 0 && pid == 0 && !hidden_;
  if (const std::uint64_t asleep = sleeps_on_ ? options_.asleep : cpu_state_.asleep; asleep != 0)
    seeds_.push_back(seed(ev::kMWAIT, static_cast<std::uint32_t>(asleep)));
  const std::uint32_t mhz = sources.front().block.mhz;
  open(cpu_state_.begin, pid, state_.name_of(pid), mhz);
}

void CpuPiece::open(Ticks base, Pid pid, const std::string& comm, std::uint32_t mhz) {
  BlockHeader header;
  header.start.counter = base;
  const Ns since_start = std::max<Ns>(0, options_.clock.to_ns(base));
  header.start.usec = options_.wall_usec + static_cast<std::uint64_t>(since_start / 1000);
  header.pid = pid;
  header.comm = comm;
  header.mhz = mhz;
  writer_.open(std::move(header));
}

void CpuPiece::open_next() {
  // The block before is full, by what was added. The new one repeats no block of the source.
  if (!boundary_) {
    const Pid pid = writer_.running();
    open(pending_ ? pending_->time : block().last(), pid, state_.name_of(pid), 0);
    return;
  }
  const timeline::PlacedBlock& source = blocks_.blocks[source_];
  if (source.sequence) {
    // A block that is missing in the source stays missing.
    const std::uint64_t before = source_sequence_.value_or(
        source_ == 0 && !layout_.wrapped ? ~std::uint64_t{0} : *source.sequence - 1);
    writer_.skip(*source.sequence - before - 1);
  }
  source_sequence_ = source.sequence;
  open(source.block.base, source.block.pid, source.block.comm(), source.block.mhz);
  boundary_ = false;
  if (options_.chosen == nullptr) return;
  // As sources do that filter: no block relies on the one before.
  hidden_ = is_left_out(source.block.pid, source.block.base);
  writer_.put(source.block.base, low44(ev::kUSERPID, runs(source.block.pid)));
}

// Says of a switch whether the next thread is left out. False: it is what such a thread does.
bool CpuPiece::leave_out(const decode::Entry& entry, Item& item) {
  if (entry.number != ev::kUSERPID) return !hidden_ || !is_of_thread(entry);
  hidden_ = decode::is_hidden_switch(entry.arg) ||
            is_left_out(static_cast<Pid>(decode::switched_to(entry.arg)), entry.time);
  if (hidden_) item.low44 |= KUTRACE_SWITCH_HIDDEN;
  return true;
}

// Goes to the source block at `source_`; false if it, and so all later ones, begin too late.
bool CpuPiece::enter_source() {
  if (source_ == blocks_.blocks.size()) return false;
  const Block& block = blocks_.blocks[source_].block;
  // They are in order of time, so none behind it can be in the window.
  if (block.base >= options_.window.end) return false;
  decoder_.emplace(block, ignored_);
  // Blocks begin where the source's do: their headers say who runs, and their numbers what is
  // missing.
  boundary_ = block.base > cpu_state_.begin;
  if (!boundary_) source_sequence_ = blocks_.blocks[source_].sequence;
  return true;
}

bool CpuPiece::read(Item& item) {
  if (read_name(item)) return true;
  for (;;) {
    if (!decoder_) {
      if (!enter_source()) return false;
      if (boundary_) return false;
    }
    decode::Entry entry;
    if (!decoder_->next(entry)) {
      decoder_.reset();
      ++source_;
      continue;
    }
    if (!options_.window.contains(entry.time) || !item_of(entry, item)) continue;
    if (!is_seed(item)) {
      if (entry.number == ev::kUSERPID)
        tell_names(entry.time, static_cast<Pid>(decode::switched_to(entry.arg)));
      return true;
    }
  }
}

// Behind a switch: what the next thread's process calls its own numbers.
void CpuPiece::tell_names(Ticks time, Pid pid) {
  const auto& runs = cpu_state_.first_runs;
  if (next_run_ == runs.size()) return;
  const FirstRun& run = runs[next_run_];
  if (run.time != time || run.pid != pid) return;
  telling_ = &run;
  ++next_run_;
}

bool CpuPiece::read_name(Item& item) {
  if (telling_ == nullptr) return false;
  const LooseEntry& name = telling_->names[next_name_++];
  item = {telling_->time, low44(name.number, name.arg),
          reinterpret_cast<const std::byte*>(name.payload.data()),
          static_cast<unsigned>(name.payload.size() + 1), 0};
  if (next_name_ == telling_->names.size()) {
    telling_ = nullptr;
    next_name_ = 0;
  }
  return true;
}

bool CpuPiece::item_of(const decode::Entry& entry, Item& item) {
  if (event_class(entry.number) == EventClass::kName) {
    // Of the whole trace, and told in front; numbers of blocks are given anew.
    const EventNum kind = name_kind(entry.number);
    if (kind == kind::kBLOCK || kind == kind::kMETA || kind == kind::kCOUNTER) return false;
    if (kind == kind::kMAP || kind == kind::kSYMBOL || kind == kind::kSTACK) return false;
    if (kind == kind::kPROCESS) return false;
  }
  std::memcpy(&item.low44, entry.payload - sizeof item.low44, sizeof item.low44);
  item.time = entry.time;
  item.payload = entry.payload;
  item.words = entry.words;
  item.ipc = entry.ipc;
  if (options_.chosen != nullptr && !leave_out(entry, item)) return false;
  // A call that returns after the end is still going on there.
  if (entry.fold_ticks != 0 && entry.time + entry.fold_ticks > options_.window.end) {
    item.low44 &= ~kFoldedBits;
  }
  if (event_class(entry.number) == EventClass::kName && name_kind(entry.number) == kind::kLOSS &&
      entry.words == KUTRACE_LOSS_WORDS) {
    clip_loss(entry, item);
  }
  return true;
}

void CpuPiece::clip_loss(const decode::Entry& entry, Item& item) {
  const LossFacts told{0, 0, entry.payload_word(0), entry.payload_word(1), entry.payload_word(2)};
  const Ticks begin = options_.window.begin;
  const LossFacts part = loss_in(told, options_.window).value_or(LossFacts{0, 0, begin, begin, 0});
  clipped_ = {part.begin, part.end, part.entries};
  item.payload = reinterpret_cast<const std::byte*>(clipped_.data());
}

// A trace that was cut out at this moment says it already.
bool CpuPiece::is_seed(const Item& item) const {
  if (item.time != cpu_state_.begin || item.words != 1) return false;
  const std::uint64_t said = low44(item.low44);
  return std::ranges::any_of(seeds_, [said](const LooseEntry& seed) {
    return seed.payload.empty() && low44(seed.number, seed.arg) == said;
  });
}

void CpuPiece::put(const Item& item) {
  std::array<std::uint64_t, KUTRACE_MAX_WORDS> payload{};
  if (item.words > 1) std::memcpy(payload.data(), item.payload, 8 * (std::size_t{item.words} - 1));
  writer_.put(item.time, item.low44, {payload.data(), item.words - 1}, item.ipc);
}

// False if the block is full before all of them are in it.
bool CpuPiece::put_seeds() {
  for (; next_seed_ < seeds_.size(); ++next_seed_) {
    const LooseEntry& entry = seeds_[next_seed_];
    if (sleeps_on_ && event_class(entry.number) != EventClass::kName) continue;
    if (!writer_.fits(cpu_state_.begin, entry.payload.size() + 1)) return false;
    writer_.put(cpu_state_.begin, low44(entry.number, entry.arg), entry.payload);
  }
  return true;
}

bool CpuPiece::next() {
  const bool first = !begun_;
  if (first) {
    begin();
  } else if (boundary_ || pending_ || next_seed_ < seeds_.size()) {
    open_next();
  } else {
    return false;
  }
  const bool seeds_were_left = next_seed_ < seeds_.size();
  if (!put_seeds()) return true;
  if (seeds_were_left) {
    // Behind the seeds, which say who runs.
    for (const LateReturn& late : cpu_state_.returns) {
      if (!options_.window.contains(late.time)) continue;
      if (late.wide) {
        writer_.put(late.time, low44(late.wide->number, late.wide->arg), late.wide->payload);
      }
      put({late.time, late.low44, nullptr, 1, 0});
    }
  }
  if (pending_) {
    put(*pending_);
    pending_.reset();
  }
  Item item;
  while (read(item)) {
    if (!writer_.fits(item.time, item.words)) {
      // It begins the next block: a block is handed out as soon as it is full.
      pending_ = item;
      return true;
    }
    put(item);
  }
  return true;
}

}  // namespace kutrace::raw
