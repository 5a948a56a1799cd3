// SPDX-License-Identifier: BSD-3-Clause
// Words with keys.
#include "format/machine_fact.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number_list.h"
#include "base/number_text.h"

namespace kutrace {

namespace {

constexpr std::string_view kNoHost = "-";

// The word that stands at the begin of the text, which then begins behind it; nothing: another key.
std::optional<std::string_view> take(std::string_view key, std::string_view& text) {
  if (!text.starts_with(key)) return std::nullopt;
  text.remove_prefix(key.size());
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

std::string to_text(const MachineFact& machine) {
  return fmt::format("host={} cpus={} threads_from={} begin_ns={} {}",
                     machine.host.empty() ? kNoHost : machine.host, fact::to_text(machine.cpus),
                     machine.first_thread, machine.begin, machine.clock);
}

std::optional<MachineFact> parse_machine(std::string_view text) {
  const auto host = take("host=", text);
  const auto cpus = take("cpus=", text);
  const auto threads = take("threads_from=", text);
  const auto begin = take("begin_ns=", text);
  if (!host || !cpus || !threads || !begin) return std::nullopt;
  const auto first = parse_number<Pid>(*threads);
  const auto time = parse_number<Ns>(*begin);
  if (!first || *first < 0 || !time) return std::nullopt;
  return MachineFact{.host = std::string(*host == kNoHost ? "" : *host),
                     .cpus = parse_cpu_list(*cpus),
                     .first_thread = *first,
                     .begin = *time,
                     .clock = {}};
}

std::vector<MachineFact> machines_of(const Facts& facts) {
  std::vector<MachineFact> machines;
  for (const auto& [key, value] : facts) {
    if (!key.starts_with(fact::kMachine)) continue;
    if (auto machine = parse_machine(value)) machines.push_back(*std::move(machine));
  }
  std::ranges::sort(machines, {}, &MachineFact::first_thread);
  return machines;
}

std::string host_of_thread(Pid thread, const Facts& facts) {
  for (const MachineFact& machine : machines_of(facts))
    if (machine_of_thread(machine.first_thread) == machine_of_thread(thread)) return machine.host;
  return {};
}

}  // namespace kutrace
