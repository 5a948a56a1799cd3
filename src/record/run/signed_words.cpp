// SPDX-License-Identifier: BSD-3-Clause
// Their signs, and their times.
#include "record/run/signed_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>
#include <string_view>

#include "base/text.h"

namespace kutrace::record {

Result<SignedWords> parse_signed_words(const std::vector<std::string>& words, const std::string& of,
                                       const std::string& example) {
  SignedWords parsed;
  for (const std::string& word : words) {
    const char sign = word.size() < 2 ? ' ' : word.front();
    if (sign != '+' && sign != '-')
      return fail(usage_error(fmt::format("'{}' is neither +{} nor -{}", printable(word), of, of))
                      .with_hint(example));
    for (const auto part : std::views::split(std::string_view(word).substr(1), ','))
      (sign == '+' ? parsed.added : parsed.removed).emplace_back(std::string_view(part));
  }
  return parsed;
}

void WordLog::add_to(NameEntries& names, fact::Key<fact::Text> key, Ticks zero,
                     TickRate rate) const {
  for (const Change& change : changes_)
    if (change.at > zero)
      names.add(key, fmt::format("{} {}", static_cast<Ns>(rate.ns(change.at - zero)),
                                 fmt::join(change.words, " ")));
}

}  // namespace kutrace::record
