// SPDX-License-Identifier: BSD-3-Clause
// Packets to text, text to a schema.
#include "read/ctf/ctf_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "read/ctf/bit_reader.h"
#include "read/ctf/ctf2.h"
#include "read/ctf/ctf_binding.h"
#include "read/ctf/tsdl.h"
#include "read/form/trace_form.h"

namespace kutrace::read {

namespace {

constexpr std::string_view kPlain = "/* CTF 1.";
constexpr std::string_view kPreamble = "\"preamble\"";
constexpr std::size_t kPreambleWithin = 4096;  // bytes
constexpr std::uint64_t kMetadataMagic = 0x75d11d57;

// Offsets in bytes of a packet's header, as CTF 1.8 has them:
//   0 magic, 4 uuid, 20 checksum, 24 bits of content, 28 bits of packet, 32 packing, 33 cipher,
//   34 kind of checksum, 35 version, 36 its second part, 37 text
constexpr std::size_t kContentAt = 24;
constexpr std::size_t kPacketAt = 28;
constexpr std::size_t kPackingAt = 32;
constexpr std::size_t kCipherAt = 33;
constexpr std::size_t kTextAt = 37;
constexpr unsigned kWordBits = 32;

std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t at, bool is_big) {
  return bits_at(bytes, at * kByteBits, kWordBits, is_big);
}

// Whether the magic is that of big-endian packets; nothing: it is none.
std::optional<bool> order_of(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(std::uint32_t)) return std::nullopt;
  if (word_at(bytes, 0, false) == kMetadataMagic) return false;
  if (word_at(bytes, 0, true) == kMetadataMagic) return true;
  return std::nullopt;
}

Error bad_packet(std::size_t at, std::string_view why) {
  return input_error(fmt::format("its metadata cannot be read: {}", why)).with_byte(at);
}

Result<std::string> text_of_packets(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto rest = bytes.subspan(at);
    const std::optional<bool> order = order_of(rest);
    if (!order) return fail(bad_packet(at, "a packet does not begin as one"));
    if (rest.size() < kTextAt) return fail(bad_packet(at, "a packet is cut"));
    const std::uint64_t content = word_at(rest, kContentAt, *order) / kByteBits;
    const std::uint64_t whole = word_at(rest, kPacketAt, *order) / kByteBits;
    if (rest[kPackingAt] != std::byte{0} || rest[kCipherAt] != std::byte{0})
      return fail(bad_packet(at, "a packet is packed or enciphered"));
    if (content < kTextAt || content > whole)
      return fail(bad_packet(at, "a packet tells a size that cannot be"));
    if (whole > rest.size()) return fail(bad_packet(at, "a packet is cut"));
    text.append(reinterpret_cast<const char*>(rest.data()) + kTextAt, content - kTextAt);
    at += whole;
  }
  return text;
}

Result<CtfSchema> parse(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin != text.npos && text[begin] == kRecordSeparator) return parse_ctf2(text);
  return parse_tsdl(text);
}

}  // namespace

bool is_ctf_metadata(std::string_view bytes) {
  if (bytes.starts_with(kPlain)) return true;
  if (bytes.starts_with(kRecordSeparator))
    return bytes.substr(0, kPreambleWithin).contains(kPreamble);
  return order_of({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}).has_value();
}

Result<CtfSchema> read_ctf_metadata(const MappedFile& file) {
  std::string unpacked;
  std::string_view text = as_text(file);
  if (order_of(file.bytes())) {
    KUTRACE_ASSIGN(unpacked, text_of_packets(file.bytes()));
    text = unpacked;
  }
  KUTRACE_ASSIGN(CtfSchema schema, parse(text));
  KUTRACE_TRY(bind_fields(schema));
  return schema;
}

}  // namespace kutrace::read
