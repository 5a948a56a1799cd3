// SPDX-License-Identifier: BSD-3-Clause
// Fields out of bytes.
#include "read/import/raw_events.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kutrace::read {

namespace {

constexpr std::size_t kNumberBytes = 8;

std::uint64_t unsigned_at(std::span<const std::byte> bytes, std::size_t offset, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, size);
  return value;
}

std::int64_t extended(std::uint64_t value, std::size_t size, bool is_signed) {
  const auto unused = static_cast<int>(8 * (kNumberBytes - size));
  const auto shifted = static_cast<std::int64_t>(value << unused);
  return is_signed ? shifted >> unused : static_cast<std::int64_t>(value);
}

bool holds(std::span<const std::byte> bytes, std::size_t offset, std::size_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

}  // namespace

std::optional<RawEvents::Field> RawEvents::find(const EventFormat& format, std::string_view name) {
  const EventField* const field = name.empty() ? nullptr : format.field(name);
  if (field == nullptr || field->size == 0) return std::nullopt;
  return Field{field->offset, field->size, field->is_signed, field->is_elsewhere};
}

std::vector<RawEvents::Field> RawEvents::find_numbers(const EventFormat& format,
                                                      const Tracepoint& tracepoint) {
  std::vector<Field> numbers;
  for (const std::string_view name : tracepoint.numbers) {
    if (name == kFieldsBehind) {
      const EventField* const first = format.field(tracepoint.numbers.front());
      for (const EventField& field : format.fields)
        if (const auto found = find(format, field.name); found && field.offset > first->offset)
          numbers.push_back(*found);
      continue;
    }
    const std::optional<Field> field = find(format, name);
    if (!field) break;
    numbers.push_back(*field);
  }
  return numbers;
}

void RawEvents::add(std::string_view format_text) {
  const std::optional<EventFormat> format = parse_event_format(format_text);
  if (!format) return;
  const Tracepoint* const tracepoint = find_tracepoint(format->name);
  if (tracepoint == nullptr) return;
  Layout layout;
  layout.tracepoint = tracepoint;
  layout.numbers = find_numbers(*format, *tracepoint);
  if (layout.numbers.empty() && !tracepoint->numbers.front().empty()) return;
  for (std::size_t i = 0; i < tracepoint->texts.size(); ++i)
    layout.texts[i] = find(*format, tracepoint->texts[i]);
  layout.pid = find(*format, "common_pid");
  if (layouts_.size() <= format->id) layouts_.resize(std::size_t{format->id} + 1);
  layouts_[format->id] = std::move(layout);
}

const Tracepoint* RawEvents::kind_of(std::uint16_t id) const {
  return id < layouts_.size() ? layouts_[id].tracepoint : nullptr;
}

// A field that holds several numbers (the arguments of a call) gives all of them.
bool RawEvents::read_numbers(std::span<const std::byte> bytes, const Layout& layout,
                             KernelEvent& event) {
  event.known = 0;
  event.numbers = {};
  for (const Field& field : layout.numbers) {
    if (!holds(bytes, field.offset, field.size)) return false;
    for (std::uint32_t at = 0; at < field.size && event.known < KernelEvent::kNumbers;
         at += kNumberBytes) {
      const std::size_t size = std::min<std::size_t>(field.size - at, kNumberBytes);
      event.numbers[event.known++] =
          extended(unsigned_at(bytes, field.offset + at, size), size, field.is_signed);
    }
  }
  return true;
}

bool RawEvents::read_texts(std::span<const std::byte> bytes, const Layout& layout,
                           KernelEvent& event) {
  for (std::size_t i = 0; i < layout.texts.size(); ++i) {
    event.texts[i] = {};
    if (!layout.texts[i]) continue;
    Field field = *layout.texts[i];
    if (!holds(bytes, field.offset, field.size)) return false;
    if (field.is_elsewhere) {
      if (field.size < sizeof(std::uint32_t)) continue;
      const std::uint64_t place = unsigned_at(bytes, field.offset, sizeof(std::uint32_t));
      field.offset = static_cast<std::uint32_t>(place & 0xffff);
      field.size = static_cast<std::uint32_t>(place >> 16);
      if (!holds(bytes, field.offset, field.size)) continue;
    }
    event.set_text(i, {reinterpret_cast<const char*>(bytes.data()) + field.offset, field.size});
  }
  return true;
}

RawEvents::Found RawEvents::decode(std::span<const std::byte> bytes, KernelEvent& event) const {
  if (bytes.size() < sizeof(std::uint16_t)) return Found::kTooShort;
  const auto id = static_cast<std::uint16_t>(unsigned_at(bytes, 0, sizeof(std::uint16_t)));
  if (kind_of(id) == nullptr) return Found::kUnused;
  const Layout& layout = layouts_[id];
  event.what = layout.tracepoint->what;
  if (!read_numbers(bytes, layout, event) || !read_texts(bytes, layout, event))
    return Found::kTooShort;
  event.pid = kNoPid;
  if (layout.pid && holds(bytes, layout.pid->offset, sizeof(Pid)))
    event.pid = static_cast<Pid>(unsigned_at(bytes, layout.pid->offset, sizeof(Pid)));
  return Found::kUsed;
}

}  // namespace kutrace::read
