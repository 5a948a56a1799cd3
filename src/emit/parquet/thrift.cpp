// SPDX-License-Identifier: BSD-3-Clause
// Thrift's compact protocol.
#include "emit/parquet/thrift.h"

namespace kutrace::emit {

void Thrift::field(int number, Type type) {
  const int step = number - last_.back();
  last_.back() = number;
  const auto kind = static_cast<unsigned>(type);
  if (step >= 1 && step <= 15) {
    bytes_ += static_cast<char>(static_cast<unsigned>(step) << 4 | kind);
  } else {
    bytes_ += static_cast<char>(kind);
    zigzag(number);
  }
}

void Thrift::i32(int number, std::int32_t value) {
  field(number, Type::kI32);
  zigzag(value);
}

void Thrift::i64(int number, std::int64_t value) {
  field(number, Type::kI64);
  zigzag(value);
}

void Thrift::text(int number, std::string_view value) {
  field(number, Type::kBinary);
  element_text(value);
}

void Thrift::element_text(std::string_view value) {
  varint(value.size());
  bytes_ += value;
}

void Thrift::list(int number, Type elements, std::size_t count) {
  constexpr std::size_t kShortest = 15;
  field(number, Type::kList);
  const auto kind = static_cast<unsigned>(elements);
  if (count < kShortest) {
    bytes_ += static_cast<char>(count << 4 | kind);
  } else {
    bytes_ += static_cast<char>(kShortest << 4 | kind);
    varint(count);
  }
}

void Thrift::begin(int number) {
  field(number, Type::kStruct);
  last_.push_back(0);
}

void Thrift::end() {
  bytes_ += '\0';
  last_.pop_back();
}

}  // namespace kutrace::emit
