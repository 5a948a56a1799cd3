// SPDX-License-Identifier: BSD-3-Clause
// The words of TSDL, the language of CTF 1.8's metadata. In: text; out: one word after the other,
// without blanks and comments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kutrace::read {

struct TsdlWord {
  enum class Kind : std::uint8_t { kEnd, kName, kNumber, kText, kSign };

  Kind kind = Kind::kEnd;
  std::string_view text;  // of a text what stands between its quotes
  std::uint64_t number = 0;
};

class TsdlWords {
 public:
  explicit TsdlWords(std::string_view text) : text_(text) { next(); }

  const TsdlWord& operator*() const { return word_; }
  const TsdlWord* operator->() const { return &word_; }
  void next();
  std::size_t line() const;

 private:
  void skip();
  void take(TsdlWord::Kind kind, std::size_t length);
  void take_number();
  void take_text();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  // of the word
  TsdlWord word_;
};

}  // namespace kutrace::read
