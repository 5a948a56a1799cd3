// SPDX-License-Identifier: BSD-3-Clause
// One column of a Parquet file. In: values; out: pages, each packed with zstd, and their
// description for the footer. Numbers are PLAIN; texts, and numbers that repeat, stand in a
// dictionary of the row group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/recent_index.h"
#include "base/result.h"

namespace kutrace::emit {

class PagePacker;
class Thrift;

class ParquetColumn {
 public:
  enum class Type : std::uint8_t { kInt32, kInt64, kMicroseconds, kText };

  enum class Numbers : std::uint8_t { kAny, kRepeat };

  // `optional`: values may be missing. `numbers`: whether there are few different ones.
  ParquetColumn(const char* name, Type type, bool optional = false, Numbers numbers = Numbers::kAny)
      : name_(name),
        type_(type),
        optional_(optional),
        repeats_(numbers == Numbers::kRepeat),
        has_dictionary_(repeats_ || type == Type::kText) {}

  void add(std::int64_t value) { put(repeats_ ? place_of(value) : value); }
  // Of an optional column.
  void add_if(bool is_there, std::int64_t value) {
    if (is_there) return add(value);
    present_.push_back(0);
    ++rows_;
  }
  // `key` stands for the text, and always for the same. What is no text in it becomes \xHH.
  void add_text(std::uint64_t key, std::string_view text);

  // Ends a page: what was added since the page before.
  Status end_page(PagePacker& packer);
  // Bytes of the row group, dictionary first, which begins at `offset` of the file; forgets them.
  Result<std::string> end_group(std::uint64_t offset, PagePacker& packer);

  void describe_schema(Thrift& schema) const;
  // ColumnChunk of the row group that was ended last.
  void describe_chunk(Thrift& group) const;
  std::uint64_t unpacked_bytes() const { return chunk_.unpacked; }
  std::uint64_t packed_bytes() const { return chunk_.packed; }

 private:
  struct Chunk {
    std::uint64_t offset = 0;
    std::uint64_t data_offset = 0;
    std::uint64_t unpacked = 0;
    std::uint64_t packed = 0;
    std::uint64_t values = 0;
    std::uint64_t missing = 0;
    std::string least;  // as the footer has it; empty: not told
    std::string most;
  };

  struct Hash {
    std::size_t operator()(std::uint64_t key) const {
      return static_cast<std::size_t>((key * 0x9e37'79b9'7f4a'7c15ull) >> 32);
    }
  };

  void put(std::int64_t value) {
    if (optional_) present_.push_back(1);
    values_.push_back(value);
    ++rows_;
  }
  std::int64_t place_of(std::int64_t value) {
    const auto [number, is_new] = places_.find_or_add(static_cast<std::uint64_t>(value));
    if (is_new) numbers_.push_back(value);
    return number;
  }
  std::size_t dictionary_size() const { return is_text() ? texts_.size() : numbers_.size(); }
  void write_dictionary(std::string& body) const;
  Status add_page(PagePacker& packer, std::uint64_t values, bool dictionary, std::string& pages);
  void write_body(std::string& body) const;
  void note_bounds(const std::vector<std::int64_t>& values);
  void note_text_bounds();
  std::string bound(std::int64_t value) const;
  bool is_text() const { return type_ == Type::kText; }

  const char* name_;
  Type type_;
  bool optional_;
  bool repeats_;
  bool has_dictionary_;
  // Of the page: numbers, or places in the dictionary.
  std::vector<std::int64_t> values_;
  std::vector<std::uint8_t> present_;  // 0 or 1 a row, of an optional column
  std::uint64_t rows_ = 0;
  // Of the row group.
  std::string pages_;
  RecentIndex<std::uint64_t, Hash, 256> places_;
  std::vector<std::string> texts_;  // of the dictionary
  std::vector<std::int64_t> numbers_;
  std::optional<std::int64_t> least_;
  std::optional<std::int64_t> most_;
  Chunk growing_;
  Chunk chunk_;
};

}  // namespace kutrace::emit
