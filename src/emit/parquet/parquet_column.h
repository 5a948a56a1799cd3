// SPDX-License-Identifier: BSD-3-Clause
// One column of a Parquet file. In: values; out: pages, each packed with zstd, and what the footer
// says of them. Numbers are PLAIN; texts stand in a dictionary of the row group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace kutrace::emit {

class Thrift;

class ParquetColumn {
 public:
  enum class Type : std::uint8_t { kInt32, kInt64, kMicroseconds, kText };

  // `optional`: values may be missing.
  ParquetColumn(const char* name, Type type, bool optional = false)
      : name_(name), type_(type), optional_(optional) {}

  void add(std::int64_t value) {
    if (optional_) present_.push_back(true);
    values_.push_back(value);
    ++rows_;
  }
  // Of an optional column.
  void add_if(bool is_there, std::int64_t value) {
    if (is_there) return add(value);
    present_.push_back(false);
    ++rows_;
  }
  // `key` stands for the text, and always for the same. What is no text in it becomes \xHH.
  void add_text(std::uint64_t key, std::string_view text);

  // Ends a page: what was added since the page before.
  Status end_page();
  // Bytes of the row group, dictionary first, which begins at `offset` of the file; forgets them.
  Result<std::string> end_group(std::uint64_t offset);

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

  Status add_page(const std::string& body, std::uint64_t values, bool dictionary,
                  std::string& pages);
  std::string page_body() const;
  void note_bounds();
  void note_text_bounds();
  std::string bound(std::int64_t value) const;
  bool is_text() const { return type_ == Type::kText; }

  const char* name_;
  Type type_;
  bool optional_;
  // Of the page: numbers, or places in the dictionary.
  std::vector<std::int64_t> values_;
  std::vector<bool> present_;
  std::uint64_t rows_ = 0;
  // Of the row group.
  std::string pages_;
  std::unordered_map<std::uint64_t, std::int64_t> places_;
  std::vector<std::string> dictionary_;
  std::optional<std::int64_t> least_;
  std::optional<std::int64_t> most_;
  Chunk growing_;
  Chunk chunk_;
};

}  // namespace kutrace::emit
