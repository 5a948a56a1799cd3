// SPDX-License-Identifier: BSD-3-Clause
// The bytes of the kernel's events, as its ring buffers and perf's samples hold them. In: formats,
// then bytes; out: what they say.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "read/import/event_format.h"
#include "read/import/kernel_event.h"
#include "read/import/tracepoints.h"

namespace kutrace::read {

class RawEvents {
 public:
  // An event that the bytes may hold. One that nothing is made of is left out.
  void add(std::string_view format_text);

  enum class Found : std::uint8_t { kUsed, kUnused, kTooShort };
  // Of the event whose bytes these are; `event` gets what they say beside time and CPU.
  Found decode(std::span<const std::byte> bytes, KernelEvent& event) const;
  // Which event the bytes are of; null: none that is used.
  const Tracepoint* kind_of(std::uint16_t id) const;

 private:
  struct Field {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    bool is_signed = false;
    bool is_elsewhere = false;
  };
  struct Layout {
    const Tracepoint* tracepoint = nullptr;
    std::vector<Field> numbers;  // up to the first that the format lacks
    std::array<std::optional<Field>, 2> texts;
    std::optional<Field> pid;
  };

  static std::optional<Field> find(const EventFormat& format, std::string_view name);
  static std::vector<Field> find_numbers(const EventFormat& format, const Tracepoint& tracepoint);
  static bool read_numbers(std::span<const std::byte> bytes, const Layout& layout,
                           KernelEvent& event);
  static bool read_texts(std::span<const std::byte> bytes, const Layout& layout,
                         KernelEvent& event);

  std::vector<Layout> layouts_;  // by id
};

}  // namespace kutrace::read
