// SPDX-License-Identifier: BSD-3-Clause
// Spans to one HTML page, see page_writer.h; doc/page-format.md describes the bytes.
#include "emit/page/page_writer.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "base/add_time.h"
#include "base/b128.h"
#include "base/markup.h"
#include "emit/page/backtraces.h"
#include "emit/page/call_files.h"
#include "emit/page/column.h"
#include "emit/page/cpu_overview.h"
#include "emit/page/deflate.h"
#include "emit/page/far_calls.h"
#include "emit/page/far_tiers.h"
#include "emit/page/lod.h"
#include "emit/page/nest_watch.h"
#include "emit/page/page_header.h"
#include "emit/page/page_objects.h"
#include "emit/page/page_tables.h"
#include "emit/page/page_template.h"
#include "emit/page/slab.h"
#include "emit/page/slab_packer.h"
#include "format/event_table.h"
#include "model/call.h"
#include "model/default_title.h"
#include "model/page_result.h"
#include "reports/syscalls.h"

namespace kutrace::emit {
namespace {

constexpr std::size_t kMostCpuBuckets = 32768;
constexpr std::size_t kMostThreadBuckets = 4096;
constexpr std::size_t kFewestBuckets = 512;
// One bucket for this many spans: the overview then costs a few percent of the page.
constexpr std::uint64_t kSpansPerBucket = 256;
constexpr std::uint64_t kSpansPerThreadSlice = 24;
// So many overlays of each kind that is seldom, such as marks, stand in the block that every view
// has: they are drawn at every zoom.
constexpr std::uint32_t kMostSeldom = 32768;
// A view of this many is always drawn from the spans themselves.
constexpr std::size_t kFewSlabs = 4;
// Sums by CPU and kind may be a hundredth of the slabs.
constexpr std::size_t kSlabBytesPerSumsByte = 100;
constexpr std::string_view kTitleSlot = "<title>kutrace</title>";
constexpr std::string_view kDataSlot = "<!--kutrace-data-->";

// Overlays that are few in most traces, and worth seeing from afar.
bool is_seldom(SpanKind kind) {
  switch (kind) {
    case SpanKind::kQueued:
    case SpanKind::kRpc:
    case SpanKind::kMessage:
    case SpanKind::kFrequency:
    case SpanKind::kSample:
    case SpanKind::kMark:
    case SpanKind::kLockHeld:
    case SpanKind::kLockWanted:
    case SpanKind::kFunction:
      return true;
    default:
      return false;
  }
}

// Writes the pieces and remembers how much, and whether one of them failed.
class Output {
 public:
  explicit Output(const PageOutput& output) : output_(output) {}
  void text(std::string_view piece) {
    good_ = good_ && output_(piece);
    size_ += piece.size();
  }
  void block(std::string_view id, std::span<const std::uint8_t> bytes) {
    std::string encoded;
    append_b128(bytes, encoded);
    block(id, encoded);
  }
  void block(std::string_view id, std::string_view encoded) {
    text(fmt::format("{}{}\">", kPageBlock, id));
    text(encoded);
    text(kPageBlockEnd);
    text("\n");
  }
  void bytes(std::span<const std::uint8_t> raw) {
    text({reinterpret_cast<const char*>(raw.data()), raw.size()});
  }
  bool good() const { return good_; }
  std::uint64_t size() const { return size_; }

 private:
  const PageOutput& output_;
  std::uint64_t size_ = 0;
  bool good_ = true;
};

struct Block {
  // `known`: the row but for the sizes.
  explicit Block(Deflated deflated, SlabRow known = {})
      : row(std::move(known)), bytes(std::move(deflated)) {
    set_sizes(row, bytes);
  }

  SlabRow row;
  Deflated bytes;
};

// One that is left out where it would hold nothing.
using MaybeBlock = std::optional<Block>;

const SlabRow* row_of(const MaybeBlock& block) { return block ? &block->row : nullptr; }

// What lies over the CPUs' timelines, as a block of its own.
Result<Block> overlay_block(Slab& overlays, FarCalls& calls) {
  SlabColumns columns;
  SlabRow row = overlays.row();
  const Column& bytes = overlays.encode_others(columns, calls);
  KUTRACE_ASSIGN(Deflated deflated, QuickDeflater().deflate(bytes.bytes()));
  return Block(std::move(deflated), std::move(row));
}

struct Sealed {
  const Deflated& header;
  const Block& overview;
  const Block& long_overlays;
  const MaybeBlock& far;
  const MaybeBlock& sums;
  const MaybeBlock& files;
  const MaybeBlock& backtraces;
  const MaybeBlock& runs;
  const KeptBlocks& slabs;
};

}  // namespace

struct PageWriter::State {
  explicit State(PageOptions page_options)
      : options(std::move(page_options)),
        cpu_overview(kMostCpuBuckets),
        overview(kMostThreadBuckets),
        packer(!options.container, options.spill, cpu_overview, overview, far) {}

  void number(const Span& span, ThreadIndex thread, SlabSpan& numbered);
  void keep_execution(const Span& span, ThreadIndex thread);
  void keep_overlay(const Span& span, ThreadIndex thread);
  void flush_full() {
    if (slab.size() + slab.calls() >= kSlabSpans) [[unlikely]] {
      flush();
    }
  }
  bool is_whole(const Call& call, ThreadIndex thread);
  void flush();
  Slab far_overlays();
  Result<MaybeBlock> sums(const PackedSlabs& packed);
  Result<MaybeBlock> runs(const PackedSlabs& packed);
  Result<MaybeBlock> named(const auto& block, const NameTable& names) {
    if (!block.any()) return MaybeBlock();
    KUTRACE_ASSIGN(Deflated bytes, deflater.deflate(block.encode(names).bytes()));
    return MaybeBlock(std::move(bytes));
  }
  Status write_page(Output& output, const Sealed& sealed) const;
  Status write_container(Output& output, const Sealed& sealed) const;

  PageOptions options;
  PageThreads threads;
  KindTable kinds;
  ObjectTable objects;
  CpuOverview cpu_overview;
  Overview overview;
  SingleDeflater deflater;
  Slab slab;
  Slab long_overlays;  // and seldom ones
  FarCalls long_calls;
  std::array<std::uint32_t, kSpanKinds> seldom{};
  FarTiers far;
  SlabPacker packer;
  std::uint64_t spans = 0;
  std::size_t slabs = 0;
  bool calls = false;  // the trace tells of calls
  NestWatch nest;
  CallFiles files;
  Backtraces backtraces;
};

PageWriter::PageWriter(PageOptions options) : state_(std::make_unique<State>(std::move(options))) {}
PageWriter::~PageWriter() = default;

void PageWriter::State::number(const Span& span, ThreadIndex thread, SlabSpan& numbered) {
  numbered.start = span.start;
  numbered.duration = span.duration;
  numbered.kind = kinds.index(span, thread);
  numbered.thread = thread;
  numbered.cpu = span.cpu;
  numbered.call = span.call;
  numbered.rpc = span.rpc;
  numbered.arg = span.low_arg();
  numbered.result = page_result(span.kind, span.result);
  numbered.what = span.kind;
  numbered.ipc = span.ipc;
  numbered.has_result = span.has_result;
}

void PageWriter::State::keep_execution(const Span& span, ThreadIndex thread) {
  slab.add_execution(span.cpu, [&](SlabSpan& execution) { number(span, thread, execution); });
  flush_full();
}

void PageWriter::State::keep_overlay(const Span& span, ThreadIndex thread) {
  backtraces.add(span, thread);
  if (span.kind == SpanKind::kFunction) threads.saw_function(thread, span.low_arg());
  SlabOverlay overlay;
  number(span, thread, overlay);
  overlay.other = is_arc(span.kind) ? threads.index(span.other) : kIdleThread;
  overlay.value = span.value;
  if (span.kind == SpanKind::kWait) {
    overlay.reason = static_cast<std::uint8_t>((narrow_event(span.event) & 31) + 1);
  }
  std::uint32_t& before = seldom[static_cast<std::size_t>(span.kind)];
  if (is_seldom(span.kind) && before < kMostSeldom) {
    before++;
    long_overlays.add(overlay);
    if (is_far(span.kind)) slab.add_elsewhere(overlay);
    return;
  }
  slab.add(overlay);
  flush_full();
}

void PageWriter::State::flush() {
  if (slab.size() == 0) return;
  for (const SlabOverlay& span : slab.take_long_overlays((slab.end() - slab.begin()) / 4)) {
    long_overlays.add(span);
  }
  const CallId newest = slab.newest_call();
  slab = packer.add(std::move(slab));
  slab.begins_after(newest);
  slabs++;
}

// What every view has anyhow is not among them.
Slab PageWriter::State::far_overlays() {
  Slab out;
  for (std::size_t what = 0; what < kSpanKinds; ++what) {
    const auto kind = static_cast<SpanKind>(what);
    FarTier* const tier = far.of(kind);
    if (tier == nullptr || (is_seldom(kind) && tier->added() <= kMostSeldom)) continue;
    const std::vector<SlabOverlay> taken = tier->take();
    out.reserve_overlays(taken.size());
    for (const SlabOverlay& span : taken) out.add(span);
  }
  return out;
}

// Of what is read as a whole anyhow there are none, nor where they would cost much of the page.
Result<MaybeBlock> PageWriter::State::sums(const PackedSlabs& packed) {
  if (slabs <= kFewSlabs || packed.totals.cpus().too_many()) return MaybeBlock();
  std::size_t size = 0;
  for (const SlabRow& row : packed.rows) size += row.packed_size;
  KUTRACE_ASSIGN(Deflated block, deflater.deflate(packed.totals.cpus().encode().bytes()));
  if (block.bytes.size() > size / kSlabBytesPerSumsByte) return MaybeBlock();
  return MaybeBlock(std::move(block));
}

Result<MaybeBlock> PageWriter::State::runs(const PackedSlabs& packed) {
  if (slabs <= kFewSlabs || packed.runs.runs().empty()) return MaybeBlock();
  KUTRACE_ASSIGN(Deflated block, deflater.deflate(packed.runs.encoded().bytes()));
  return MaybeBlock(std::move(block));
}

void PageWriter::push(const Span& span) {
  State& s = *state_;
  const ThreadIndex row = s.threads.index(span.pid, span.thread);
  s.spans++;
  s.nest.add(span, row);
  s.objects.add(span);
  if (!is_execution(span.kind)) {
    if (span.kind == SpanKind::kWait) add_time(s.threads.at(row).waiting, span.duration);
    return s.keep_overlay(span, row);
  }
  s.keep_execution(span, row);
}

// Whether the call is the last span and nothing else; that span is told so.
bool PageWriter::State::is_whole(const Call& call, ThreadIndex thread) {
  SlabSpan* piece = slab.only_piece(call);
  if (piece == nullptr) return false;
  const PageKind& kind = kinds.all()[piece->kind];
  if (kind.event != narrow_event(call.event) || kind.name != call.name) return false;
  if (call_owner(*piece) != thread) return false;
  piece->piece = CallPiece::kWhole;
  return true;
}

void PageWriter::call(const Call& call) {
  State& s = *state_;
  s.calls = true;
  const ThreadIndex thread = s.threads.index(call.pid, call.thread);
  const ThreadIndex stack = s.nest.add(call, thread);
  s.files.add(call, thread);
  if (s.is_whole(call, thread)) return;
  Span like;
  like.kind = call.kind;
  like.event = call.event;
  like.name = call.name;
  const KindIndex kind = s.kinds.index(like, thread);
  const NameTable* const names = s.options.names;
  const bool birth =
      call.kind == SpanKind::kSyscall && names != nullptr && reports::is_birth(call, *names);
  const CallPlace place{kind, thread, thread == kIdleThread ? stack : kIdleThread, birth};
  if (!s.slab.add(call, place)) s.long_calls.add(call, place);
  s.flush_full();
}

void PageWriter::life(const ThreadLife& life) { state_->threads.add(life); }

Status PageWriter::State::write_page(Output& output, const Sealed& sealed) const {
  const std::string_view page = page_template();
  const std::size_t title = page.find(kTitleSlot);
  const std::size_t data = page.find(kDataSlot);
  output.text(page.substr(0, title));
  output.text("<title>" + markup_escaped(options.title) + "</title>");
  output.text(page.substr(title + kTitleSlot.size(), data - title - kTitleSlot.size()));
  if (!options.saved.empty()) {
    output.text(fmt::format("{}{}{}\n", kSavedBlock, options.saved, kPageBlockEnd));
  }
  output.block(kHeaderBlock, sealed.header.bytes);
  output.block(kOverviewBlock, sealed.overview.bytes.bytes);
  output.text("<script>kutrace.begin()</script>\n");
  output.block(kLongBlock, sealed.long_overlays.bytes.bytes);
  if (sealed.far) output.block(kFarBlock, sealed.far->bytes.bytes);
  KUTRACE_TRY(sealed.slabs.each([&](std::size_t number, std::string_view block) {
    output.block(fmt::format("{}{}", kSlabBlock, number), block);
  }));
  if (sealed.sums) output.block(kSumsBlock, sealed.sums->bytes.bytes);
  if (sealed.files) output.block(kFilesBlock, sealed.files->bytes.bytes);
  if (sealed.backtraces) output.block(kBacktraceBlock, sealed.backtraces->bytes.bytes);
  if (sealed.runs) output.block(kRunsBlock, sealed.runs->bytes.bytes);
  output.text("<script>kutrace.complete()</script>\n");
  output.text(page.substr(data + kDataSlot.size()));
  return {};
}

Status PageWriter::State::write_container(Output& output, const Sealed& sealed) const {
  output.text(kContainerMagic);
  const std::size_t size = sealed.header.bytes.size();
  for (const std::uint64_t number : {std::uint64_t{kPageFormat}, std::uint64_t{size}}) {
    std::array<std::uint8_t, 4> little_endian{};
    for (std::size_t i = 0; i < little_endian.size(); i++) {
      little_endian[i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    output.bytes(little_endian);
  }
  output.bytes(sealed.header.bytes);
  output.bytes(sealed.overview.bytes.bytes);
  output.bytes(sealed.long_overlays.bytes.bytes);
  if (sealed.far) output.bytes(sealed.far->bytes.bytes);
  KUTRACE_TRY(sealed.slabs.each([&](std::size_t, std::string_view block) { output.text(block); }));
  if (sealed.sums) output.bytes(sealed.sums->bytes.bytes);
  if (sealed.files) output.bytes(sealed.files->bytes.bytes);
  if (sealed.backtraces) output.bytes(sealed.backtraces->bytes.bytes);
  if (sealed.runs) output.bytes(sealed.runs->bytes.bytes);
  return {};
}

Result<PageSummary> PageWriter::write(const TraceInfo& info, const NameTable& names,
                                      const PageOutput& output) {
  State& s = *state_;
  if (s.options.title.empty()) s.options.title = default_title(info);
  s.flush();
  s.slab = Slab();  // its room is wanted for what comes next
  KUTRACE_ASSIGN(PackedSlabs packed, s.packer.finish());
  malloc_trim(0);  // what slabs left behind would stay with the program otherwise
  // One after the other what may take much memory, and beside it what takes little.
  std::future<Result<Block>> far_made;
  if (s.slabs > kFewSlabs) {
    far_made = std::async(std::launch::async, [&s] {
      Slab overlays = s.far_overlays();
      s.far = FarTiers();
      FarCalls none;
      return overlay_block(overlays, none);
    });
  }
  s.long_overlays.add_others_to(packed.totals);
  s.long_calls.add_to(packed.totals);
  s.overview.shrink(std::max<std::size_t>(kFewestBuckets, s.spans / kSpansPerThreadSlice));
  s.cpu_overview.shrink(std::max<std::size_t>(kFewestBuckets, s.spans / kSpansPerBucket));
  KUTRACE_ASSIGN(Deflated overview_bytes,
                 s.deflater.deflate(s.overview.encode(s.cpu_overview, info.end).bytes()));
  const Block overview(std::move(overview_bytes));
  MaybeBlock far;
  if (far_made.valid()) {
    KUTRACE_ASSIGN(far, far_made.get());
  }
  KUTRACE_ASSIGN(const Block long_block, overlay_block(s.long_overlays, s.long_calls));
  KUTRACE_ASSIGN(const MaybeBlock sums, s.sums(packed));
  KUTRACE_ASSIGN(const MaybeBlock files, s.named(s.files, names));
  KUTRACE_ASSIGN(const MaybeBlock backtraces, s.named(s.backtraces, names));
  KUTRACE_ASSIGN(const MaybeBlock runs, s.runs(packed));
  PageParts parts{s.options.title,
                  s.threads,
                  s.overview,
                  s.kinds,
                  packed.totals,
                  s.objects,
                  packed.rows,
                  overview.row,
                  s.cpu_overview.has_ipc(),
                  long_block.row,
                  row_of(far),
                  row_of(sums),
                  row_of(files),
                  row_of(backtraces),
                  row_of(runs),
                  packed.runs.runs(),
                  s.spans,
                  s.calls,
                  s.calls && s.nest.tells()};
  parts.without_births = s.options.names != nullptr;
  const std::string text = page_header(parts, info, names);
  KUTRACE_ASSIGN(
      const Deflated header,
      s.deflater.deflate({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));

  const std::string_view page = page_template();
  const std::size_t title = page.find(kTitleSlot);
  if (title == page.npos || page.find(kDataSlot, title) == page.npos) {
    return fail(internal_error("the embedded viewer page has no slot for data"));
  }
  Output out(output);
  const Sealed sealed{header, overview,   long_block, far,          sums,
                      files,  backtraces, runs,       packed.blocks};
  KUTRACE_TRY(s.options.container ? s.write_container(out, sealed) : s.write_page(out, sealed));
  if (!out.good()) return fail(output_error("the page could not be written"));
  return PageSummary{s.spans, out.size()};
}

}  // namespace kutrace::emit
