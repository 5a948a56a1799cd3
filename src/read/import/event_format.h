// SPDX-License-Identifier: BSD-3-Clause
// How the kernel describes the bytes of an event: by the text of its `format` file in tracefs,
// which other tools keep in their files. In: that text; out: where each field stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace::read {

struct EventField {
  std::string name;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  bool is_signed = false;
  bool is_elsewhere = false;  // __data_loc: holds the offset and length of a text behind the fields
};

struct EventFormat {
  std::string name;
  std::uint16_t id = 0;
  std::vector<EventField> fields;

  const EventField* field(std::string_view wanted) const;
};

// Nothing if it has no name or no number.
std::optional<EventFormat> parse_event_format(std::string_view text);

}  // namespace kutrace::read
