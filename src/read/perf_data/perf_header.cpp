// SPDX-License-Identifier: BSD-3-Clause
// Attrs, features, places.
#include "read/perf_data/perf_header.h"

#include <algorithm>
#include <utility>

#include "read/import/byte_cursor.h"
#include "read/import/tracing_data.h"

namespace kutrace::read {

namespace {

constexpr std::string_view kMagic = "PERFILE2";
constexpr std::string_view kTracingMagic = "\x17\x08\x44tracing";
constexpr std::uint64_t kStreamHeader = 16;
constexpr std::size_t kPlaceBytes = 16;
constexpr unsigned kFeatureBits = 256;
constexpr std::size_t kMostAttrs = 1U << 16;

enum Feature : unsigned {
  kTracingData = 1,
  kHostName = 3,
  kRelease = 4,
  kVersion = 5,
  kMachine = 6,
  kCpuCount = 7,
  kCpuModel = 8,
  kCommandLine = 11,
  kClockData = 29,
};

// u32 length, then text that NULs fill up.
std::string text_in(ByteCursor& at) {
  const std::string_view text = at.text(at.u32());
  return std::string(text.substr(0, text.find('\0')));
}

}  // namespace

void PerfHeader::add_attr(std::span<const std::byte> attr, std::span<const std::byte> ids) {
  const auto parsed = parse_perf_attr(attr);
  if (!parsed || attrs.size() >= kMostAttrs) return;
  attrs.push_back(*parsed);
  for (ByteCursor at(ids); at.left() >= sizeof(std::uint64_t);)
    attr_of_id[at.u64()] = attrs.size() - 1;
}

bool PerfHeader::add_tracing_data(std::span<const std::byte> bytes) {
  ByteCursor at(bytes);
  if (at.text(kTracingMagic.size()) != kTracingMagic) return false;
  at.text_to_nul();  // version
  at.u8();           // byte order, size of a long, of a page
  at.u8();
  at.u32();
  return read_tracing_data(at, events);
}

void PerfHeader::add_feature(unsigned number, std::span<const std::byte> bytes) {
  ByteCursor at(bytes);
  switch (number) {
    case kTracingData:
      add_tracing_data(bytes);
      break;
    case kHostName:
      host = text_in(at);
      break;
    case kRelease:
      release = text_in(at);
      break;
    case kVersion:
      version = text_in(at);
      break;
    case kMachine:
      machine = text_in(at);
      break;
    case kCpuCount:
      at.u32();
      cpus_online = at.u32();
      break;
    case kCpuModel:
      cpu_model = text_in(at);
      break;
    case kCommandLine:
      for (std::uint32_t left = at.u32(); left > 0 && !at.failed(); --left)
        command_line += (command_line.empty() ? "" : " ") + text_in(at);
      break;
    case kClockData:
      at.u32();  // version
      clock = {at.u32(), at.u64(), at.u64()};
      break;
    default:
      break;
  }
}

bool is_perf_data(std::string_view bytes) { return bytes.starts_with(kMagic); }

namespace {

class HeaderReader {
 public:
  explicit HeaderReader(const MappedFile& file) : file_(file), at_(file.bytes()) {}

  Result<PerfHeader> read() {
    at_.take(kMagic.size());
    const std::uint64_t size = at_.u64();
    if (size == kStreamHeader) {
      header_.records = file_.bytes().subspan(at_.at());
      header_.records_at = at_.at();
      return std::move(header_);
    }
    const std::uint64_t attr_bytes = at_.u64();
    const auto attrs = place();
    const std::size_t records_place = at_.at();
    header_.records = place();
    place();  // event types, of old
    std::vector<std::uint8_t> bits(kFeatureBits / 8);
    for (std::uint8_t& byte : bits) byte = at_.u8();
    if (at_.failed() || attr_bytes < kSmallestPerfAttr + kPlaceBytes)
      return fail(damaged("its header is cut or has impossible sizes"));
    header_.records_at = static_cast<std::size_t>(header_.records.data() - file_.bytes().data());
    read_attrs(attrs, attr_bytes);
    ByteCursor records(file_.bytes());
    records.seek(records_place);
    const std::uint64_t begin = records.u64();
    read_features(bits, begin + records.u64());
    return std::move(header_);
  }

 private:
  Error damaged(std::string sentence) const {
    return input_error("is a damaged perf.data: " + std::move(sentence))
        .with_file(file_.name())
        .with_byte(at_.at())
        .with_hint("if perf script can read it, this is a defect of kutrace");
  }

  // u64 offset, u64 size: what of it is in the file.
  std::span<const std::byte> place() { return place(at_); }
  std::span<const std::byte> place(ByteCursor& at) {
    const std::uint64_t offset = at.u64();
    const std::uint64_t size = at.u64();
    const auto all = file_.bytes();
    if (offset >= all.size()) {
      header_.cut = header_.cut || size != 0;
      return all.first(0);
    }
    const std::uint64_t there = std::min(size, all.size() - offset);
    header_.cut = header_.cut || there < size;
    return all.subspan(offset, there);
  }

  void read_attrs(std::span<const std::byte> attrs, std::uint64_t each) {
    ByteCursor at(attrs);
    // Ids of each stand at places of their own.
    for (std::size_t left = file_.bytes().size(); at.left() >= each;) {
      const auto attr = at.take(each - kPlaceBytes);
      const auto ids = place(at);
      const auto believed = ids.first(std::min(ids.size(), left));
      left -= believed.size();
      header_.add_attr(attr, believed);
    }
  }

  void read_features(std::span<const std::uint8_t> bits, std::uint64_t table) {
    ByteCursor at(file_.bytes());
    at.seek(table);
    for (unsigned feature = 0; feature < kFeatureBits && !at.failed(); ++feature) {
      if ((bits[feature / 8] >> (feature % 8) & 1) == 0) continue;
      const auto bytes = place(at);
      if (!at.failed()) header_.add_feature(feature, bytes);
    }
  }

  const MappedFile& file_;
  ByteCursor at_;
  PerfHeader header_;
};

}  // namespace

Result<PerfHeader> read_perf_header(const MappedFile& file) { return HeaderReader(file).read(); }

}  // namespace kutrace::read
