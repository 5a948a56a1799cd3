// SPDX-License-Identifier: BSD-3-Clause
// Part by part, in the order in which they are read.
#include "read/ctf/ctf_binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "read/ctf/ctf_parts.h"

namespace kutrace::read {

namespace {

// Values of a packet's parts keep their places while its events are read.
constexpr std::int32_t kPacketSlots = 1024;
constexpr std::int32_t kMostSlots = 4096;

using NamedRole = std::pair<std::string_view, CtfRole>;

constexpr NamedRole kHeaderRoles[] = {{"magic", CtfRole::kMagic},
                                      {"stream_id", CtfRole::kStreamClass}};
constexpr NamedRole kContextRoles[] = {
    {"packet_size", CtfRole::kPacketBits},
    {"content_size", CtfRole::kContentBits},
    {"timestamp_begin", CtfRole::kBegin},
    {"timestamp_end", CtfRole::kEnd},
    {"events_discarded", CtfRole::kDiscarded},
    {"packet_seq_num", CtfRole::kSequence},
    {"cpu_id", CtfRole::kCpu},
};
constexpr NamedRole kEventRoles[] = {{"id", CtfRole::kEventClass}, {"timestamp", CtfRole::kTime}};
constexpr NamedRole kThreadRoles[] = {{"tid", CtfRole::kThread}};

bool has_role(const CtfField& field, CtfRole role) {
  return field.role == role || std::ranges::any_of(field.children, [&](const CtfField& child) {
           return has_role(child, role);
         });
}

void mean_by_name(CtfField& field, const NamedRole& named) {
  for (CtfField& child : field.children) {
    if (child.kind == CtfField::Kind::kInteger || child.kind == CtfField::Kind::kLongInteger) {
      const bool is_it = without_underscore(child.name) == named.first;
      if (is_it && child.role == CtfRole::kNone) child.role = named.second;
    }
    mean_by_name(child, named);
  }
}

void mean_by_names(CtfField& part, std::span<const NamedRole> names) {
  for (const NamedRole& named : names)
    if (!has_role(part, named.second)) mean_by_name(part, named);
}

void replace_role(CtfField& field, CtfRole role, CtfRole other) {
  if (field.role == role) field.role = other;
  for (CtfField& child : field.children) replace_role(child, role, other);
}

// A clock that fields are times of; -1: of none.
std::int32_t clock_in(const CtfField& field) {
  std::int32_t found = field.clock;
  for (const CtfField& child : field.children)
    if (found < 0) found = clock_in(child);
  return found;
}

void mean_times(CtfField& field) {
  if (field.clock >= 0 && field.role == CtfRole::kNone) field.role = CtfRole::kTime;
  for (CtfField& child : field.children) mean_times(child);
}

class Binding {
 public:
  explicit Binding(CtfSchema& schema) : schema_(schema) {}

  Status run() {
    mean_by_names(schema_.packet_header, kHeaderRoles);
    KUTRACE_TRY(bind(CtfScope::kPacketHeader, schema_.packet_header));
    for (auto& [id, stream] : schema_.streams) KUTRACE_TRY(bind(stream));
    return {};
  }

 private:
  Status bind(CtfStreamClass& stream) {
    replace_role(stream.packet_context, CtfRole::kTime, CtfRole::kBegin);
    mean_by_names(stream.packet_context, kContextRoles);
    mean_times(stream.event_header);
    mean_by_names(stream.event_header, kEventRoles);
    mean_by_names(stream.event_context, kThreadRoles);
    if (stream.clock < 0) stream.clock = clock_in(stream.event_header);
    if (stream.clock < 0) stream.clock = clock_in(stream.packet_context);
    if (stream.clock < 0 && schema_.clocks.size() == 1) stream.clock = 0;
    KUTRACE_TRY(bind(CtfScope::kPacketContext, stream.packet_context));
    KUTRACE_TRY(bind(CtfScope::kEventHeader, stream.event_header));
    KUTRACE_TRY(bind(CtfScope::kStreamContext, stream.event_context));
    for (auto& [id, event] : stream.events) {
      event_slots_ = kPacketSlots;
      mean_by_names(event.context, kThreadRoles);
      KUTRACE_TRY(bind(CtfScope::kEventContext, event.context));
      KUTRACE_TRY(bind(CtfScope::kFields, event.fields));
    }
    return {};
  }

  Status bind(CtfScope scope, CtfField& part) {
    scope_ = scope;
    parts_[static_cast<std::size_t>(scope)] = &part;
    // What comes behind is not there yet.
    std::fill(parts_.begin() + static_cast<std::ptrdiff_t>(scope) + 1, parts_.end(), nullptr);
    around_.clear();
    return bind(part);
  }

  Status bind(CtfField& field) {
    if (field.order == ByteOrder::kOfTrace)
      field.order = schema_.is_big_endian ? ByteOrder::kBig : ByteOrder::kLittle;
    const bool is_told =
        field.kind == CtfField::Kind::kSequence || field.kind == CtfField::Kind::kVariant;
    if (is_told) KUTRACE_TRY(find(field));
    const bool is_struct = field.kind == CtfField::Kind::kStruct;
    if (is_struct) around_.push_back(&field);
    for (CtfField& child : field.children) KUTRACE_TRY(bind(child));
    if (is_struct) around_.pop_back();
    return {};
  }

  Status find(CtfField& field) {
    CtfField* const told_by = field.path == nullptr ? nullptr : at(*field.path);
    const bool is_number = told_by != nullptr && (told_by->kind == CtfField::Kind::kInteger ||
                                                  told_by->kind == CtfField::Kind::kLongInteger);
    if (!is_number) {
      const std::string name = field.path == nullptr ? field.name : field.path->names.back();
      return fail(
          input_error(fmt::format("its metadata declare no length or tag for '{}' before it",
                                  printable(name.substr(0, kLongestWord)))));
    }
    if (told_by->slot < 0) told_by->slot = new_slot();
    if (told_by->slot >= kMostSlots) return fail(too_many());
    field.told_by = told_by->slot;
    return field.kind == CtfField::Kind::kVariant ? choose(field, *told_by) : Status();
  }

  static Error too_many() {
    return input_error("its metadata declare more lengths and tags than any trace needs");
  }

  std::int32_t new_slot() {
    const bool is_of_event = found_in_ >= CtfScope::kEventContext;
    std::int32_t& next = is_of_event ? event_slots_ : packet_slots_;
    if (!is_of_event && next == kPacketSlots) return kMostSlots;
    return next++;
  }

  // In CTF 1.8 the names of the numbers are those of the options.
  Status choose(CtfField& field, const CtfField& told_by) {
    for (std::size_t i = 0; i < field.children.size(); ++i) {
      if (!field.ranges[i].empty() || told_by.labels == nullptr) continue;
      const CtfLabels& labels = *told_by.labels;
      const std::string& name = field.children[i].name;
      auto [begin, end] = labels.equal_range(name);
      if (begin == end) std::tie(begin, end) = labels.equal_range(without_underscore(name));
      for (; begin != end; ++begin) {
        if (++ranges_ > CtfParts::kMost) return fail(too_many());
        field.ranges[i].push_back(begin->second);
      }
    }
    return {};
  }

  // Null: there is none.
  CtfField* at(const CtfPath& path) {
    std::span<const std::string> names = path.names;
    if (path.scope != CtfScope::kNowhere) {
      found_in_ = path.scope;
      CtfField* const part = parts_[static_cast<std::size_t>(path.scope)];
      return part == nullptr ? nullptr : below(*part, names);
    }
    found_in_ = scope_;
    std::size_t left = around_.size();
    while (!names.empty() && names.front().empty() && left > 0) {
      names = names.subspan(1);
      --left;
    }
    for (; left > 0; --left)
      if (CtfField* const found = below(*around_[left - 1], names)) return found;
    return nullptr;
  }

  static CtfField* below(CtfField& part, std::span<const std::string> names) {
    CtfField* found = &part;
    for (const std::string& name : names) {
      if (found->kind != CtfField::Kind::kStruct) return nullptr;
      const auto child = std::ranges::find_if(found->children, [&](const CtfField& one) {
        return without_underscore(one.name) == without_underscore(name);
      });
      if (child == found->children.end()) return nullptr;
      found = &*child;
    }
    return found;
  }

  CtfSchema& schema_;
  CtfScope scope_ = CtfScope::kPacketHeader;
  CtfScope found_in_ = CtfScope::kPacketHeader;
  std::array<CtfField*, static_cast<std::size_t>(CtfScope::kNowhere)> parts_{};
  std::vector<CtfField*> around_;
  std::int32_t packet_slots_ = 0;
  std::int32_t event_slots_ = kPacketSlots;
  std::uint32_t ranges_ = 0;
};

}  // namespace

Status bind_fields(CtfSchema& schema) { return Binding(schema).run(); }

}  // namespace kutrace::read
