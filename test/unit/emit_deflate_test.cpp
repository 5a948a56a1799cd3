// SPDX-License-Identifier: BSD-3-Clause
// What both compressors wrote is read back by another library, whatever bytes there were.
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "base/inflate.h"
#include "emit/page/deflate.h"

namespace kutrace {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Nothing if zlib does not take `packed` as whole, or sees more than `size` bytes.
std::optional<Bytes> unpacked(Bytes packed, std::size_t size) {
  Bytes raw(size + 1);
  z_stream stream{};
  constexpr int kRaw = -15;
  if (inflateInit2(&stream, kRaw) != Z_OK) return std::nullopt;
  stream.next_in = packed.data();
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = raw.data();
  stream.avail_out = static_cast<uInt>(raw.size());
  const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0;
  raw.resize(stream.total_out);
  inflateEnd(&stream);
  if (!whole) return std::nullopt;
  return raw;
}

template <typename Deflater>
bool comes_back(Deflater& deflater, const Bytes& raw) {
  const Result<emit::Deflated> packed = deflater.deflate(raw);
  return packed && packed->raw_size == raw.size() && packed->crc == checksum(raw) &&
         unpacked(packed->bytes, raw.size()) == raw;
}

constexpr unsigned kSorts = 5;

Bytes made(std::size_t size, unsigned sort, std::mt19937_64& random) {
  const unsigned values = 1 + static_cast<unsigned>(random() % 256);
  Bytes raw(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto any = static_cast<std::uint8_t>(random());
    switch (sort) {
      case 0:  // anything
        raw[i] = any;
        break;
      case 1:  // few values
        raw[i] = static_cast<std::uint8_t>(any % values);
        break;
      case 2:  // mostly zeros
        raw[i] = random() % 100 == 0 ? any : 0;
        break;
      case 3:  // long runs
        raw[i] = i > 0 && random() % 2000 != 0 ? raw[i - 1] : any;
        break;
      default:  // frequencies that ask for long codes
        raw[i] = static_cast<std::uint8_t>(std::countr_zero(random() | 1ull << 40));
    }
  }
  return raw;
}

TEMPLATE_TEST_CASE("what was deflated comes back", "", emit::QuickDeflater, emit::Deflater) {
  std::mt19937_64 random(7);
  TestType deflater;
  for (std::size_t size = 0; size < 1000; ++size) {
    const auto sort = static_cast<unsigned>(size % kSorts);
    INFO("size " << size << ", sort " << sort);
    CHECK(comes_back(deflater, made(size, sort, random)));
  }
  for (unsigned i = 0; i < 200; ++i) {
    const Bytes raw = made(random() % 300'000, i % kSorts, random);
    INFO("size " << raw.size() << ", sort " << i % kSorts);
    CHECK(comes_back(deflater, raw));
  }
}

TEST_CASE("what was cut comes back as a whole and in pieces") {
  std::mt19937_64 random(9);
  emit::QuickDeflater deflater;
  Inflater inflater;
  for (unsigned i = 0; i < 200; ++i) {
    const Bytes raw = made(random() % 200'000, i % kSorts, random);
    std::vector<std::size_t> cuts(random() % 6);
    for (std::size_t& cut : cuts) cut = random() % (raw.size() + 1);
    std::ranges::sort(cuts);
    INFO("size " << raw.size() << ", sort " << i % kSorts << ", cuts " << cuts.size());
    const Result<emit::Deflated> packed = deflater.deflate(raw, cuts);
    REQUIRE(packed);
    CHECK(unpacked(packed->bytes, raw.size()) == raw);
    REQUIRE(packed->pieces.size() == (cuts.empty() ? 0 : cuts.size() + 1));
    Bytes joined;
    std::span<const std::uint8_t> left(packed->bytes);
    for (std::size_t k = 0; k < packed->pieces.size(); ++k) {
      const emit::DeflatedSize& size = packed->pieces[k];
      const auto piece = k == cuts.size() ? inflater.inflate(left, size.raw, size.crc, {})
                                          : inflater.inflate_blocks(left.first(size.packed),
                                                                    size.raw, size.crc, {});
      REQUIRE(piece);
      CHECK_FALSE(inflater.inflate_blocks(left.first(size.packed), size.raw, size.crc + 1, {}));
      joined.insert(joined.end(), piece->begin(), piece->end());
      left = left.subspan(size.packed);
    }
    CHECK(left.size() == (cuts.empty() ? packed->bytes.size() : 0));
    if (!cuts.empty()) CHECK(joined == raw);
  }
}

TEMPLATE_TEST_CASE("bytes that say little become few", "", emit::QuickDeflater, emit::Deflater) {
  std::mt19937_64 random(8);
  TestType deflater;
  const auto size = [&](unsigned sort) {
    return deflater.deflate(made(100'000, sort, random))->bytes.size();
  };
  CHECK(size(3) < 2000);
  CHECK(size(2) < 8000);
  CHECK(size(4) < 36'000);
  CHECK(size(0) < 100'200);
}

}  // namespace
}  // namespace kutrace
