// SPDX-License-Identifier: BSD-3-Clause
// gzip and zstd inputs: whole, in several parts, cut, hostile.
#include <zlib.h>
#include <zstd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "base/compressed.h"

namespace kutrace::test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(const std::string& text) {
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

Bytes gzip(std::string text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  Bytes out(deflateBound(&stream, text.size()) + 64);
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Bytes zstd(const std::string& text) {
  Bytes out(ZSTD_compressBound(text.size()));
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i * 7'919) + "\n";
  return text;
}

TEST_CASE("packed bytes come out as they went in, in one part or several") {
  const std::string text = numbers(200'000);
  for (const auto pack : {+[](const std::string& t) { return gzip(t); },
                          +[](const std::string& t) { return zstd(t); }}) {
    Bytes packed = pack(text);
    const Bytes second = pack("end");
    packed.insert(packed.end(), second.begin(), second.end());
    const auto unpacked = unpack(MappedFile::from_bytes(packed, "x"));
    REQUIRE(unpacked);
    CHECK_FALSE(unpacked->cut);
    CHECK(text_of(unpacked->file) == text + "end");
  }
}

TEST_CASE("other bytes pass through") {
  const auto same = unpack(MappedFile::from_bytes(bytes_of("plain"), "x"));
  REQUIRE(same);
  CHECK(text_of(same->file) == "plain");
}

TEST_CASE("packed bytes that end early give what came before, and say so") {
  const std::string text = numbers(200'000);
  for (Bytes packed : {gzip(text), zstd(text)}) {
    packed.resize(packed.size() / 2);
    const auto unpacked = unpack(MappedFile::from_bytes(packed, "x"));
    REQUIRE(unpacked);
    CHECK(unpacked->cut);
    CHECK(!unpacked->file.bytes().empty());
    CHECK(text.starts_with(text_of(unpacked->file)));
  }
}

TEST_CASE("bombs and rubbish behind the magic number are refused") {
  const std::string zeros(8'000'000, '\0');
  for (const Bytes& bomb : {gzip(zeros), zstd(zeros)}) {
    const auto refused = unpack(MappedFile::from_bytes(bomb, "x"), 1'000'000);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().sentence.find("unpack to more than") != std::string::npos);
  }
  const auto rubbish = unpack(MappedFile::from_bytes(bytes_of("\x1f\x8b\x08rubbish"), "x"));
  REQUIRE_FALSE(rubbish);
  CHECK(rubbish.error().sentence == "cannot be unpacked");
}

}  // namespace
}  // namespace kutrace::test
