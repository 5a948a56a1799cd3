// SPDX-License-Identifier: BSD-3-Clause
// The formats are those of draft-ietf-opsawg-pcap and -pcapng.
#include "align/capture_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

namespace kutrace::align {

namespace {

constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4;
constexpr std::uint32_t kNanoseconds = 0xa1b23c4d;
constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a;
constexpr std::uint32_t kByteOrder = 0x1a2b3c4d;
constexpr std::uint32_t kInterface = 1;
constexpr std::uint32_t kOldPacket = 2;  // obsolete, and still in files
constexpr std::uint32_t kSimplePacket = 3;
constexpr std::uint32_t kEnhancedPacket = 6;
constexpr std::uint16_t kResolutionOption = 9;
constexpr std::uint16_t kOffsetOption = 14;
constexpr std::size_t kFileHeader = 24;
constexpr std::size_t kRecordHeader = 16;
constexpr std::size_t kBlockHeader = 8;
constexpr std::size_t kLeastBlock = 12;
constexpr std::size_t kPacketFields = 20;
constexpr std::uint32_t kMostFrame = 1u << 24;  // no device has larger ones
constexpr std::int64_t kSecondOfNs = 1'000'000'000;
constexpr std::int64_t kLatestSecond = 6'000'000'000;  // so that differences in nanoseconds fit
constexpr unsigned kMostDecimals = 18;
constexpr unsigned kMostBinaries = 62;

using Bytes = std::span<const std::byte>;

// Numbers in the order of the machine that wrote them.
class Numbers {
 public:
  explicit Numbers(bool swapped) : swapped_(swapped) {}

  template <typename Number>
  Number at(Bytes bytes, std::size_t offset) const {
    Number number{};
    std::memcpy(&number, bytes.data() + offset, sizeof number);
    return swapped_ ? std::byteswap(number) : number;
  }
  std::uint32_t u32(Bytes bytes, std::size_t offset) const {
    return at<std::uint32_t>(bytes, offset);
  }
  std::uint16_t u16(Bytes bytes, std::size_t offset) const {
    return at<std::uint16_t>(bytes, offset);
  }

 private:
  bool swapped_;
};

std::optional<std::uint32_t> first_word(Bytes bytes) {
  if (bytes.size() < sizeof(std::uint32_t)) return std::nullopt;
  return Numbers(false).u32(bytes, 0);
}

bool is_pcap(std::uint32_t magic) {
  return magic == kMicroseconds || magic == kNanoseconds || magic == std::byteswap(kMicroseconds) ||
         magic == std::byteswap(kNanoseconds);
}

using Take = std::function<void(const CapturedFrame&)>;

CaptureSummary read_pcap(Bytes bytes, const Take& take) {
  CaptureSummary summary;
  const std::uint32_t magic = *first_word(bytes);
  const bool swapped = magic != kMicroseconds && magic != kNanoseconds;
  const Numbers numbers(swapped);
  const std::int64_t unit = numbers.u32(bytes, 0) == kNanoseconds ? 1 : 1000;
  // The upper bits say how long checksums of frames are.
  const auto link = static_cast<LinkType>(numbers.u32(bytes, 20) & 0xffff);
  Bytes rest = bytes.subspan(kFileHeader);
  while (rest.size() >= kRecordHeader) {
    const std::uint32_t kept = numbers.u32(rest, 8);
    const std::int64_t fraction = std::int64_t{numbers.u32(rest, 4)} * unit;
    // A record has no mark of its own, so nothing behind a damaged one can be found again.
    if (kept > kMostFrame || fraction >= kSecondOfNs || kept > rest.size() - kRecordHeader) break;
    const Ns wall = std::int64_t{numbers.u32(rest, 0)} * kSecondOfNs + fraction;
    take({wall, link, rest.subspan(kRecordHeader, kept), numbers.u32(rest, 12)});
    summary.frames++;
    rest = rest.subspan(kRecordHeader + kept);
  }
  summary.damaged = rest.size();
  return summary;
}

// What a section says of one of its devices.
struct Interface {
  LinkType link = LinkType::kEthernet;
  bool is_binary = false;  // units are 2^-n s, not 10^-n s
  unsigned exponent = 6;
  std::int64_t offset = 0;      // s, to be added
  std::uint32_t most_kept = 0;  // bytes of a packet; 0: all

  std::optional<Ns> wall(std::uint64_t stamp) const {
    const std::uint64_t per_second = is_binary ? std::uint64_t{1} << exponent : power(exponent);
    if (stamp / per_second > kLatestSecond || offset > kLatestSecond || offset < -kLatestSecond)
      return std::nullopt;
    const std::int64_t seconds = static_cast<std::int64_t>(stamp / per_second) + offset;
    if (seconds > kLatestSecond || seconds < 0) return std::nullopt;
    const long double part = static_cast<long double>(stamp % per_second) /
                             static_cast<long double>(per_second) * kSecondOfNs;
    return seconds * kSecondOfNs + static_cast<Ns>(part);
  }

 private:
  static std::uint64_t power(unsigned exponent) {
    std::uint64_t value = 1;
    while (exponent-- > 0) value *= 10;
    return value;
  }
};

class Sections {
 public:
  Sections(Bytes bytes, const Take& take) : rest_(bytes), take_(take) {}

  CaptureSummary read() {
    while (rest_.size() >= kLeastBlock && read_block()) {
    }
    summary_.damaged += rest_.size();
    return summary_;
  }

 private:
  bool read_block() {
    // The mark reads the same in both orders of bytes; the order of a section is known behind it.
    const bool begins_section = *first_word(rest_) == kSectionHeader;
    if (begins_section && !begin_section()) return false;
    const std::uint32_t length = numbers_.u32(rest_, 4);
    // Lengths lead from block to block, so a wrong one ends the reading.
    if (length < kLeastBlock || length % 4 != 0 || length > rest_.size()) return false;
    const Bytes body = rest_.subspan(kBlockHeader, length - kLeastBlock);
    const std::uint32_t type = numbers_.u32(rest_, 0);
    if (type == kInterface) interfaces_.push_back(interface_of(body));
    const bool is_packet = type == kEnhancedPacket || type == kOldPacket;
    if ((is_packet && !take_packet(body, type)) ||
        (type == kSimplePacket && !take_simple_packet(body)))
      summary_.damaged += length;
    rest_ = rest_.subspan(length);
    return true;
  }

  bool begin_section() {
    const std::uint32_t order = Numbers(false).u32(rest_, kBlockHeader);
    if (order != kByteOrder && order != std::byteswap(kByteOrder)) return false;
    numbers_ = Numbers(order != kByteOrder);
    // Numbers of devices count within a section.
    interfaces_.clear();
    return true;
  }

  Interface interface_of(Bytes body) const {
    Interface one;
    if (body.size() < kBlockHeader) return one;
    one.link = static_cast<LinkType>(numbers_.u16(body, 0));
    one.most_kept = numbers_.u32(body, 4);
    for (Bytes options = body.subspan(kBlockHeader); options.size() >= 4;) {
      const std::uint16_t code = numbers_.u16(options, 0);
      const std::size_t length = numbers_.u16(options, 2);
      const std::size_t padded = 4 + (length + 3) / 4 * 4;
      if (code == 0 || padded > options.size()) break;
      if (code == kResolutionOption && length >= 1) set_resolution(one, options[4]);
      if (code == kOffsetOption && length >= sizeof(std::int64_t))
        one.offset = numbers_.at<std::int64_t>(options, 4);
      options = options.subspan(padded);
    }
    return one;
  }

  static void set_resolution(Interface& one, std::byte value) {
    one.is_binary = (value & std::byte{0x80}) != std::byte{0};
    const auto exponent = std::to_integer<unsigned>(value & std::byte{0x7f});
    if (exponent <= (one.is_binary ? kMostBinaries : kMostDecimals)) one.exponent = exponent;
  }

  bool take_packet(Bytes body, std::uint32_t type) {
    if (body.size() < kPacketFields) return false;
    // Behind the shorter number stands how many packets were lost.
    const std::uint32_t which = type == kOldPacket ? numbers_.u16(body, 0) : numbers_.u32(body, 0);
    const std::uint64_t stamp = std::uint64_t{numbers_.u32(body, 4)} << 32 | numbers_.u32(body, 8);
    const std::uint32_t kept = numbers_.u32(body, 12);
    if (which >= interfaces_.size() || kept > body.size() - kPacketFields) return false;
    const Interface& one = interfaces_[which];
    const std::optional<Ns> wall = one.wall(stamp);
    if (!wall) return false;
    take_({wall, one.link, body.subspan(kPacketFields, kept), numbers_.u32(body, 16)});
    summary_.frames++;
    return true;
  }

  // Of the first device, cut off where its packets are.
  bool take_simple_packet(Bytes body) {
    constexpr std::size_t kFields = 4;
    if (body.size() < kFields || interfaces_.empty()) return false;
    const Interface& one = interfaces_.front();
    const std::uint32_t length = numbers_.u32(body, 0);
    const std::uint32_t kept = one.most_kept == 0 ? length : std::min(length, one.most_kept);
    if (kept > body.size() - kFields) return false;
    take_({std::nullopt, one.link, body.subspan(kFields, kept), length});
    summary_.frames++;
    return true;
  }

  Bytes rest_;
  const Take& take_;
  Numbers numbers_{false};
  std::vector<Interface> interfaces_;
  CaptureSummary summary_;
};

}  // namespace

bool is_capture(Bytes bytes) {
  const auto magic = first_word(bytes);
  return magic && ((is_pcap(*magic) && bytes.size() >= kFileHeader) ||
                   (*magic == kSectionHeader && bytes.size() >= kLeastBlock));
}

Result<CaptureSummary> read_capture(Bytes bytes, const Take& frame) {
  if (!is_capture(bytes))
    return fail(
        input_error("is neither pcap nor pcapng").with_hint("capture with tcpdump -w FILE"));
  return *first_word(bytes) == kSectionHeader ? Sections(bytes, frame).read()
                                              : read_pcap(bytes, frame);
}

}  // namespace kutrace::align
