// SPDX-License-Identifier: BSD-3-Clause
// How forms that are text begin.
#include "read/form/trace_form.h"

#include <algorithm>

namespace kutrace::read {

namespace {

constexpr std::size_t kLookAt = 64;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_text_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

std::string_view as_text(const MappedFile& file) {
  const auto bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

bool begins_as_text(std::string_view bytes) {
  const std::string_view front = bytes.substr(0, kLookAt);
  return !front.empty() && std::ranges::all_of(front, is_text_byte);
}

char first_of_text(std::string_view bytes) {
  if (!begins_as_text(bytes)) return 0;
  const std::string_view text = without_mark(bytes);
  const std::size_t at = text.find_first_not_of(" \n\r\t");
  return at == text.npos ? '\0' : text[at];
}

}  // namespace kutrace::read
