// SPDX-License-Identifier: BSD-3-Clause
// Text of forms of which each span has a line: pieces are gathered until there is much of them, as
// handing over each costs more than writing it. In: texts and numbers; out: bytes, to a callback.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "emit/stream/export_sink.h"

namespace kutrace::emit {

class TextBuffer {
 public:
  explicit TextBuffer(TakeBytes take) : take_(std::move(take)), bytes_(kMost) {}

  TextBuffer& text(std::string_view text) {
    if (text.size() > kMost - used_) hand_over();
    if (text.size() > kMost) {
      take_(text);
      return *this;
    }
    std::memcpy(bytes_.data() + used_, text.data(), text.size());
    used_ += text.size();
    return *this;
  }
  TextBuffer& byte(char byte) { return text({&byte, 1}); }
  template <typename Number>
  TextBuffer& number(Number value) {
    if (kMost - used_ < kDigits) hand_over();
    char* const at = bytes_.data() + used_;
    used_ += static_cast<std::size_t>(std::to_chars(at, at + kDigits, value).ptr - at);
    return *this;
  }
  // "12.345": nanoseconds as microseconds.
  TextBuffer& microseconds(Ns time) {
    if (time < 0) byte('-');
    const auto size =
        time < 0 ? 0 - static_cast<std::uint64_t>(time) : static_cast<std::uint64_t>(time);
    number(size / 1000);
    const auto rest = static_cast<unsigned>(size % 1000);
    const char places[] = {'.', static_cast<char>('0' + rest / 100),
                           static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
    return text({places, sizeof places});
  }
  // What is left, at the end.
  void hand_over() {
    if (used_ != 0) take_({bytes_.data(), used_});
    used_ = 0;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 18;
  static constexpr std::size_t kDigits = 24;

  TakeBytes take_;
  std::vector<char> bytes_;
  std::size_t used_ = 0;
};

}  // namespace kutrace::emit
