// SPDX-License-Identifier: BSD-3-Clause
// Columns to calls, see page_calls.h and doc/page-format.md.
#include "read/page/page_calls.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/page_result.h"
#include "read/page/by_kind.h"

namespace kutrace::read {
namespace {

constexpr std::uint64_t kLetters = 26;

}  // namespace

// A call as the first of its pieces tells it.
Call PageCalls::begun(const Span& span) {
  Call call;
  call.id = span.call;
  call.pid = is_interrupt(span.kind) ? 0 : span.pid;
  call.thread = is_interrupt(span.kind) ? ThreadId::kNone : span.thread;
  call.event = span.event;
  call.name = span.name;
  call.kind = span.kind;
  call.begin = span.start;
  return call;
}

bool PageCalls::read_pieces(ColumnReader column, const Kinds& kinds) {
  const std::vector<std::uint32_t> none(kinds.counts.size());
  ByKind codes(column, kinds.counts, none, static_cast<std::uint64_t>(CallPiece::kOfOther),
               [this](std::size_t kind) { return is_call_kind(tables_.kinds[kind].kind); });
  if (!codes.good()) return false;
  codes_.assign(kinds.of.size(), CallPiece::kWhole);
  for (std::size_t i = 0; i < kinds.of.size(); ++i) {
    if (!is_call_kind(tables_.kinds[kinds.of[i]].kind)) continue;
    codes_[i] = static_cast<CallPiece>(codes.next(kinds.of[i]));
    if (codes_[i] != CallPiece::kWhole) pieces_.push_back({i, codes_[i]});
  }
  return codes.good();
}

// Calls of one kind and owner follow one another.
bool PageCalls::join(std::vector<Span>& spans, const Kinds& kinds) {
  std::ranges::stable_sort(pieces_, {}, [&](const Piece& p) { return spans[p.position].start; });
  std::map<std::tuple<KindIndex, Pid, ThreadId, CpuId>, Call> open;
  struct Ended {
    std::size_t position = 0;  // of its last piece
    Call call;
    StackOwner owner;
  };
  std::vector<Ended> done;
  for (const Piece& piece : pieces_) {
    if (piece.code == CallPiece::kOfOther) continue;
    Span& span = spans[piece.position];
    const std::tuple key(kinds.of[piece.position], span.pid, span.thread,
                         span.pid == 0 ? span.cpu : kNoCpu);
    const auto [at, first] = open.try_emplace(key);
    Call& call = at->second;
    if (first) {
      span.call = next_id();
      call = begun(span);
    }
    span.call = call.id;
    call.own += span.duration;
    ++call.pieces;
    if (piece.code != CallPiece::kLast) continue;
    call.end = span.start + span.duration;
    call.cpu = span.cpu;
    call.arg = span.arg;
    call.result = span.result;
    call.has_result = span.has_result;
    done.push_back({piece.position, call, {span.thread, span.cpu}});
    open.erase(at);
  }
  std::ranges::sort(done, {}, &Ended::position);
  for (const Ended& ended : done) {
    list_.calls.push_back(ended.call);
    list_.owners.push_back(ended.owner);
  }
  plain_ = done.size();
  return open.empty();
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
    Call call = begun(tables_.kinds[kind]);
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

bool PageCalls::read(ColumnReader column, std::vector<Span>& spans, const Kinds& kinds) {
  const std::uint64_t full = column.next();
  if (!read_pieces(column.column(), kinds)) return false;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const bool whole = codes_[i] == CallPiece::kWhole && is_call_kind(spans[i].kind);
    if (whole) spans[i].call = next_id();
  }
  if (!join(spans, kinds)) return false;
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

Call PageCalls::whole(const Span& span) {
  Call call = begun(span);
  call.end = span.start + span.duration;
  call.own = call.on_cpu = span.duration;
  call.cpu = span.cpu;
  call.arg = span.arg;
  call.pieces = 1;
  call.result = span.result;
  call.has_result = span.has_result;
  return call;
}

}  // namespace kutrace::read
