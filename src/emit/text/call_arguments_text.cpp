// SPDX-License-Identifier: BSD-3-Clause
// Formatting arguments by their kinds.
#include "emit/text/call_arguments_text.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/octal.h"
#include "format/errno_name.h"
#include "format/socket_address.h"
#include "format/syscall_arguments.h"

namespace kutrace::emit {

namespace {

// Bytes as a C string, in octal where they are no ASCII.
std::string quoted(std::string_view bytes) {
  std::string text = "\"";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    constexpr std::string_view kNamed = "\"\\\n\t\r\v\f";
    constexpr std::string_view kLetters = "\"\\ntrvf";
    if (const std::size_t named = kNamed.find(bytes[i]); named != std::string_view::npos) {
      text += '\\';
      text += kLetters[named];
    } else if (byte >= ' ' && byte < 0x7f) {
      text += bytes[i];
    } else {
      append_octal(text, bytes, i);
    }
  }
  return text + '"';
}

const char* late_text(const CallData& data) { return data.late ? " /* read at return */" : ""; }

std::string string_text(const CallData& data, std::string_view bytes) {
  return quoted(bytes) + (data.cut ? "..." : "") + late_text(data);
}

std::string unix_path(const std::string& path) {
  return path.front() == '\0' ? "@" + quoted(std::string_view(path).substr(1)) : quoted(path);
}

std::string address_text(const CallData& data) {
  const std::string_view bytes = data.bytes;
  const std::string end = (data.cut ? ", ...}" : "}") + std::string(late_text(data));
  if (bytes.size() < sizeof(sa_family_t)) return string_text(data, bytes);
  sa_family_t family = 0;
  std::memcpy(&family, bytes.data(), sizeof family);
  std::string text = "{sa_family=" + flags_text("AF", family);
  const std::optional<SocketAddress> address = parse_socket_address(bytes);
  if (!address) {
    const std::string_view rest = bytes.substr(sizeof family);
    return text + (rest.empty() ? "" : ", sa_data=" + quoted(rest)) + end;
  }
  if (family == AF_INET) {
    text += fmt::format(", sin_port=htons({}), sin_addr=inet_addr(\"{}\")", address->port,
                        address->host);
  } else if (family == AF_INET6) {
    text += fmt::format(
        ", sin6_port=htons({}), sin6_flowinfo=htonl({}), inet_pton(AF_INET6, \"{}\", &sin6_addr), "
        "sin6_scope_id={}",
        address->port, address->flow, address->host, address->scope);
  } else if (family == AF_NETLINK) {
    text +=
        fmt::format(", nl_pid={}, nl_groups={:08x}", address->netlink_id, address->netlink_groups);
  } else if (!address->path.empty()) {
    text += ", sun_path=" + unix_path(address->path);
  }
  return text + end;
}

std::string pointer_text(std::uint64_t value) {
  return value == 0 ? "NULL" : fmt::format("{:#x}", value);
}

// Of an int only the low half is passed.
std::string signed_text(std::uint64_t value) {
  constexpr std::uint64_t kInts = std::uint64_t{1} << 32;
  if (value < kInts) return fmt::format("{}", static_cast<std::int32_t>(value));
  return fmt::format("{}", static_cast<std::int64_t>(value));
}

std::string int_text(std::uint64_t value) {
  return fmt::format("{}", static_cast<std::int32_t>(value));
}

constexpr std::int32_t kHere = -100;  // AT_FDCWD of Linux's calls

bool is_here(std::uint64_t folder) { return static_cast<std::int32_t>(folder) == kHere; }

std::string strings_text(const CallDetails& details, std::size_t argument) {
  std::string text;
  for (const CallData& data : details.data) {
    if (data.argument != argument) continue;
    if (!text.empty()) text += ", ";
    if (data.unreadable) {
      text += "???";
    } else {
      text += data.bytes.empty() && data.cut ? "..." : string_text(data, data.bytes);
    }
  }
  return "[" + text + "]";
}

std::string number_text(const CallArgument& shape, std::uint64_t value) {
  switch (shape.kind) {
    case ArgumentKind::kSigned:
      return signed_text(value);
    case ArgumentKind::kUnsigned:
      return fmt::format("{}", value);
    case ArgumentKind::kHex:
      return value == 0 ? "0" : fmt::format("{:#x}", value);
    case ArgumentKind::kDescriptor:
      return int_text(value);
    case ArgumentKind::kFolder:
      return is_here(value) ? "AT_FDCWD" : int_text(value);
    case ArgumentKind::kMode:
      return fmt::format("0{:03o}", value & 0xffff);
    case ArgumentKind::kFlags:
      return flags_text(shape.flags, value);
    default:
      return pointer_text(value);
  }
}

// "</etc/passwd>" where it is known what the descriptor stands for.
std::string file_text(const CallDetails* details, std::uint8_t argument) {
  const CallFile* const file = details != nullptr ? details->file_of(argument) : nullptr;
  return file == nullptr ? std::string() : fmt::format("<{}>", file->name);
}

std::string pair_text(std::string_view bytes) {
  std::array<std::int32_t, 2> numbers{};
  std::memcpy(numbers.data(), bytes.data(), std::min(bytes.size(), sizeof numbers));
  return fmt::format("[{}, {}]", numbers[0], numbers[1]);
}

std::string argument_text(const CallArgument& shape, const Call& call, std::size_t i) {
  const CallDetails& details = *call.details;
  const std::uint64_t value = details.arguments.at(i);
  const CallData* const data = details.data_of(i);
  const bool is_buffer =
      shape.kind == ArgumentKind::kBufferOut || shape.kind == ArgumentKind::kPathOut;
  if (is_buffer && call.has_result && call.result.value == 0 && value != 0) return "\"\"";
  if (data == nullptr)
    return number_text(shape, value) + file_text(call.details, static_cast<std::uint8_t>(i));
  const bool is_address =
      shape.kind == ArgumentKind::kAddressIn || shape.kind == ArgumentKind::kAddressOut;
  if (is_address) return address_text(*data);
  if (shape.kind == ArgumentKind::kPair) return pair_text(data->bytes);
  if (shape.kind == ArgumentKind::kStrings) return strings_text(details, i);
  std::string_view bytes = data->bytes;
  if (shape.kind == ArgumentKind::kPathOut) bytes = bytes.substr(0, bytes.find('\0'));
  return string_text(*data, bytes);
}

// Which of its arguments an operation of futex(2) takes: a bit for each.
constexpr std::array<unsigned, 14> kFutexTakes{
    0b001111, 0b000111, 0b000111, 0b011111, 0b111111, 0b111111, 0b001011,  // to LOCK_PI
    0b000011, 0b000011, 0b101111, 0b100111, 0b011111, 0b111111, 0b001011};

bool futex_takes(std::uint64_t operation, std::size_t i) {
  constexpr std::uint64_t kOperation = 0x7f;  // without its flags
  const std::uint64_t number = operation & kOperation;
  return number >= kFutexTakes.size() || (kFutexTakes.at(number) >> i & 1u) != 0;
}

// The last argument of fcntl(2), by its command.
enum class ControlTakes { kNothing, kNumber, kFileFlags, kDescriptorFlags, kMore };

ControlTakes control_takes(std::uint64_t command) {
  const std::string name = flags_text("F", command);
  if (name.starts_with("F_DUPFD") || name == "F_SETPIPE_SZ") return ControlTakes::kNumber;
  if (name == "F_SETFD") return ControlTakes::kDescriptorFlags;
  if (name == "F_SETFL") return ControlTakes::kFileFlags;
  constexpr std::array<std::string_view, 7> kGet = {
      "F_GETFD", "F_GETFL", "F_GETOWN", "F_GETSIG", "F_GETLEASE", "F_GETPIPE_SZ", "F_GET_SEALS"};
  return std::ranges::find(kGet, name) != kGet.end() ? ControlTakes::kNothing : ControlTakes::kMore;
}

// An argument that another one gives its kind.
CallArgument given_shape(std::string_view name, const CallDetails& details, std::size_t i,
                         CallArgument shape) {
  if (name != "fcntl" || i != 2) return shape;
  switch (control_takes(details.arguments[1])) {
    case ControlTakes::kNumber:
      return {.kind = ArgumentKind::kSigned, .flags = {}, .name = shape.name};
    case ControlTakes::kFileFlags:
      return {.kind = ArgumentKind::kFlags, .flags = "O", .name = shape.name};
    case ControlTakes::kDescriptorFlags:
      return {.kind = ArgumentKind::kFlags, .flags = "FD", .name = shape.name};
    default:
      return shape;
  }
}

// What the call does not take is what the register held, as the mode of a file that is not created.
bool is_unused(std::string_view name, const std::vector<CallArgument>& shapes,
               const CallDetails& details, std::size_t i) {
  if (name == "futex") return details.count > 1 && !futex_takes(details.arguments[1], i);
  if (name == "fcntl" && i == 2)
    return control_takes(details.arguments[1]) == ControlTakes::kNothing;
  if (shapes[i].kind != ArgumentKind::kMode || i == 0 || shapes[i - 1].flags != "O") return false;
  if (name != "open" && name != "openat") return false;
  const std::string flags = flags_text("O", details.arguments.at(i - 1));
  return flags.find("O_CREAT") == std::string::npos && flags.find("O_TMPFILE") == std::string::npos;
}

bool returns_address(std::string_view name) {
  return name == "mmap" || name == "mremap" || name == "brk" || name == "shmat";
}

// Calls whose first argument is the folder that a path starts from.
bool starts_from_folder(std::string_view call) {
  const std::vector<CallArgument>* shapes = arguments_of(call);
  return shapes != nullptr && !shapes->empty() && shapes->front().kind == ArgumentKind::kFolder;
}

}  // namespace

std::string arguments_text(std::string_view name, const Call& call) {
  const std::vector<CallArgument>* shapes = arguments_of(name);
  if (shapes != nullptr && shapes->empty()) return "";
  if (call.details == nullptr || call.details->count == 0)
    return first_argument_text(name, call.arg) + ", ...";
  const CallDetails& details = *call.details;
  std::string text;
  for (std::size_t i = 0; i < details.count; ++i) {
    const bool is_known = shapes != nullptr && i < shapes->size();
    if (is_known && is_unused(name, *shapes, details, i)) continue;
    const CallArgument shape =
        is_known ? given_shape(name, details, i, (*shapes)[i]) : CallArgument{};
    text += (text.empty() ? "" : ", ") + argument_text(shape, call, i);
  }
  return text;
}

// Of most calls a trace holds the low 16 bits.
std::string first_argument_text(std::string_view name, std::uint64_t argument) {
  constexpr std::uint64_t kLow = static_cast<std::uint16_t>(kHere);
  if (starts_from_folder(name) && (argument == kLow || is_here(argument))) return "AT_FDCWD";
  return argument < 10'000 ? fmt::format("{}", argument) : fmt::format("{:#x}", argument);
}

std::string result_text(std::string_view name, const Call& call) {
  if (!call.has_result) return "?";
  const std::string_view error = errno_name(call.result.value);
  if (!error.empty()) return fmt::format("-1 {}", error);
  if (call.result.whole && returns_address(name)) return fmt::format("{:#x}", call.result.value);
  return fmt::format("{}", call.result.value) + file_text(call.details, CallFile::kResult);
}

}  // namespace kutrace::emit
