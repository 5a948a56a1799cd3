// SPDX-License-Identifier: BSD-3-Clause
// Lines "name = value"; # begins a comment.
#include "serve/policy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

#include "base/nearest.h"
#include "base/number_text.h"
#include "base/text.h"
#include "base/time_length.h"
#include "files/small_file.h"
#include "record/source/call_choice.h"

namespace kutrace::serve {

namespace {

constexpr std::size_t kLongestFile = 65536;
constexpr std::uint64_t kMostMemory_mb = 4096;
constexpr std::uint64_t kMostRate = 1'000'000'000;
constexpr std::uint32_t kMostSamples = 20'000;
constexpr std::array<std::string_view, 9> kNames{"users",     "group",        "groups",
                                                 "arguments", "string_bytes", "samples",
                                                 "memory",    "rate",         "duration"};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Result<std::uint64_t> number_up_to(std::string_view value, std::uint64_t most) {
  const auto number = parse_number<std::uint64_t>(value);
  if (!number || *number > most)
    return fail(usage_error(fmt::format("must be a number from 0 to {}", most)));
  return *number;
}

Result<bool> one_of_two(std::string_view value, std::string_view yes, std::string_view no) {
  if (value != yes && value != no)
    return fail(usage_error(fmt::format("must be {} or {}", yes, no)));
  return value == yes;
}

// What is not 0 may not become 0, which is no limit.
Result<Ns> limit_of(std::string_view value) {
  KUTRACE_ASSIGN(const Ns time, parse_time(value));
  if (time == 0 && value.find_first_of("123456789") != value.npos)
    return fail(usage_error("is less than a nanosecond"));
  return time;
}

// Switches are always recorded.
Result<EventGroups> groups_of(const std::string& value) {
  std::istringstream words(value);
  for (std::string word; std::getline(words, word, ',');)
    if (word == "-sched") return fail(usage_error("sched is always recorded"));
  return EventGroups::parse(value);
}

Status take_setting(Policy& policy, std::string_view name, std::string_view value) {
  if (name == "users") {
    KUTRACE_ASSIGN(policy.users, one_of_two(value, "own", "nobody"));
  } else if (name == "group") {
    policy.group = value;
  } else if (name == "groups") {
    KUTRACE_ASSIGN(policy.groups, groups_of(std::string(value)));
  } else if (name == "arguments") {
    KUTRACE_ASSIGN(policy.arguments, one_of_two(value, "yes", "no"));
  } else if (name == "string_bytes") {
    KUTRACE_ASSIGN(const std::uint64_t bytes, number_up_to(value, record::kMostStringBytes));
    policy.string_bytes = static_cast<std::uint32_t>(bytes);
  } else if (name == "samples") {
    KUTRACE_ASSIGN(const std::uint64_t hz, number_up_to(value, kMostSamples));
    policy.sample_hz = static_cast<std::uint32_t>(hz);
  } else if (name == "memory") {
    KUTRACE_ASSIGN(const std::uint64_t mb, number_up_to(value, kMostMemory_mb));
    if (mb == 0) return fail(usage_error("must be at least 1"));
    policy.memory = mb << 20;
  } else if (name == "rate") {
    KUTRACE_ASSIGN(policy.rate, number_up_to(value, kMostRate));
  } else if (name == "duration") {
    KUTRACE_ASSIGN(policy.duration, limit_of(value));
  } else {
    return fail(usage_error("there is no such setting")
                    .with_hint(meant_or(name, kNames,
                                        fmt::format("settings: {}", fmt::join(kNames, " ")))));
  }
  return {};
}

}  // namespace

Policy::Policy() : groups(EventGroups::standard().with(EventGroups::others())) {}

Result<Policy> parse_policy(std::string_view text, const std::string& name) {
  Policy policy;
  std::set<std::string_view> set;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::size_t equals = line.find('=');
    const auto wrong = [&](const Error& error) {
      return usage_error(fmt::format("{} line {}: {}: {}", name, number,
                                     printable(trimmed(line.substr(0, equals))), error.sentence))
          .with_hint(error.hint);
    };
    if (equals == line.npos) return fail(wrong(usage_error("a line is NAME = VALUE")));
    const std::string_view setting = trimmed(line.substr(0, equals));
    const std::string_view value = trimmed(line.substr(equals + 1));
    if (value.empty()) return fail(wrong(usage_error("it has no value")));
    if (!set.insert(setting).second) return fail(wrong(usage_error("it is set twice")));
    const Status taken = take_setting(policy, setting, value);
    if (!taken) return fail(wrong(taken.error()));
  }
  return policy;
}

Result<Policy> read_policy() {
  struct stat entry{};
  if (lstat(kPolicyFile, &entry) != 0 && errno == ENOENT) return Policy();
  return read_policy(kPolicyFile);
}

Result<Policy> read_policy(const std::string& path) {
  KUTRACE_ASSIGN(const std::string text, files::read_at_most(path, kLongestFile));
  return parse_policy(text, path);
}

}  // namespace kutrace::serve
