// SPDX-License-Identifier: BSD-3-Clause
// Lines "address type name [module]", sorted and searched.
#include "format/kallsyms.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace kutrace {

namespace {

constexpr std::uint64_t kLongestLast = 4096;  // what the last symbol may cover
constexpr int kNoCode = 9;

int rank_of(char type) {
  switch (type) {
    case 'T':
      return 0;
    case 't':
      return 1;
    case 'W':
      return 2;
    case 'w':
      return 3;
    default:
      return kNoCode;
  }
}

}  // namespace

Kallsyms::Kallsyms(std::string text) : text_(std::move(text)) {
  for (std::string_view rest = text_; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    Symbol symbol;
    const char* end = line.data() + line.size();
    const auto parsed = std::from_chars(line.data(), end, symbol.address, 16);
    const bool shaped = parsed.ec == std::errc() && end - parsed.ptr > 3 && parsed.ptr[0] == ' ' &&
                        parsed.ptr[2] == ' ';
    if (!shaped || symbol.address == 0) continue;
    symbol.rank = rank_of(parsed.ptr[1]);
    symbol.name = {parsed.ptr + 3, end};
    symbols_.push_back(symbol);
  }
  std::stable_sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    return std::tie(a.address, a.rank) < std::tie(b.address, b.rank);
  });
  const auto same = [](const Symbol& a, const Symbol& b) { return a.address == b.address; };
  symbols_.erase(std::unique(symbols_.begin(), symbols_.end(), same), symbols_.end());
}

std::optional<KernelFunction> Kallsyms::find(std::uint64_t pc) const {
  const auto next = std::upper_bound(
      symbols_.begin(), symbols_.end(), pc,
      [](std::uint64_t address, const Symbol& symbol) { return address < symbol.address; });
  if (next == symbols_.begin()) return std::nullopt;
  const Symbol& symbol = *std::prev(next);
  const std::uint64_t end = next == symbols_.end() ? symbol.address + kLongestLast : next->address;
  if (symbol.rank == kNoCode || pc >= end) return std::nullopt;
  std::string name(symbol.name);
  std::replace(name.begin(), name.end(), '\t', ' ');
  return KernelFunction{symbol.address, end, std::move(name)};
}

}  // namespace kutrace
