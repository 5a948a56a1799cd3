// SPDX-License-Identifier: BSD-3-Clause
// Counting what is put together.
#include "read/ctf/ctf_parts.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace kutrace::read {

void CtfParts::spend(std::uint64_t parts) {
  spent_ += parts;
  exceeded_ = exceeded_ || spent_ > kMost;
}

CtfField CtfParts::copy(const CtfField& field) {
  spend(field.parts);
  return exceeded_ ? CtfField() : field;
}

void CtfParts::name(CtfField& field, std::string name) {
  exceeded_ = exceeded_ || name.size() > kLongestName;
  field.name = std::move(name);
}

void CtfParts::add(CtfField& parent, CtfField child) {
  spend(1);
  const auto depth = static_cast<unsigned>(child.depth) + 1;
  if (depth > kDeepest) exceeded_ = true;
  if (exceeded_) return;
  parent.depth = std::max(parent.depth, static_cast<std::uint8_t>(depth));
  parent.parts += child.parts;
  // What a choice holds is aligned where it is chosen.
  if (parent.kind != CtfField::Kind::kVariant) parent.align = std::max(parent.align, child.align);
  parent.children.push_back(std::move(child));
}

void CtfParts::add_option(CtfField& variant, CtfField option, std::vector<CtfRange> ranges) {
  spend(ranges.size());
  add(variant, std::move(option));
  if (exceeded_) return;
  variant.parts += static_cast<std::uint32_t>(ranges.size());
  variant.ranges.push_back(std::move(ranges));
}

CtfField CtfParts::repeated(CtfField element) {
  CtfField field;
  field.kind = CtfField::Kind::kArray;
  field.name = std::move(element.name);
  field.is_character = element.is_character;
  add(field, std::move(element));
  return field;
}

CtfField CtfParts::array(CtfField element, std::uint64_t count) {
  CtfField field = repeated(std::move(element));
  field.count = count;
  return field;
}

CtfField CtfParts::sequence(CtfField element, CtfPath path) {
  CtfField field = repeated(std::move(element));
  field.kind = CtfField::Kind::kSequence;
  field.path = std::make_shared<const CtfPath>(std::move(path));
  return field;
}

}  // namespace kutrace::read
