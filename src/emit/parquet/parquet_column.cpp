// SPDX-License-Identifier: BSD-3-Clause
// Pages of columns, by the names of parquet.thrift.
#include "emit/parquet/parquet_column.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/text.h"
#include "emit/parquet/thrift.h"
#include "emit/stream/binary.h"

namespace kutrace::emit {

namespace {

constexpr int kLevel = 3;
constexpr std::size_t kLongestBound = 64;  // of texts: longer ones are not told
enum PageType : std::int32_t { kDataPage = 0, kDictionaryPage = 2 };
enum Encoding : std::int32_t { kPlain = 0, kRle = 3, kRleDictionary = 8 };
enum PhysicalType : std::int32_t { kTypeInt32 = 1, kTypeInt64 = 2, kTypeByteArray = 6 };
enum ConvertedType : std::int32_t { kUtf8 = 0, kTimestampMicros = 10 };
constexpr std::int32_t kZstd = 6;

// Numbers of some bits each, as one run that is packed in groups of eight.
template <typename Get>
void add_packed(std::string& bytes, std::size_t count, unsigned width, const Get& get) {
  const std::size_t groups = (count + 7) / 8;
  append_varint(bytes, groups << 1 | 1);
  std::uint64_t open = 0;
  unsigned bits = 0;
  for (std::size_t i = 0; i < groups * 8; ++i) {
    open |= (i < count ? std::uint64_t{get(i)} : 0) << bits;
    for (bits += width; bits >= 8; bits -= 8, open >>= 8) bytes += static_cast<char>(open);
  }
}

PhysicalType physical(ParquetColumn::Type type) {
  if (type == ParquetColumn::Type::kText) return kTypeByteArray;
  return type == ParquetColumn::Type::kInt32 ? kTypeInt32 : kTypeInt64;
}

}  // namespace

void ParquetColumn::add_text(std::uint64_t key, std::string_view text) {
  const auto [at, is_new] = places_.emplace(key, static_cast<std::int64_t>(dictionary_.size()));
  if (is_new) dictionary_.push_back(printable(text));
  add(at->second);
}

std::string ParquetColumn::bound(std::int64_t value) const {
  std::string bytes;
  append_little_endian(bytes, static_cast<std::uint64_t>(value), type_ == Type::kInt32 ? 4 : 8);
  return bytes;
}

void ParquetColumn::note_bounds() {
  if (is_text() || values_.empty()) return;
  const auto [least, most] = std::ranges::minmax(values_);
  least_ = std::min(least_.value_or(least), least);
  most_ = std::max(most_.value_or(most), most);
}

void ParquetColumn::note_text_bounds() {
  if (dictionary_.empty()) return;
  const auto [least, most] = std::ranges::minmax(dictionary_);
  if (std::max(least.size(), most.size()) > kLongestBound) return;
  growing_.least = least;
  growing_.most = most;
}

std::string ParquetColumn::page_body() const {
  std::string body;
  if (optional_) {
    std::string levels;
    add_packed(levels, present_.size(), 1, [this](std::size_t i) { return present_[i] ? 1U : 0U; });
    append_little_endian(body, levels.size(), 4);
    body += levels;
  }
  if (is_text()) {
    const auto width =
        static_cast<unsigned>(std::bit_width(std::max<std::size_t>(dictionary_.size(), 2) - 1));
    body += static_cast<char>(width);
    add_packed(body, values_.size(), width,
               [this](std::size_t i) { return static_cast<std::uint32_t>(values_[i]); });
    return body;
  }
  const unsigned size = type_ == Type::kInt32 ? 4 : 8;
  body.reserve(body.size() + values_.size() * size);
  for (const std::int64_t value : values_)
    append_little_endian(body, static_cast<std::uint64_t>(value), size);
  return body;
}

Status ParquetColumn::add_page(const std::string& body, std::uint64_t values, bool dictionary,
                               std::string& pages) {
  std::string packed(ZSTD_compressBound(body.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), body.data(), body.size(), kLevel);
  if (ZSTD_isError(size) != 0) return fail(internal_error("zstd refused a page"));
  packed.resize(size);
  Thrift header;
  header.i32(1, dictionary ? kDictionaryPage : kDataPage);
  header.i32(2, static_cast<std::int32_t>(body.size()));
  header.i32(3, static_cast<std::int32_t>(packed.size()));
  header.begin(dictionary ? 7 : 5);
  header.i32(1, static_cast<std::int32_t>(values));
  header.i32(2, is_text() && !dictionary ? kRleDictionary : kPlain);
  if (!dictionary) {
    header.i32(3, kRle);
    header.i32(4, kRle);
  }
  header.end();
  header.end();
  growing_.unpacked += header.bytes().size() + body.size();
  growing_.packed += header.bytes().size() + packed.size();
  pages += header.bytes();
  pages += packed;
  return {};
}

Status ParquetColumn::end_page() {
  if (rows_ == 0) return {};
  note_bounds();
  KUTRACE_TRY(add_page(page_body(), rows_, false, pages_));
  growing_.values += rows_;
  growing_.missing += rows_ - values_.size();
  values_.clear();
  present_.clear();
  rows_ = 0;
  return {};
}

Result<std::string> ParquetColumn::end_group(std::uint64_t offset) {
  KUTRACE_TRY(end_page());
  std::string bytes;
  if (is_text()) {
    std::string body;
    for (const std::string& text : dictionary_) {
      append_little_endian(body, text.size(), 4);
      body += text;
    }
    KUTRACE_TRY(add_page(body, dictionary_.size(), true, bytes));
    note_text_bounds();
  } else if (least_) {
    growing_.least = bound(*least_);
    growing_.most = bound(*most_);
  }
  growing_.offset = offset;
  growing_.data_offset = offset + bytes.size();
  bytes += std::exchange(pages_, {});
  chunk_ = std::exchange(growing_, {});
  places_.clear();
  dictionary_.clear();
  least_.reset();
  most_.reset();
  return bytes;
}

void ParquetColumn::describe_schema(Thrift& schema) const {
  schema.begin_element();
  schema.i32(1, physical(type_));
  schema.i32(3, optional_ ? 1 : 0);
  schema.text(4, name_);
  if (is_text()) {
    schema.i32(6, kUtf8);
    schema.begin(10);
    schema.begin(1);
    schema.end();
    schema.end();
  } else if (type_ == Type::kMicroseconds) {
    schema.i32(6, kTimestampMicros);
    schema.begin(10);
    schema.begin(8);
    schema.boolean(1, true);
    schema.begin(2);
    schema.begin(2);
    schema.end();
    schema.end();
    schema.end();
    schema.end();
  }
  schema.end();
}

void ParquetColumn::describe_chunk(Thrift& group) const {
  group.begin_element();
  group.i64(2, static_cast<std::int64_t>(chunk_.offset));
  group.begin(3);
  group.i32(1, physical(type_));
  const bool dictionary = is_text();
  group.list(2, Thrift::Type::kI32, dictionary ? 3 : 2);
  group.element_i32(kPlain);
  group.element_i32(kRle);
  if (dictionary) group.element_i32(kRleDictionary);
  group.list(3, Thrift::Type::kBinary, 1);
  group.element_text(name_);
  group.i32(4, kZstd);
  group.i64(5, static_cast<std::int64_t>(chunk_.values));
  group.i64(6, static_cast<std::int64_t>(chunk_.unpacked));
  group.i64(7, static_cast<std::int64_t>(chunk_.packed));
  group.i64(9, static_cast<std::int64_t>(chunk_.data_offset));
  if (dictionary) group.i64(11, static_cast<std::int64_t>(chunk_.offset));
  group.begin(12);
  group.i64(3, static_cast<std::int64_t>(chunk_.missing));
  if (!chunk_.least.empty()) {
    group.text(5, chunk_.most);
    group.text(6, chunk_.least);
  }
  group.end();
  group.end();
  group.end();
}

}  // namespace kutrace::emit
