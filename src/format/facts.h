// SPDX-License-Identifier: BSD-3-Clause
// What is known of a trace beside its events: facts, key=value, with the keys and types of
// format/facts.def. In: texts as files hold them, or values of a fact's type; out: values, or
// nothing where a text is no value of that type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/units.h"
#include "format/tick_rate.h"

namespace kutrace {

namespace fact {

using Text = std::string;
using Count = std::uint64_t;
using Real = double;
using Rate = TickRate;
using Cpus = std::vector<CpuId>;
using Switch = bool;
using Words = std::vector<std::string>;

template <typename Value>
struct Key {
  const char* text;
};

#define KUTRACE_FACT(id, key, type, sentence) inline constexpr Key<type> k##id{key};
#define KUTRACE_FACT_FAMILY(id, prefix, sentence) inline constexpr std::string_view k##id = prefix;
#include "format/facts.def"

std::string to_text(const Text& value);
std::string to_text(Count value);
std::string to_text(Real value);
std::string to_text(const Rate& value);
std::string to_text(const Cpus& value);
std::string to_text(Switch value);
std::string to_text(const Words& value);

bool parse(const std::string& text, Text& value);
bool parse(const std::string& text, Count& value);
bool parse(const std::string& text, Real& value);
bool parse(const std::string& text, Rate& value);
bool parse(const std::string& text, Cpus& value);
bool parse(const std::string& text, Switch& value);
bool parse(const std::string& text, Words& value);

}  // namespace fact

class Facts {
 public:
  using Fact = std::pair<std::string, std::string>;  // key, value

  template <typename Value>
  void add(fact::Key<Value> key, const std::type_identity_t<Value>& value) {
    add(key.text, fact::to_text(value));
  }
  // As a file says it, or of a family. Keys may repeat.
  void add(std::string key, std::string value) {
    all_.emplace_back(std::move(key), std::move(value));
  }
  // Of the first fact with this key.
  template <typename Value>
  std::optional<Value> get(fact::Key<Value> key) const {
    const std::string* const text = find(key.text);
    Value value{};
    if (text == nullptr || !fact::parse(*text, value)) return std::nullopt;
    return value;
  }
  template <typename Value>
  bool has(fact::Key<Value> key) const {
    return find(key.text) != nullptr;
  }
  // All with this key.
  template <typename Value>
  void erase(fact::Key<Value> key) {
    std::erase_if(all_, [key](const Fact& fact) { return fact.first == key.text; });
  }
  // As a file says it; null: there is none.
  const std::string* find(std::string_view key) const;

  // In the order in which they were added.
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  bool empty() const { return all_.empty(); }

 private:
  std::vector<Fact> all_;
};

}  // namespace kutrace
