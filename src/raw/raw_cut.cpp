// SPDX-License-Identifier: BSD-3-Clause
// Putting pieces of raw traces together.
#include "raw/raw_cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/apart.h"
#include "format/event_table.h"
#include "format/group_times.h"
#include "format/name_blocks.h"
#include "kutrace/abi.h"
#include "raw/counter_at.h"
#include "raw/joined_counters.h"
#include "raw/raw_piece.h"
#include "raw/raw_state.h"

namespace kutrace::raw {

namespace {

// The recording's last moment: its stop time or an event after it.
// Blocks are in the order of time, so only the last one of each CPU needs to be read.
Ticks last_moment(const timeline::TraceLayout& layout) {
  Ticks last = counter_at(layout.clock, layout.end);
  for (const timeline::CpuBlocks& cpu : layout.cpus) {
    decode::DecodeCounters ignored;
    decode::BlockDecoder decoder(cpu.blocks.back().block, ignored);
    last = std::max(last, cpu.blocks.back().block.base);
    decode::Entry entry;
    while (decoder.next(entry)) last = std::max(last, entry.time + entry.fold_ticks);
  }
  return last;
}

struct Piece {
  Piece(const RawFile& raw, timeline::TraceLayout laid_out, TickWindow ticks,
        const std::optional<std::unordered_set<CpuId>>& cpus = {})
      : file(raw), layout(std::move(laid_out)), window(ticks), state(layout, window, cpus) {}
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  const RawFile& file;
  timeline::TraceLayout layout;
  TickWindow window;
  RawState state;
};

// The order of pieces is that of time. Counters stay as they are: one clock and one time 0, those
// of the first piece, hold for all.
class Assembler {
 public:
  void add(std::unique_ptr<Piece> piece) { pieces_.push_back(std::move(piece)); }
  // The fact is to have this value instead.
  template <typename Value>
  void replace_fact(fact::Key<Value> key, const std::type_identity_t<Value>& value) {
    replaced_.add(key, value);
  }
  // The fact is to be there, too.
  template <typename Value>
  void add_fact(fact::Key<Value> key, const std::type_identity_t<Value>& value) {
    added_facts_.add(key, value);
  }
  void choose(const ChosenProcesses& chosen) { chosen_ = &chosen; }
  void add_code(timeline::CodeRecords code) { added_ = std::move(code); }
  void add_packets(PacketRecords packets) { added_packets_ = std::move(packets); }
  void keep_cpus(const std::optional<std::unordered_set<CpuId>>& cpus) { cpus_ = cpus; }

  Result<RawSummary> write(const RawOutput& output) {
    trailer_ = has_trailer(flags());
    std::uint64_t event_blocks = 0;
    // Block 0 comes first and holds the number of blocks. They are made twice rather than kept:
    // memory is a block per CPU.
    event_pass([&](const BlockWriter&) { return ++event_blocks, true; });
    const std::vector<BlockWriter> names = name_blocks(event_blocks);
    RawSummary summary;
    const auto put = [&](const BlockWriter& block) {
      ++summary.blocks;
      summary.bytes += block.bytes().size();
      return output(block.bytes());
    };
    bool good = std::all_of(names.begin(), names.end(), put);
    good = good && event_pass(put);
    if (!good) return fail(output_error("the raw trace could not be written"));
    return summary;
  }

 private:
  unsigned flags() const {
    return pieces_.front()->file.flags() & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC);
  }
  bool wants(CpuId cpu) const { return !cpus_ || cpus_->contains(cpu); }

  // All blocks of all pieces in their order, until `put` refuses one.
  template <typename Put>
  bool event_pass(Put&& put) {
    // Numbers go on from piece to piece, so that a reader sees no gap but those that are declared.
    std::map<CpuId, std::uint64_t> sequences;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!piece_pass(i, sequences, put)) return false;
    }
    return true;
  }

  // Blocks of a piece in the order of their times.
  template <typename Put>
  bool piece_pass(std::size_t number, std::map<CpuId, std::uint64_t>& sequences, Put&& put) {
    const Piece& piece = *pieces_[number];
    std::vector<std::unique_ptr<CpuPiece>> cpus;
    for (const timeline::CpuBlocks& blocks : piece.layout.cpus) {
      if (!wants(blocks.cpu)) continue;
      CpuPiece::Options options;
      options.window = piece.window;
      options.clock = pieces_.front()->layout.clock;
      options.wall_usec = pieces_.front()->layout.wall_usec;
      options.trailer = trailer_;
      options.sequence = sequences[blocks.cpu];
      options.chosen = chosen_;
      // Names hold for all CPUs, so that one of them tells them.
      const bool is_last = &blocks == &piece.layout.cpus.back();
      options.before = entries_before(number, blocks.cpu, cpus.empty(), is_last);
      options.asleep = asleep_before(number, blocks.cpu);
      cpus.push_back(
          std::make_unique<CpuPiece>(piece.layout, piece.state, blocks, std::move(options)));
      cpus.back()->next();
    }
    while (!cpus.empty()) {
      // As a recorder that streams would have written them.
      const auto first = std::min_element(cpus.begin(), cpus.end(), [](auto& a, auto& b) {
        return a->block().base() < b->block().base();
      });
      CpuPiece& cpu = **first;
      if (!put(cpu.block())) return false;
      if (cpu.next()) continue;
      sequences[cpu.cpu()] = cpu.sequence();
      cpus.erase(first);
    }
    return true;
  }

  // What a later piece begins with on this CPU: that nothing was recorded before it; on its first
  // CPU, names; on its last one, threads, which run on no CPU then.
  std::vector<LooseEntry> entries_before(std::size_t number, CpuId cpu, bool first_cpu,
                                         bool last_cpu) const {
    std::vector<LooseEntry> entries;
    if (number == 0) return entries;
    const Piece& piece = *pieces_[number];
    if (first_cpu) entries = new_names(number);
    entries.push_back(unrecorded(cpu, end_before(number, cpu), piece.state.cpu(cpu).begin));
    if (!last_cpu) return entries;
    for (LooseEntry& thread : piece.state.entries()) {
      if (name_kind(thread.number) != kind::kTASK) continue;
      thread.payload.front() |= KUTRACE_TASK_FOUND;
      entries.push_back(std::move(thread));
    }
    return entries;
  }

  // Whether the CPU's time in the piece begins where that in the piece before ended.
  bool follows(std::size_t number, CpuId cpu) const {
    return number != 0 && end_before(number, cpu) == pieces_[number]->state.cpu(cpu).begin;
  }

  // What a CPU was in that slept when the piece before ended, where nothing lies between them.
  std::uint64_t asleep_before(std::size_t number, CpuId cpu) const {
    if (!follows(number, cpu) || !has(*pieces_[number - 1], cpu)) return 0;
    return pieces_[number - 1]->state.cpu(cpu).asleep_at_end;
  }

  static bool has(const Piece& piece, CpuId cpu) {
    const auto& cpus = piece.layout.cpus;
    return std::ranges::find(cpus, cpu, &timeline::CpuBlocks::cpu) != cpus.end();
  }

  static LooseEntry unrecorded(CpuId cpu, Ticks begin, Ticks end) {
    return loss_entry({cpu, KUTRACE_LOSS_LIMIT, begin, end});
  }

  // Until when the CPU was recorded before piece `number`.
  Ticks end_before(std::size_t number, CpuId cpu) const {
    while (number-- > 0)
      if (has(*pieces_[number], cpu)) return pieces_[number]->window.end;
    return pieces_.front()->window.begin;
  }

  // Of a later piece: among its CPUs' entries, a name of a number would be the running program's.
  bool stands_in_block_0(const LooseEntry& entry) const {
    const EventNum kind = name_kind(entry.number);
    const bool own_source = pieces_.front()->layout.facts.has(fact::kSource);
    return kind == kind::kLOSS || (own_source && is_given_name(kind));
  }

  // Names of a later piece that no earlier one has, or has differently.
  std::vector<LooseEntry> new_names(std::size_t number) const {
    std::map<std::pair<EventNum, std::uint32_t>, std::vector<std::uint64_t>> known;
    for (std::size_t i = 0; i < number; ++i) {
      for (LooseEntry& entry : pieces_[i]->state.entries()) {
        // The last piece that says it counts.
        known[{name_kind(entry.number), entry.arg}] = std::move(entry.payload);
      }
    }
    std::vector<LooseEntry> entries = pieces_[number]->state.entries();
    std::erase_if(entries, [&](const LooseEntry& entry) {
      const auto found = known.find({name_kind(entry.number), entry.arg});
      if (stands_in_block_0(entry) || name_kind(entry.number) == kind::kTASK) return true;
      return found != known.end() && found->second == entry.payload;
    });
    return entries;
  }

  Facts facts(std::uint64_t blocks) const {
    Facts all;
    for (const auto& piece : pieces_) {
      for (const Facts::Fact& fact : piece->state.facts()) {
        const bool replaced =
            replaced_.find(fact.first) != nullptr || fact.first == fact::kGroupsChange.text;
        const bool again = std::ranges::find(all, fact) != all.end();
        if (!replaced && !again) all.add(fact.first, fact.second);
      }
    }
    // Counted anew: with a wrong number a reader takes the recorder for killed.
    all.erase(fact::kBlocks);
    for (const auto& [key, value] : replaced_) all.add(key, value);
    for (const Facts::Fact& fact : added_facts_)
      if (std::ranges::find(all, fact) == all.end()) all.add(fact.first, fact.second);
    for (const GroupChange& change : group_changes()) all.add(fact::kGroupsChange, to_text(change));
    // Clock readings of a short piece are too coarse to tell the rate.
    const TraceClock& clock = pieces_.front()->layout.clock;
    if (!told_rate(all, clock)) {
      all.erase(fact::kTickNs);
      all.add(fact::kTickNs, TickRate{clock.ns_per_tick(), 1});
    }
    if (all.has(fact::kSource)) all.add(fact::kBlocks, blocks);
    return all;
  }

  // When groups of events were switched, in the times of the first piece. Pieces of one recording
  // tell all of it; another recording begins with its own groups.
  std::vector<GroupChange> group_changes() const {
    const TraceClock& clock = pieces_.front()->layout.clock;
    std::vector<GroupChange> changes;
    std::optional<EventGroups> now;
    std::optional<Ticks> told;
    for (const auto& piece : pieces_) {
      const Ticks zero = piece->layout.clock.start();
      const auto names = piece->layout.facts.get(fact::kEvents);
      // Pieces of one recording have its time 0 in common.
      if (!names || std::exchange(told, zero) == zero) continue;
      const EventGroups first = EventGroups::of_names(*names);
      if (now && *now != first)
        changes.push_back({.at = clock.to_ns(piece->window.begin),
                           .off = now->without(first),
                           .on = first.without(*now)});
      now = first;
      const GroupTimes times(piece->layout.facts);
      for (GroupChange change : times.changes()) {
        now = now->without(change.off).with(change.on);
        change.at += clock.to_ns(zero);
        changes.push_back(change);
      }
    }
    return changes;
  }

  // What the pieces say of code, each thing once. What always held in a later piece holds from its
  // begin on.
  template <typename Record>
  std::vector<std::string> code_texts(EventNum kind,
                                      std::optional<Record> (*parse)(std::string_view),
                                      std::vector<std::string> added) const {
    std::vector<std::string> all;
    std::set<std::string> known;
    const auto add = [&](std::string text) {
      if (known.insert(text).second) all.push_back(std::move(text));
    };
    for (const auto& piece : pieces_) {
      for (std::string& text : piece->state.code_texts(kind)) {
        auto record = parse(text);
        if (!record || known.contains(text)) continue;
        // In the whole, 0 would mean that it held in the earlier pieces, too.
        if (piece != pieces_.front() && record->from == 0) {
          record->from = piece->window.begin;
          text = record_text(*record);
        }
        add(std::move(text));
      }
    }
    for (std::string& text : added) add(std::move(text));
    return all;
  }

  // Texts of the pieces that are wanted, each once.
  template <typename Wants>
  std::vector<std::string> texts_once(EventNum kind, Wants&& wants) const {
    std::vector<std::string> all;
    std::set<std::string> known;
    for (const auto& piece : pieces_) {
      for (std::string& text : piece->state.code_texts(kind))
        if (wants(*piece, text) && known.insert(text).second) all.push_back(std::move(text));
    }
    return all;
  }

  std::vector<std::string> process_texts() const {
    return texts_once(kind::kPROCESS, [](const Piece&, const std::string&) { return true; });
  }

  // Captured packets of the pieces and those that are added, each once.
  std::vector<std::string> packet_texts() const {
    std::vector<std::string> all =
        texts_once(kind::kCOUNTER, [](const Piece& piece, const std::string& text) {
          const auto packet = parse_packet_record(text);
          return packet && piece.window.contains(packet->at);
        });
    const std::set<std::string> known(all.begin(), all.end());
    for (std::string& text : texts_of(added_packets_.captured))
      if (!known.contains(text)) all.push_back(std::move(text));
    return all;
  }

  static std::vector<std::string> texts_of(const auto& records) {
    std::vector<std::string> texts;
    for (const auto& record : records) texts.push_back(record_text(record));
    return texts;
  }

  NameEntries name_entries(std::uint64_t blocks) const {
    NameEntries entries;
    for (const auto& [key, value] : facts(blocks)) entries.add(key, value);
    for (const std::string& text : code_texts(kind::kMAP, parse_map_record, texts_of(added_.maps)))
      entries.add_text(kind::kMAP, text);
    for (const std::string& text :
         code_texts(kind::kSYMBOL, parse_symbol_record, texts_of(added_.symbols)))
      entries.add_text(kind::kSYMBOL, text);
    for (const std::string& text : code_texts(kind::kSTACK, parse_stack_record, {}))
      entries.add_text(kind::kSTACK, text);
    JoinedCounters counters;
    for (const auto& piece : pieces_)
      counters.add(piece->state.code_texts(kind::kCOUNTER), piece->window);
    for (const std::string& text : counters.texts()) entries.add_text(kind::kCOUNTER, text);
    for (const std::string& text : process_texts()) entries.add_text(kind::kPROCESS, text);
    for (const std::string& text : packet_texts()) entries.add_text(kind::kCOUNTER, text);
    std::set<std::pair<EventNum, std::uint32_t>> given;  // what the first piece calls it counts
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      for (const LooseEntry& entry : pieces_[i]->state.entries()) {
        const EventNum kind = name_kind(entry.number);
        if (kind == kind::kLOSS ? !wants(entry.arg & KUTRACE_LOSS_CPU_MASK)
                                : i != 0 && !stands_in_block_0(entry))
          continue;
        if (is_given_name(kind) && !given.emplace(kind, entry.arg).second) continue;
        entries.add(shown(entry));
      }
    }
    for (const auto& [hash, text] : added_packets_.names)
      entries.add(name_entry(kind::kPACKET_NAME, hash, text));
    add_ended_cpus(entries);
    return entries;
  }

  // What a thread that is left out was in is not told.
  LooseEntry shown(LooseEntry entry) const {
    if (chosen_ != nullptr && name_kind(entry.number) == kind::kTASK &&
        chosen_->leaves_out(static_cast<Pid>(entry.arg), pieces_.front()->window.begin))
      entry.payload.front() &= 0xffff'ffff;
    return entry;
  }

  // CPUs that the last piece does not have were not recorded any more.
  void add_ended_cpus(NameEntries& entries) const {
    std::set<CpuId> ended;
    for (const auto& piece : pieces_) {
      for (const timeline::CpuBlocks& blocks : piece->layout.cpus) ended.insert(blocks.cpu);
    }
    for (const timeline::CpuBlocks& blocks : pieces_.back()->layout.cpus) ended.erase(blocks.cpu);
    for (const CpuId cpu : ended) {
      entries.add(unrecorded(cpu, end_before(pieces_.size(), cpu), pieces_.back()->window.end));
    }
  }

  // Block 0 and those after it that hold names only, before `event_blocks` others.
  std::vector<BlockWriter> name_blocks(std::uint64_t event_blocks) const {
    std::vector<BlockWriter> blocks;
    // The number of blocks is one of the facts in them, and its digits may need another block.
    for (std::size_t expected = 1; blocks.size() != expected;) {
      expected = std::max<std::size_t>(expected, blocks.size());
      blocks = name_blocks_from(name_entries(event_blocks + expected));
    }
    return blocks;
  }

  std::vector<BlockWriter> name_blocks_from(const NameEntries& entries) const {
    const Piece& first = *pieces_.front();
    const Piece& last = *pieces_.back();
    const auto pair = [&](Ticks counter) {
      const Ns ns = first.layout.clock.to_ns(counter);
      return TimePair{counter, first.layout.wall_usec + static_cast<std::uint64_t>(ns / 1000)};
    };
    BlockHeader header;
    header.start = pair(first.window.begin);
    const FileHeader file{header.start, pair(last.window.end), flags()};
    return front_blocks(entries, header, file, 1, ~std::size_t{0}).blocks;
  }

  std::vector<std::unique_ptr<Piece>> pieces_;
  Facts replaced_;
  Facts added_facts_;
  std::optional<std::unordered_set<CpuId>> cpus_;
  timeline::CodeRecords added_;
  PacketRecords added_packets_;
  const ChosenProcesses* chosen_ = nullptr;
  bool trailer_ = false;
};

Error about(const RawFile& file, std::string sentence) {
  return input_error(std::move(sentence)).with_file(file.name());
}

Result<std::unique_ptr<Piece>> whole_piece(const RawFile& file) {
  KUTRACE_ASSIGN(timeline::TraceLayout layout, timeline::lay_out(file));
  TickWindow window;
  window.begin = counter_at(layout.clock, layout.begin);
  window.end = last_moment(layout);
  window.closed = true;
  return std::make_unique<Piece>(file, std::move(layout), window);
}

// Whether `next` can follow `before`: the same machine, the same counter, later.
Status check_follows(const Piece& before, const Piece& next) {
  const double ratio = next.layout.clock.ns_per_tick() / before.layout.clock.ns_per_tick();
  // Two measured rates of one counter differ by less.
  constexpr double kMostDrift = 1e-3;
  if (std::abs(ratio - 1) > kMostDrift) {
    return fail(about(next.file, "its time counter has another rate than the trace before it"));
  }
  if (next.file.flags() % 16 != before.file.flags() % 16 ||
      ((next.file.flags() ^ before.file.flags()) & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC)) != 0) {
    return fail(about(next.file, "its version or its trailers differ from the trace before it"));
  }
  constexpr const char* kHint =
      "recordings of one machine can be joined if they are of one boot "
      "and do not overlap";
  // So do most recordings of a later boot, in which the counter began anew.
  if (next.window.begin < before.window.end) {
    return fail(about(next.file, "it begins before the trace before it ends").with_hint(kHint));
  }
  // Microseconds since 1970: what the counter says that the wall clock is, and what it was.
  const double expected = static_cast<double>(before.layout.wall_usec) +
                          static_cast<double>(before.layout.clock.to_ns(next.window.begin)) / 1000;
  const double said =
      static_cast<double>(next.layout.wall_usec) + static_cast<double>(next.layout.begin) / 1000;
  const double passed = expected - static_cast<double>(before.layout.wall_usec);
  constexpr double kSteps_usec = 2e6;  // by which a wall clock may have been set
  if (std::abs(expected - said) > kSteps_usec + kMostDrift * passed) {
    return fail(about(next.file, "its counter and wall clock do not go on from the trace before it")
                    .with_hint(kHint));
  }
  return {};
}

// What a piece is of; a piece of a piece is of the same recording.
std::string whole_of(const std::string& cut, Ns end) {
  const std::size_t of = cut.find(" of a recording of ");
  return of == cut.npos ? fmt::format(" of a recording of {} ns", end) : cut.substr(of);
}

std::vector<CpuId> cpus_among(const timeline::TraceLayout& layout,
                              const std::unordered_set<CpuId>& wanted) {
  std::vector<CpuId> cpus;
  for (const timeline::CpuBlocks& blocks : layout.cpus) {
    if (wanted.contains(blocks.cpu)) cpus.push_back(blocks.cpu);
  }
  std::ranges::sort(cpus);
  return cpus;
}

}  // namespace

Result<RawSummary> cut_raw(const RawFile& file, TimeWindow window,
                           const std::optional<std::unordered_set<CpuId>>& cpus,
                           const RawOutput& output) {
  KUTRACE_ASSIGN(timeline::TraceLayout layout, timeline::lay_out(file));
  const Ticks last = last_moment(layout);
  const Ns end = layout.clock.to_ns(last);
  if (const std::string why = why_apart(window, {layout.begin, end}); !why.empty())
    return fail(about(file, why).with_hint(kTimesCount));
  window.begin = std::max(window.begin, layout.begin);
  window.end = std::min(window.end, end);
  TickWindow ticks;
  ticks.begin = counter_at(layout.clock, window.begin);
  // A window is [begin, end); at the very end, the last event belongs to it.
  ticks.closed = window.end == end;
  ticks.end = ticks.closed ? last : counter_at(layout.clock, window.end);
  Assembler assembler;
  if (cpus) {
    const std::vector<CpuId> kept = cpus_among(layout, *cpus);
    if (kept.empty()) return fail(about(file, "has none of these CPUs"));
    assembler.keep_cpus(cpus);
    if (layout.facts.has(fact::kCpusOnline)) assembler.replace_fact(fact::kCpusOnline, kept);
  }
  // What is cut out whole stays the piece that it was.
  const auto cut = layout.facts.get(fact::kCut);
  const bool is_whole = window.begin == layout.begin && window.end == end;
  assembler.replace_fact(fact::kCut, is_whole && cut
                                         ? *cut
                                         : fmt::format("{}..{} ns{}", window.begin, window.end,
                                                       whole_of(cut.value_or(""), end)));
  // Times of a piece are those of the whole recording, so that both can be talked about.
  assembler.replace_fact(fact::kTimeZero, layout.clock.start());
  assembler.add(std::make_unique<Piece>(file, std::move(layout), ticks, cpus));
  return assembler.write(output);
}

Result<RawSummary> name_code_raw(const RawFile& file, timeline::CodeRecords added,
                                 const RawOutput& output) {
  KUTRACE_ASSIGN(auto piece, whole_piece(file));
  Assembler assembler;
  assembler.add(std::move(piece));
  assembler.add_code(std::move(added));
  return assembler.write(output);
}

Result<RawSummary> add_packets_raw(const RawFile& file, PacketRecords packets,
                                   const RawOutput& output) {
  KUTRACE_ASSIGN(auto piece, whole_piece(file));
  Assembler assembler;
  assembler.add(std::move(piece));
  assembler.add_packets(std::move(packets));
  return assembler.write(output);
}

Result<RawSummary> choose_processes_raw(const RawFile& file, const ProcessChoice& choice,
                                        const std::string& text, const std::string& unseen,
                                        const RawOutput& output) {
  KUTRACE_ASSIGN(auto piece, whole_piece(file));
  const ChosenProcesses chosen(piece->layout, choice);
  Assembler assembler;
  assembler.replace_fact(fact::kRecordedThreads, text);
  assembler.add_fact(fact::kUnseen, unseen);
  assembler.choose(chosen);
  assembler.add(std::move(piece));
  return assembler.write(output);
}

Result<RawSummary> concat_raw(const std::vector<RawFile>& files, const RawOutput& output) {
  std::vector<std::unique_ptr<Piece>> pieces;
  for (const RawFile& file : files) {
    KUTRACE_ASSIGN(auto piece, whole_piece(file));
    pieces.push_back(std::move(piece));
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const auto& a, const auto& b) { return a->window.begin < b->window.begin; });
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    KUTRACE_TRY(check_follows(*pieces[i - 1], *pieces[i]));
  }
  Assembler assembler;
  assembler.replace_fact(fact::kTimeZero, pieces.front()->layout.clock.start());
  for (auto& piece : pieces) assembler.add(std::move(piece));
  return assembler.write(output);
}

}  // namespace kutrace::raw
