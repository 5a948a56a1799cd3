// SPDX-License-Identifier: BSD-3-Clause
// Texts in a block of the page. In: texts; out: how many, a column of the length of each in bytes,
// and one of all their bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "emit/page/column.h"

namespace kutrace::emit {

inline void put_texts(Column& out, const std::vector<std::string_view>& texts) {
  Column lengths, bytes;
  for (const std::string_view text : texts) {
    lengths.put(text.size());
    for (const char c : text) bytes.put_byte(static_cast<std::uint8_t>(c));
  }
  out.put(texts.size());
  for (const Column* column : {&lengths, &bytes}) out.put_column(*column);
}

}  // namespace kutrace::emit
