// SPDX-License-Identifier: BSD-3-Clause
// Fields put together from fields. In: what the metadata say; out: fields of which there are not
// too many, however the metadata nest and repeat them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "read/ctf/ctf_schema.h"

namespace kutrace::read {

constexpr std::size_t kLongestWord = 40;  // of the metadata's, in a message

// Whether fields can stand at multiples of so many bits.
constexpr bool is_alignment(std::uint64_t bits) {
  constexpr std::uint64_t kMost = 1U << 16;
  return std::has_single_bit(bits) && bits <= kMost;
}

class CtfParts {
 public:
  static constexpr std::uint32_t kMost = 1U << 18;  // in all
  static constexpr unsigned kDeepest = 32;
  static constexpr std::size_t kLongestName = 256;

  // More than that, deeper, or with longer names.
  bool exceeded() const { return exceeded_; }
  // Of a field that is named by an alias, for one use.
  CtfField copy(const CtfField& field);
  void name(CtfField& field, std::string name);
  // Puts it behind what `parent` holds already.
  void add(CtfField& parent, CtfField child);
  // An option of a choice.
  void add_option(CtfField& variant, CtfField option, std::vector<CtfRange> ranges);
  // What stands side by side: `count` of them, or as many as the field at `path` tells.
  CtfField array(CtfField element, std::uint64_t count);
  CtfField sequence(CtfField element, CtfPath path);

 private:
  void spend(std::uint64_t parts);
  CtfField repeated(CtfField element);

  std::uint64_t spent_ = 0;
  bool exceeded_ = false;
};

}  // namespace kutrace::read
