// SPDX-License-Identifier: BSD-3-Clause
// From the table of arguments to what a program does with each.
#include "record/source/argument_settings.h"

#include <algorithm>
#include <string_view>

#include "format/syscall_arguments.h"
#include "format/syscall_names.h"

namespace kutrace::record {

namespace {

std::uint8_t data_kind(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::kPath:
      return KUTRACE_DATA_STRING;
    case ArgumentKind::kStrings:
      return KUTRACE_DATA_STRINGS;
    case ArgumentKind::kBufferIn:
      return KUTRACE_DATA_IN;
    case ArgumentKind::kBufferOut:
    case ArgumentKind::kPathOut:
      return KUTRACE_DATA_OUT;
    case ArgumentKind::kAddressIn:
      return KUTRACE_DATA_ADDRESS;
    case ArgumentKind::kAddressOut:
      return KUTRACE_DATA_ADDRESS_OUT;
    case ArgumentKind::kPair:
      return KUTRACE_DATA_PAIR;
    default:
      return KUTRACE_DATA_NONE;
  }
}

bool is_out(std::uint8_t kind) {
  return kind == KUTRACE_DATA_OUT || kind == KUTRACE_DATA_PAIR || kind == KUTRACE_DATA_ADDRESS_OUT;
}

void fill(kutrace_call_arguments& call, const std::vector<CallArgument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::uint8_t kind = data_kind(arguments[i].kind);
    call.kinds[i] = kind;
    if (kind == KUTRACE_DATA_NONE) continue;
    (is_out(kind) ? call.out : call.in) = 1;
  }
}

}  // namespace

kutrace_arguments argument_settings(const CallChoice& choice) {
  static_assert(kMostStringBytes == KUTRACE_STRING_BYTES);
  kutrace_arguments settings{};
  settings.buffer_bytes = choice.string_bytes;
  for (const auto& [number, name] : syscall_names(kArgumentsMachine)) {
    const std::vector<CallArgument>* arguments = arguments_of(name);
    if (arguments == nullptr || number >= KUTRACE_CALLS) continue;
    if (choice.string_bytes != 0) fill(settings.calls[number], *arguments);
    if (std::ranges::binary_search(choice.calls, number))
      settings.calls[number].count = static_cast<std::uint8_t>(arguments->size());
  }
  return settings;
}

}  // namespace kutrace::record
