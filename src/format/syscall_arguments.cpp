// SPDX-License-Identifier: BSD-3-Clause
// The tables of arguments and flags.
#include "format/syscall_arguments.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <utility>

namespace kutrace {

namespace {

struct Row {
  std::string_view call;
  std::string_view arguments;
};

constexpr auto kRows = std::to_array<Row>({
#define KUTRACE_CALL_ARGUMENTS(call, arguments) {#call, arguments},
#include "format/syscall_arguments.def"
});

struct Flag {
  std::string_view set;
  std::uint32_t mask;
  std::uint32_t value;
  std::string_view name;
};

constexpr auto kFlags = std::to_array<Flag>({
#define KUTRACE_FLAG(set, mask, value, name) {#set, mask, value, #name},
#include "format/flag_names.def"
});

constexpr auto kKinds = std::to_array<std::pair<std::string_view, ArgumentKind>>({
    {"i", ArgumentKind::kSigned},
    {"u", ArgumentKind::kUnsigned},
    {"x", ArgumentKind::kHex},
    {"pointer", ArgumentKind::kPointer},
    {"path", ArgumentKind::kPath},
    {"argv", ArgumentKind::kStrings},
    {"buffer_in", ArgumentKind::kBufferIn},
    {"path_out", ArgumentKind::kPathOut},
    {"buffer_out", ArgumentKind::kBufferOut},
    {"sockaddr_in", ArgumentKind::kAddressIn},
    {"sockaddr_out", ArgumentKind::kAddressOut},
    {"pair", ArgumentKind::kPair},
    {"f", ArgumentKind::kDescriptor},
    {"dirfd", ArgumentKind::kFolder},
    {"mode", ArgumentKind::kMode},
});

CallArgument parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  CallArgument argument{ArgumentKind::kFlags, kind, text.substr(colon + 1)};
  for (const auto& [word, known] : kKinds) {
    if (word == kind) argument = {known, {}, argument.name};
  }
  return argument;
}

std::vector<CallArgument> parse_all(std::string_view text) {
  std::vector<CallArgument> arguments;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    arguments.push_back(parse(text.substr(0, space)));
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return arguments;
}

using Table = std::map<std::string_view, std::vector<CallArgument>>;

Table all_arguments() {
  Table table;
  for (const Row& row : kRows) table.emplace(row.call, parse_all(row.arguments));
  return table;
}

}  // namespace

const std::vector<CallArgument>* arguments_of(std::string_view call) {
  static const Table kTable = all_arguments();
  const auto found = kTable.find(call);
  return found == kTable.end() ? nullptr : &found->second;
}

std::string flags_text(std::string_view set, std::uint64_t value) {
  std::string text;
  const auto add = [&text](std::string_view word) {
    if (!text.empty()) text += '|';
    text += word;
  };
  auto rest = static_cast<std::uint32_t>(value);
  std::uint32_t told = 0;  // bits that a name was found for
  for (const Flag& flag : kFlags) {
    const bool is_zero = flag.mask == 0 && value == 0;
    if (flag.set != set || (flag.mask & told) != 0 || (flag.mask == 0 && !is_zero)) continue;
    if ((static_cast<std::uint32_t>(value) & flag.mask) != flag.value) continue;
    add(flag.name);
    told |= flag.mask;
    rest &= ~flag.mask;
  }
  // Real-time signals have no names of their own.
  if (set == "SIG" && rest > 32 && rest <= 64) return fmt::format("SIGRT_{}", rest - 32);
  if (rest != 0 || text.empty()) add(rest == 0 ? "0" : fmt::format("{:#x}", rest));
  return text;
}

}  // namespace kutrace
