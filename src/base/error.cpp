// SPDX-License-Identifier: BSD-3-Clause
// Building errors and turning them into the lines a person reads.
#include "base/error.h"

#include <fmt/format.h>

#include <system_error>

#include "base/text.h"

namespace kutrace {

namespace {

Error make(ErrorKind kind, std::string sentence) {
  Error error;
  error.kind = kind;
  error.sentence = std::move(sentence);
  return error;
}

std::string place(const Error& error) {
  std::string inside;
  if (error.block) inside = fmt::format("block {}", *error.block);
  if (error.cpu) inside += fmt::format("{}CPU {}", inside.empty() ? "" : ", ", *error.cpu);
  if (!error.byte) return inside;
  return inside.empty() ? fmt::format("byte {}", *error.byte)
                        : fmt::format("byte {} ({})", *error.byte, inside);
}

}  // namespace

Error usage_error(std::string sentence) { return make(ErrorKind::kUsage, std::move(sentence)); }
Error input_error(std::string sentence) { return make(ErrorKind::kInput, std::move(sentence)); }
Error host_error(std::string sentence) { return make(ErrorKind::kHost, std::move(sentence)); }
Error output_error(std::string sentence) { return make(ErrorKind::kOutput, std::move(sentence)); }
Error internal_error(std::string sentence) {
  return make(ErrorKind::kInternal, std::move(sentence));
}

std::string errno_text(int number) { return std::generic_category().message(number); }

// Names of files and of what is in them are anybody's: no byte of them moves a terminal's cursor.
std::string describe(const Error& error) {
  std::string text;
  if (!error.file.empty()) text += printable(error.file) + ": ";
  if (const std::string where = place(error); !where.empty()) text += where + ": ";
  text += printable(error.sentence);
  for (const std::string& cause : error.causes) text += "\n  because: " + printable(cause);
  if (!error.hint.empty()) text += "\n  hint: " + printable(error.hint);
  return text;
}

}  // namespace kutrace
