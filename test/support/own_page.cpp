// SPDX-License-Identifier: BSD-3-Clause
// Pages to bytes, and their headers changed.
#include "support/own_page.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/inflate.h"
#include "emit/page/deflate.h"
#include "format/page_format.h"

namespace kutrace::test {

namespace {

constexpr std::size_t kSizeAt = 12;  // in a container

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::size_t header_size(const std::string& container) {
  std::size_t size = 0;
  for (std::size_t i = 4; i-- > 0;) {
    size = size << 8 | static_cast<unsigned char>(container[kSizeAt + i]);
  }
  return size;
}

}  // namespace

std::string finished_page(emit::PageWriter& page, const TraceInfo& info, const NameTable& names) {
  std::string text;
  const Result<emit::PageSummary> done = page.write(info, names, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  if (!done) std::abort();
  if (text.starts_with(kContainerMagic)) return text;
  return "<html>" + text.substr(text.find(kPageBlock));
}

std::string header_of(const std::string& container) {
  constexpr std::size_t kMost = std::size_t{1} << 24;
  const std::string packed = container.substr(kContainerHead, header_size(container));
  const auto text = Inflater().inflate_text(bytes_of(packed), kMost);
  if (!text) std::abort();
  return text->substr(0, text->rfind(fmt::format(",\"{}\":", kHeaderChecksum)));
}

std::string with_header(const std::string& container, const std::string& header) {
  const std::string text = fmt::format("{},\"{}\":{}}}", header, kHeaderChecksum, checksum(header));
  const auto packed = emit::Deflater().deflate(bytes_of(text));
  if (!packed) std::abort();
  std::string out = container.substr(0, kSizeAt);
  for (std::size_t i = 0; i < 4; ++i) out += static_cast<char>(packed->bytes.size() >> (8 * i));
  out.append(packed->bytes.begin(), packed->bytes.end());
  return out + container.substr(kContainerHead + header_size(container));
}

}  // namespace kutrace::test
