// SPDX-License-Identifier: BSD-3-Clause
// Columns to calls, see page_calls.h and doc/page-format.md.
#include "read/page/page_calls.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/add_time.h"
#include "model/page_result.h"
#include "read/page/by_kind.h"
#include "read/page/row_merge.h"
#include "read/page/whole_call.h"

namespace kutrace::read {
namespace {

constexpr std::uint64_t kLetters = 26;
// Pieces of a CPU that are read meanwhile.
constexpr std::size_t kAhead = 8;

// A kind of call, and whose it is.
struct Owned {
  KindIndex kind = 0;
  Pid pid = 0;
  ThreadId thread = ThreadId::kNone;
  CpuId cpu = kNoCpu;

  bool operator==(const Owned&) const = default;
};

// What is known of a call before its last piece.
struct Begun {
  Owned of;
  CallId id = CallId::kNone;  // kNone: a free slot
  Ns begin = 0;
  Ns own = 0;
  std::uint32_t pieces = 0;
};

// Calls that are not over, by kind and owner: few at a time, so that they stay in the cache.
class BegunCalls {
 public:
  bool empty() const { return count_ == 0; }
  // The one that is open, or a slot of it that says that none is.
  Begun& find_or_add(const Owned& of) {
    if (2 * count_ >= slots_.size()) grow();
    Begun& found = slots_[place(of)];
    if (found.id == CallId::kNone) {
      found = {.of = of};
      ++count_;
    }
    return found;
  }
  // Those behind it take its place where a look-up would else not find them.
  void remove(Begun& over) {
    const std::size_t mask = slots_.size() - 1;
    auto free = static_cast<std::size_t>(&over - slots_.data());
    for (std::size_t at = free;;) {
      at = (at + 1) & mask;
      if (slots_[at].id == CallId::kNone) break;
      const std::size_t distance = (at - hash(slots_[at].of)) & mask;
      if (distance < ((at - free) & mask)) continue;
      slots_[free] = slots_[at];
      free = at;
    }
    slots_[free].id = CallId::kNone;
    --count_;
  }

 private:
  static constexpr std::size_t kFewestSlots = 64;

  static std::size_t hash(const Owned& of) {
    const std::uint64_t who = static_cast<std::uint64_t>(of.thread) << 32 ^
                              static_cast<std::uint32_t>(of.pid) ^ std::uint64_t{of.cpu} << 16;
    const std::uint64_t mixed = (who ^ std::uint64_t{of.kind} << 40) * 0x9e37'79b9'7f4a'7c15ull;
    return static_cast<std::size_t>(mixed ^ mixed >> 32);
  }
  std::size_t place(const Owned& of) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash(of) & mask;
    while (slots_[at].id != CallId::kNone && !(slots_[at].of == of)) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Begun> before(2 * slots_.size());
    std::swap(before, slots_);
    for (const Begun& begun : before) {
      if (begun.id != CallId::kNone) slots_[place(begun.of)] = begun;
    }
  }

  std::vector<Begun> slots_ = std::vector<Begun>(kFewestSlots);  // a power of two of them
  std::size_t count_ = 0;
};

}  // namespace

bool PageCalls::read_pieces(ColumnReader column, const std::vector<std::uint32_t>& counts) {
  const std::vector<std::uint32_t> none(counts.size());
  ByKind codes(column, counts, none, static_cast<std::uint64_t>(CallPiece::kOfOther),
               [this](std::size_t kind) { return is_call_kind(tables_.kinds[kind].kind); });
  if (!codes.good()) return false;
  const SlabColumns& columns = slab_.columns;
  std::uint32_t at = 0;
  for (const SlabColumns::Section& section : columns.sections) {
    const std::size_t before = pieces_.size();
    for (const std::size_t end = at + section.spans; at < end; ++at) {
      const KindIndex kind = columns.kinds[at];
      if (!is_call_kind(tables_.kinds[kind].kind)) continue;
      const CallPiece code = slab_.codes[at] = static_cast<CallPiece>(codes.next(kind));
      if (code == CallPiece::kWhole) {
        slab_.call_ids[at] = next_id();
      } else if (code != CallPiece::kOfOther) {
        pieces_.push_back({{at, section.cpu}, static_cast<std::uint32_t>(plain_)});
        if (code == CallPiece::kLast) ++plain_;
      }
    }
    sizes_.push_back(pieces_.size() - before);
  }
  return codes.good();
}

// Calls of one kind and owner follow one another.
bool PageCalls::join() {
  list_.calls.resize(plain_);
  list_.owners.resize(plain_);
  BegunCalls calls;
  const auto start_of = [this](std::size_t piece) {
    return slab_.columns.starts[pieces_[piece].place.position];
  };
  for (RowMerge merge(sizes_, start_of); !merge.over(); merge.pop()) {
    const Piece& piece = pieces_[merge.place()];
    if (merge.place() + kAhead < pieces_.size()) slab_.fetch(pieces_[merge.place() + kAhead].place);
    const std::uint32_t position = piece.place.position;
    const Span span = slab_.execution(tables_, piece.place);
    Begun& begun = calls.find_or_add(
        {slab_.columns.kinds[position], span.pid, span.thread, span.pid == 0 ? span.cpu : kNoCpu});
    if (begun.id == CallId::kNone) {
      begun.id = next_id();
      begun.begin = span.start;
    }
    slab_.call_ids[position] = begun.id;
    add_time(begun.own, span.duration);
    ++begun.pieces;
    if (slab_.codes[position] != CallPiece::kLast) continue;
    Call& call = list_.calls[piece.call] = whole_call(span);
    call.id = begun.id;
    call.begin = begun.begin;
    call.own = begun.own;
    call.pieces = begun.pieces;
    list_.owners[piece.call] = {span.thread, span.cpu};
    calls.remove(begun);
  }
  return calls.empty();
}

bool PageCalls::read_full(ColumnReader& column, std::uint64_t count) {
  ColumnReader kinds = column.column(), threads = column.column(), cpus = column.column();
  ColumnReader ends = column.column(), durations = column.column(), owns = column.column();
  ColumnReader numbers = column.column(), args = column.column(), results = column.column();
  if (column.failed() || count > kinds.bytes_left()) return false;
  bool good = true;
  Ns end = clock_.base();
  for (; good && count > 0; --count) {
    const std::uint64_t kind = take(kinds, kMost32, good);
    const std::uint64_t thread = take(threads, kMost32, good);
    if (kind >= tables_.kinds.size() || thread >= tables_.pids.size() ||
        !is_call_kind(tables_.kinds[kind].kind)) {
      return false;
    }
    Call call = begun_call(tables_.kinds[kind]);
    call.id = next_id();
    call.pid = tables_.pids[thread];
    call.thread = tables_.ids[thread];
    const std::uint64_t cpu = take(cpus, kMostCpus, good);
    call.cpu = cpu == 0 ? kNoCpu : static_cast<CpuId>(cpu - 1);
    end = clock_.after(end, clock_.signed_length(ends.next_signed()));
    call.end = end;
    call.begin = clock_.after(end, -clock_.length(durations.next()));
    call.own = clock_.length(owns.next());
    call.pieces = static_cast<std::uint32_t>(take(numbers, kMost32, good));
    call.arg = static_cast<std::uint32_t>(take(args, kMost32, good));
    const std::uint64_t result = take(results, kMostResult, good);
    call.has_result = result != 0;
    call.result = result_of_page(result);
    good = good && clock_.good() && !ends.failed() && !durations.failed() && !owns.failed();
    list_.calls.push_back(call);
  }
  return good;
}

// Interrupts are the CPU's, and stand on the stack of the thread that they interrupted.
bool PageCalls::read_full_owners(ColumnReader column) {
  const bool has_threads = !column.done();
  bool good = true;
  for (std::size_t i = plain_; good && i < list_.calls.size(); ++i) {
    const Call& call = list_.calls[i];
    const std::uint64_t thread =
        has_threads ? take(column, tables_.pids.size() - 1, good) : kIdleThread;
    const ThreadId stack = call.thread != ThreadId::kNone ? call.thread : tables_.ids[thread];
    list_.owners.push_back({stack, call.cpu});
  }
  return good;
}

bool PageCalls::read(ColumnReader column, const std::vector<std::uint32_t>& counts) {
  const std::uint64_t full = column.next();
  if (!read_pieces(column.column(), counts)) return false;
  if (!join()) return false;
  Columns columns;
  for (ColumnReader* part : {&columns.counts, &columns.letters, &columns.times, &columns.unknown,
                             &columns.flags, &columns.leads, &columns.tails}) {
    *part = column.column();
  }
  if (!read_full(column, full) || column.failed()) return false;
  // Pages of before have no such column.
  const ColumnReader owners = column.done() ? ColumnReader({}) : column.column();
  if (!read_full_owners(owners) || column.failed()) return false;
  return read_waits(columns);
}

// Waits, and what they help to tell: how long the call lasted, and what is not known of it.
bool PageCalls::read_waits(Columns& columns) {
  auto& [counts, letters, times, unknown, flags, leads, tails] = columns;
  struct Place {
    std::size_t first = 0;
    std::size_t size = 0;
  };
  bool good = true;
  const bool has_waits = !counts.done();
  const bool has_unknown = !unknown.done();
  const bool has_flags = !flags.done();
  const bool has_leads = !leads.done();
  const bool has_tails = !tails.done();
  std::vector<Place> places;
  Place place;
  Ns unseen = 0;
  // 0, 1 for the same as another one, else units + 1.
  const auto time = [&](ColumnReader& column, bool has, Ns like) {
    const std::uint64_t code = has ? column.next() : 0;
    return code == 0 ? 0 : code == 1 ? like : clock_.length(code - 1);
  };
  for (Call& call : list_.calls) {
    const std::uint64_t reasons = has_waits ? take(counts, kPageSameWaits, good) : 0;
    if (reasons != kPageSameWaits) place = {list_.waits.size(), static_cast<std::size_t>(reasons)};
    for (std::uint64_t left = reasons; good && reasons != kPageSameWaits && left > 0; --left) {
      const char letter = static_cast<char>('a' + take(letters, kLetters - 1, good));
      list_.waits.push_back({letter, clock_.length(times.next())});
    }
    if (!good || times.failed()) return false;
    places.push_back(place);
    for (const WaitTime& wait : std::span(list_.waits).subspan(place.first, place.size)) {
      call.blocked = clock_.after(call.blocked, wait.time);
    }
    unseen = time(unknown, has_unknown, unseen);
    const std::uint64_t inferred =
        has_flags ? take(flags, kPageBeginInferred | kPageEndInferred, good) : 0;
    call.begin_inferred = (inferred & kPageBeginInferred) != 0;
    call.end_inferred = (inferred & kPageEndInferred) != 0;
    if (static_cast<std::size_t>(&call - list_.calls.data()) < plain_) {
      call.begin = clock_.after(call.begin, -time(leads, has_leads, call.blocked));
      call.end = clock_.after(call.end, time(tails, has_tails, call.blocked));
    }
    call.on_cpu = call.duration() - call.blocked - unseen;
    const bool failed = unknown.failed() || leads.failed() || tails.failed();
    if (!good || failed || !clock_.good() || call.on_cpu < call.own) return false;
  }
  for (std::size_t i = 0; i < list_.calls.size(); ++i) {
    list_.calls[i].waits = std::span(list_.waits).subspan(places[i].first, places[i].size);
  }
  return true;
}

}  // namespace kutrace::read
