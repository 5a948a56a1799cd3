// SPDX-License-Identifier: BSD-3-Clause
// Types of events, by the names and with the fields that LTTng has for them; what it has no name
// for begins with kutrace_. In: names of system calls, as they occur; out: numbers, and at the end
// the declarations of all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.h"

namespace kutrace::emit {

enum class EventType : std::uint32_t {
  kSwitch,
  kWaking,
  kIrqEntry,
  kIrqExit,
  kSoftirqEntry,
  kSoftirqExit,
  kFaultOfUser,
  kFaultOfKernel,
  kIdle,
  kFrequency,
  kCallEntry,
  kCallExit,
  kMark,
  kPoint,
  kSample,
  kIpi,
  // On no CPU.
  kThread,
  kWait,
  kLockHeld,
  kLockWanted,
  kQueued,
  kRpc,
  kMessage,
  kCall,
  kFunction,
  kMoment,
  kCount
};

constexpr std::uint32_t number_of(EventType type) { return static_cast<std::uint32_t>(type); }

// An interrupt that LTTng has a type of its own for: that of its entry; the next one is its exit.
std::optional<std::uint32_t> vector_type(unsigned vector);

// A field of a system call's entry: an argument as a number, or the text that it points to.
struct ArgumentField {
  std::string_view name;
  std::uint8_t argument = 0;
  bool is_text = false;

  static constexpr std::size_t kTextSize = 64;  // bytes; zeros fill it up
  std::size_t size() const { return is_text ? kTextSize : sizeof(std::int64_t); }
};

class EventTypes {
 public:
  struct Syscall {
    std::uint32_t entry = 0;  // its exit has the next number
    std::span<const ArgumentField> fields;
  };

  explicit EventTypes(const NameTable& names) : names_(names) {}

  const Syscall& syscall(NameId name);
  // One that means nothing, with so many bytes of fields: what becomes of an event that was written
  // and turned out to be wrong.
  std::uint32_t nothing(std::size_t size);
  // In the language of the metadata.
  std::string declarations() const;

 private:
  const NameTable& names_;
  std::vector<std::optional<Syscall>> syscalls_;
  std::map<std::size_t, std::uint32_t> nothings_;
  std::uint32_t more_ = 0;  // types beside those that are known
};

// Inside quotes of the metadata.
std::string quoted(std::string_view text);

}  // namespace kutrace::emit
