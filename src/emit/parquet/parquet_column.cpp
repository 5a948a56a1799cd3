// SPDX-License-Identifier: BSD-3-Clause
// Pages of columns, by the names of parquet.thrift.
#include "emit/parquet/parquet_column.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "emit/parquet/page_packer.h"
#include "emit/parquet/thrift.h"
#include "emit/stream/binary.h"

namespace kutrace::emit {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they stand");
constexpr std::size_t kLongestBound = 64;  // of texts: longer ones are not told
enum PageType : std::int32_t { kDataPage = 0, kDictionaryPage = 2 };
enum Encoding : std::int32_t { kPlain = 0, kRle = 3, kRleDictionary = 8 };
enum PhysicalType : std::int32_t { kTypeInt32 = 1, kTypeInt64 = 2, kTypeByteArray = 6 };
enum ConvertedType : std::int32_t { kUtf8 = 0, kTimestampMicros = 10 };
constexpr std::int32_t kZstd = 6;

// Numbers of some bits each, at most 32, as one run that is packed in groups of eight.
template <typename Number>
void add_packed(std::string& bytes, const std::vector<Number>& numbers, unsigned width) {
  const std::size_t groups = (numbers.size() + 7) / 8;
  append_varint(bytes, groups << 1 | 1);
  const std::size_t begin = bytes.size();
  const std::size_t size = groups * width;
  bytes.resize(begin + size + sizeof(std::uint64_t));  // as many are written at a time
  char* at = bytes.data() + begin;
  std::uint64_t open = 0;
  unsigned bits = 0;
  for (const Number number : numbers) {
    open |= static_cast<std::uint64_t>(number) << bits;
    bits += width;
    if (bits < 32) continue;
    std::memcpy(at, &open, sizeof open);
    at += 4;
    open >>= 32;
    bits -= 32;
  }
  std::memcpy(at, &open, sizeof open);
  bytes.resize(begin + size);
}

template <typename Number>
void add_plain(std::string& bytes, const std::vector<std::int64_t>& values) {
  const std::size_t begin = bytes.size();
  bytes.resize(begin + values.size() * sizeof(Number));
  char* at = bytes.data() + begin;
  for (const std::int64_t value : values) {
    const auto number = static_cast<Number>(value);
    std::memcpy(at, &number, sizeof number);
    at += sizeof number;
  }
}

void add_numbers(std::string& bytes, const std::vector<std::int64_t>& values,
                 ParquetColumn::Type type) {
  if (type == ParquetColumn::Type::kInt32) {
    add_plain<std::int32_t>(bytes, values);
  } else {
    add_plain<std::int64_t>(bytes, values);
  }
}

PhysicalType physical(ParquetColumn::Type type) {
  if (type == ParquetColumn::Type::kText) return kTypeByteArray;
  return type == ParquetColumn::Type::kInt32 ? kTypeInt32 : kTypeInt64;
}

}  // namespace

void ParquetColumn::add_text(std::uint64_t key, std::string_view text) {
  const auto [number, is_new] = places_.find_or_add(key);
  if (is_new) texts_.push_back(printable(text));
  put(number);
}

std::string ParquetColumn::bound(std::int64_t value) const {
  std::string bytes;
  append_little_endian(bytes, static_cast<std::uint64_t>(value), type_ == Type::kInt32 ? 4 : 8);
  return bytes;
}

void ParquetColumn::note_bounds(const std::vector<std::int64_t>& values) {
  if (values.empty()) return;
  std::int64_t least = least_.value_or(values.front());
  std::int64_t most = most_.value_or(values.front());
  for (const std::int64_t value : values) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  least_ = least;
  most_ = most;
}

void ParquetColumn::note_text_bounds() {
  if (texts_.empty()) return;
  const auto [least, most] = std::ranges::minmax(texts_);
  if (std::max(least.size(), most.size()) > kLongestBound) return;
  growing_.least = least;
  growing_.most = most;
}

void ParquetColumn::write_body(std::string& body) const {
  body.clear();
  if (optional_) {
    body.resize(4);
    add_packed(body, present_, 1);
    const auto size = static_cast<std::uint32_t>(body.size() - 4);
    std::memcpy(body.data(), &size, sizeof size);
  }
  if (has_dictionary_) {
    const auto width =
        static_cast<unsigned>(std::bit_width(std::max<std::size_t>(dictionary_size(), 2) - 1));
    body += static_cast<char>(width);
    add_packed(body, values_, width);
  } else {
    add_numbers(body, values_, type_);
  }
}

void ParquetColumn::write_dictionary(std::string& body) const {
  body.clear();
  if (!is_text()) return add_numbers(body, numbers_, type_);
  for (const std::string& text : texts_) {
    append_little_endian(body, text.size(), 4);
    body += text;
  }
}

// The body is the packer's.
Status ParquetColumn::add_page(PagePacker& packer, std::uint64_t values, bool dictionary,
                               std::string& pages) {
  const std::string& body = packer.body();
  KUTRACE_ASSIGN(const std::string_view packed, packer.pack(body));
  Thrift header;
  header.i32(1, dictionary ? kDictionaryPage : kDataPage);
  header.i32(2, static_cast<std::int32_t>(body.size()));
  header.i32(3, static_cast<std::int32_t>(packed.size()));
  header.begin(dictionary ? 7 : 5);
  header.i32(1, static_cast<std::int32_t>(values));
  header.i32(2, has_dictionary_ && !dictionary ? kRleDictionary : kPlain);
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

Status ParquetColumn::end_page(PagePacker& packer) {
  if (rows_ == 0) return {};
  if (!has_dictionary_) note_bounds(values_);
  write_body(packer.body());
  KUTRACE_TRY(add_page(packer, rows_, false, pages_));
  growing_.values += rows_;
  growing_.missing += rows_ - values_.size();
  values_.clear();
  present_.clear();
  rows_ = 0;
  return {};
}

Result<std::string> ParquetColumn::end_group(std::uint64_t offset, PagePacker& packer) {
  KUTRACE_TRY(end_page(packer));
  std::string bytes;
  if (has_dictionary_) {
    write_dictionary(packer.body());
    KUTRACE_TRY(add_page(packer, dictionary_size(), true, bytes));
    note_bounds(numbers_);
    note_text_bounds();
  }
  if (least_) {
    growing_.least = bound(*least_);
    growing_.most = bound(*most_);
  }
  growing_.offset = offset;
  growing_.data_offset = offset + bytes.size();
  bytes += std::exchange(pages_, {});
  chunk_ = std::exchange(growing_, {});
  places_ = {};
  texts_.clear();
  numbers_.clear();
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
  group.list(2, Thrift::Type::kI32, has_dictionary_ ? 3 : 2);
  group.element_i32(kPlain);
  group.element_i32(kRle);
  if (has_dictionary_) group.element_i32(kRleDictionary);
  group.list(3, Thrift::Type::kBinary, 1);
  group.element_text(name_);
  group.i32(4, kZstd);
  group.i64(5, static_cast<std::int64_t>(chunk_.values));
  group.i64(6, static_cast<std::int64_t>(chunk_.unpacked));
  group.i64(7, static_cast<std::int64_t>(chunk_.packed));
  group.i64(9, static_cast<std::int64_t>(chunk_.data_offset));
  if (has_dictionary_) group.i64(11, static_cast<std::int64_t>(chunk_.offset));
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
