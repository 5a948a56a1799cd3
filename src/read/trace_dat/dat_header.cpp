// SPDX-License-Identifier: BSD-3-Clause
// Parts, sections and options.
#include "read/trace_dat/dat_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/most_cpus.h"
#include "base/number_text.h"
#include "base/text.h"
#include "read/import/tracing_data.h"
#include "read/trace_dat/packed_piece.h"

namespace kutrace::read {

namespace {

constexpr std::string_view kMagic = "\x17\x08\x44tracing";
constexpr unsigned kInOrder = 6;
constexpr unsigned kInSections = 7;
constexpr std::uint32_t kMostPage = 1U << 24;
constexpr unsigned kMostOptionLists = 64;  // a chain of them may lead in a circle
constexpr std::uint16_t kPacked = 1;       // flag of a section
constexpr std::size_t kTagBytes = 10;
constexpr const char* kRecordEvents = "trace-cmd record -e sched -e raw_syscalls records some";

enum Option : std::uint16_t {
  kDone = 0,
  kBuffer = 3,
  kClock = 4,
  kUname = 5,
  kVersion = 9,
  kCycles = 14,
  kFtraceEvents = 17,
  kEventFormats = 18,
  kLastNames = 21,
};

class HeaderReader {
 public:
  HeaderReader(const MappedFile& file, std::uint64_t most)
      : file_(file), room_(most), at_(file.bytes()) {}

  Result<DatHeader> read() {
    at_.take(kMagic.size());
    const auto version = parse_number<unsigned>(at_.text_to_nul());
    if (version != kInOrder && version != kInSections) {
      return fail(refused(fmt::format("is a trace.dat of version {}", version.value_or(0)),
                          "versions 6 and 7 can be read; trace-cmd convert makes one of them"));
    }
    if (at_.u8() != 0)
      return fail(
          refused("is a trace.dat of a big-endian machine", "only little-endian ones can be read"));
    header_.long_bytes = at_.u8();
    header_.page_bytes = at_.u32();
    const bool is_sane = (header_.long_bytes == 4 || header_.long_bytes == 8) &&
                         header_.page_bytes >= 64 && header_.page_bytes <= kMostPage;
    if (at_.failed() || !is_sane) return fail(damaged("its sizes are impossible"));
    KUTRACE_TRY(version == kInOrder ? read_in_order() : read_sections());
    if (header_.cpus.empty()) return fail(refused("holds no events of any CPU", kRecordEvents));
    if (events_bytes_ > file_.bytes().size())
      return fail(damaged("events of several CPUs are at one place"));
    return std::move(header_);
  }

 private:
  Error refused(std::string sentence, std::string hint) const {
    return input_error(std::move(sentence)).with_file(file_.name()).with_hint(std::move(hint));
  }
  Error damaged(std::string sentence) const {
    return input_error("is a damaged trace.dat: " + std::move(sentence))
        .with_file(file_.name())
        .with_byte(at_.at())
        .with_hint("if trace-cmd report can read it, this is a defect of kutrace");
  }

  // ---- version 6 ----

  Status read_in_order() {
    if (!read_tracing_data(at_, header_.events))
      return fail(damaged("its formats of events cannot be read"));
    header_.last_names = at_.text(at_.u64());
    const std::uint32_t cpus = at_.u32();
    std::string_view tag = tag_text();
    if (tag.starts_with("options")) {
      while (!at_.failed() && read_option(at_, kInOrder)) {
      }
      tag = tag_text();
    }
    if (tag.starts_with("latency")) {
      return fail(refused("holds the text of a latency tracer, no events", kRecordEvents));
    }
    if (at_.failed() || !tag.starts_with("flyrecord") || cpus > kMostCpus)
      return fail(damaged("the place of the events is missing"));
    for (CpuId cpu = 0; cpu < cpus && !at_.failed(); ++cpu) {
      const std::uint64_t place = at_.u64();
      add_cpu(cpu, place, at_.u64());
    }
    return at_.failed() ? fail(damaged("the places of the CPUs' events are cut")) : Status();
  }

  std::string_view tag_text() {
    const std::string_view tag = at_.text(kTagBytes);
    return tag.substr(0, tag.find_first_of(std::string_view(" \0", 2)));
  }

  // What the file holds of them.
  void add_cpu(CpuId cpu, std::uint64_t place, std::uint64_t size) {
    const auto all = file_.bytes();
    const std::uint64_t there = place < all.size() ? all.size() - place : 0;
    header_.cut = header_.cut || size > there;
    size = std::min(size, there);
    events_bytes_ += size;
    header_.cpus.push_back(
        {cpu, size == 0 ? std::span<const std::byte>() : all.subspan(place, size)});
  }

  // ---- version 7 ----

  Status read_sections() {
    const std::string packing(at_.text_to_nul());
    at_.text_to_nul();
    if (packing != "none" && packing != "zstd") {
      return fail(refused(fmt::format("is packed with {}", printable(packing)),
                          "trace-cmd convert --compression zstd packs it anew"));
    }
    std::uint64_t options = at_.u64();
    for (unsigned lists = 0; options != 0 && lists < kMostOptionLists; ++lists) {
      const auto bytes = section(options);
      if (!bytes) return fail(damaged("its options cannot be read"));
      ByteCursor at(bytes->bytes());
      next_options_ = 0;
      while (!at.failed() && read_option(at, kInSections)) {
      }
      options = next_options_;
    }
    return {};
  }

  // The contents of the section that stands at this place.
  std::optional<MappedFile> section(std::uint64_t place) {
    ByteCursor at(file_.bytes());
    at.seek(place);
    at.u16();
    const std::uint16_t flags = at.u16();
    at.u32();
    const std::uint64_t size = at.u64();
    if ((flags & kPacked) != 0) return unpack_piece(at, room_);
    const auto bytes = at.take(size);
    if (at.failed() || size > room_) return std::nullopt;
    room_ -= size;
    return MappedFile::from_bytes({bytes.begin(), bytes.end()}, file_.name());
  }

  // One buffer is read: the first that holds events, which is the main one if it has any.
  void read_buffer(ByteCursor& at) {
    const std::uint64_t place = at.u64();
    at.text_to_nul();
    const std::string clock(at.text_to_nul());
    const std::uint32_t page_bytes = at.u32();
    const std::uint32_t cpus = at.u32();
    std::vector<std::array<std::uint64_t, 3>> places;
    bool holds_events = false;
    for (std::uint32_t i = 0; i < cpus && i < kMostCpus && !at.failed(); ++i) {
      const std::uint64_t cpu = at.u32();
      const std::uint64_t offset = at.u64();
      places.push_back({cpu, offset, at.u64()});
      holds_events = holds_events || places.back()[2] != 0;
    }
    if (at.failed() || !holds_events) return;
    if (!header_.cpus.empty()) {
      ++header_.other_recordings;
      return;
    }
    if (page_bytes >= 64 && page_bytes <= kMostPage) header_.page_bytes = page_bytes;
    header_.clock = clock;
    ByteCursor head(file_.bytes());
    head.seek(place);
    head.u16();
    header_.packed = (head.u16() & kPacked) != 0;
    for (const auto& [cpu, offset, size] : places) {
      // The number of chunks in front is not counted.
      const std::uint64_t uncounted = header_.packed && size != 0 ? sizeof(std::uint32_t) : 0;
      if (cpu < kMostCpus) add_cpu(static_cast<CpuId>(cpu), offset, size + uncounted);
    }
  }

  // ---- options of both ----

  void take_formats(std::uint64_t place, bool of_ftrace) {
    const auto bytes = section(place);
    if (!bytes) return;
    ByteCursor at(bytes->bytes());
    of_ftrace ? read_formats(at, header_.events) : read_systems(at, header_.events);
  }

  void take_last_names(std::uint64_t place) {
    const auto bytes = section(place);
    if (!bytes) return;
    ByteCursor at(bytes->bytes());
    header_.last_names = at.text(at.u64());
  }

  // Of "[local] global counter" the one in brackets.
  static std::string chosen_clock(std::string_view text) {
    const std::size_t open = text.find('[');
    const std::size_t close = text.find(']', open);
    if (open == text.npos || close == text.npos) return {};
    return std::string(text.substr(open + 1, close - open - 1));
  }

  // Whether another one follows.
  bool read_option(ByteCursor& at, unsigned version) {
    const std::uint16_t id = at.u16();
    if (version == kInOrder && id == kDone) return false;
    const std::string_view text = at.text(at.u32());
    ByteCursor value({reinterpret_cast<const std::byte*>(text.data()), text.size()});
    if (at.failed()) return false;
    switch (id) {
      case kDone:
        next_options_ = value.u64();
        return false;
      case kClock:
        if (header_.clock.empty()) header_.clock = chosen_clock(text);
        break;
      case kUname:
        header_.uname = text.substr(0, text.find('\0'));
        break;
      case kVersion:
        header_.recorder = text.substr(0, text.find('\0'));
        break;
      case kCycles:
        header_.cycles = {value.u32(), value.u32(), value.u64()};
        break;
      default:
        if (version == kInSections) read_place(id, value);
        if (version == kInOrder && id == kBuffer) ++header_.other_recordings;
        break;
    }
    return true;
  }

  void read_place(std::uint16_t id, ByteCursor& value) {
    if (id == kBuffer) {
      read_buffer(value);
    } else if (id == kFtraceEvents || id == kEventFormats) {
      take_formats(value.u64(), id == kFtraceEvents);
    } else if (id == kLastNames) {
      take_last_names(value.u64());
    }
  }

  const MappedFile& file_;
  std::uint64_t room_;  // for sections
  std::uint64_t events_bytes_ = 0;
  ByteCursor at_;
  DatHeader header_;
  std::uint64_t next_options_ = 0;
};

}  // namespace

bool is_trace_dat(std::string_view bytes) { return bytes.starts_with(kMagic); }

Result<DatHeader> read_dat_header(const MappedFile& file, std::uint64_t most) {
  return HeaderReader(file, most).read();
}

}  // namespace kutrace::read
