// SPDX-License-Identifier: BSD-3-Clause
// Answers to a question about names, each asked once. In: ids of names; out: the answer for their
// texts. Memory grows with the number of names.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/names.h"

namespace kutrace {

template <typename Answer>
class ByName {
 public:
  using Ask = std::function<Answer(const std::string&)>;

  ByName(const NameTable& names, Ask ask) : names_(names), ask_(std::move(ask)) {}

  // A reference is valid until the next call.
  std::conditional_t<std::is_trivially_copyable_v<Answer>, Answer, const Answer&> of(NameId name) {
    if (name >= known_.size()) known_.resize(name + std::size_t{1});
    std::optional<Answer>& known = known_[name];
    if (!known) known = ask_(names_.text(name));
    return *known;
  }

 private:
  const NameTable& names_;
  Ask ask_;
  std::vector<std::optional<Answer>> known_;
};

}  // namespace kutrace
