// SPDX-License-Identifier: BSD-3-Clause
// Walks through the records of a JSON array that may be damaged or end early. In: a scanner at the
// array's bracket, how a record is read; out: each record that can be used, and what the others
// were. A record that cannot be read costs itself: the next one begins at a bracket that a comma
// precedes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json_scanner.h"

namespace kutrace::read {

enum class RecordShape : std::uint8_t {
  kUsable,
  kOther,   // JSON, but no such record
  kBroken,  // not JSON; the scanner knows what does not fit
};

struct JsonWalk {
  std::uint64_t other = 0;
  std::uint64_t damaged = 0;
  std::size_t first_bad = 0;
  bool cut = false;  // the array does not end
};

// The next place behind `at` where a record may start.
inline std::size_t next_json_record(std::string_view text, char bracket, std::size_t at) {
  for (;;) {
    at = text.find(bracket, at);
    if (at == std::string_view::npos) return text.size();
    const std::size_t before = text.find_last_not_of(" \n\r\t", at - 1);
    if (before != std::string_view::npos && text[before] == ',') return at;
    ++at;
  }
}

// `read(scanner)` says what stood there; `take(from, to)` gets the places of a usable record.
// Records begin with `bracket`.
template <typename Read, typename Take>
JsonWalk walk_json_records(std::string_view text, JsonScanner& scanner, char bracket, Read&& read,
                           Take&& take) {
  JsonWalk walk;
  const auto bad = [&walk](std::uint64_t& count, std::size_t at) {
    if (walk.other + walk.damaged == 0) walk.first_bad = at;
    ++count;
  };
  scanner.take('[');
  bool first = true;
  while (!scanner.take(']')) {
    if (scanner.at_end()) {
      walk.cut = true;
      return walk;
    }
    if (!first && !scanner.take(',') && scanner.peek() != bracket) {
      bad(walk.damaged, scanner.position());
      scanner.move_to(next_json_record(text, bracket, scanner.position() + 1));
      continue;
    }
    first = false;
    if (scanner.peek() == ']') continue;
    const std::size_t at = scanner.position();
    switch (read(scanner)) {
      case RecordShape::kUsable:
        take(at, scanner.position());
        break;
      case RecordShape::kOther:
        bad(walk.other, at);
        break;
      case RecordShape::kBroken:
        scanner.clear_error();
        scanner.move_to(next_json_record(text, bracket, at + 1));
        first = true;
        if (scanner.at_end()) {
          walk.cut = true;
          return walk;
        }
        bad(walk.damaged, at);
        break;
    }
  }
  return walk;
}

}  // namespace kutrace::read
