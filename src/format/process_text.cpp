// SPDX-License-Identifier: BSD-3-Clause
// A word says what is told; the rest is fields.
#include "format/process_text.h"

#include <fmt/format.h>

#include "format/text_fields.h"

namespace kutrace {

namespace {

constexpr std::string_view kDescriptor = "fd";
constexpr std::string_view kCgroup = "cgroup";
constexpr std::string_view kFolderText = "cwd";
constexpr std::string_view kCloseOnExec = "c";

// What both begin with: what is told, of whom, and when it held.
template <typename Record>
std::optional<Record> head_of(TextFields& fields, std::string_view told) {
  if (fields.word() != told) return std::nullopt;
  Record record;
  record.process = fields.number<Pid>(10);
  record.at = fields.number<Ticks>(16);
  return record;
}

}  // namespace

std::string record_text(const DescriptorRecord& descriptor) {
  const bool is_folder = descriptor.number == DescriptorRecord::kFolder;
  return fmt::format("{} {} {:x} {} {} {}", kDescriptor, descriptor.process, descriptor.at,
                     is_folder ? std::string(kFolderText) : std::to_string(descriptor.number),
                     descriptor.close_on_exec ? kCloseOnExec : "-", descriptor.name);
}

std::string record_text(const CgroupRecord& cgroup) {
  return fmt::format("{} {} {:x} {}", kCgroup, cgroup.process, cgroup.at, cgroup.path);
}

std::optional<DescriptorRecord> parse_descriptor_record(std::string_view text) {
  TextFields fields(text);
  auto descriptor = head_of<DescriptorRecord>(fields, kDescriptor);
  if (!descriptor) return std::nullopt;
  const std::string_view number = fields.word();
  const auto value = parse_number<std::int32_t>(number, 10);
  descriptor->number = value.value_or(DescriptorRecord::kFolder);
  descriptor->close_on_exec = fields.word() == kCloseOnExec;
  descriptor->name = fields.rest();
  const bool has_number = number == kFolderText || (value && *value >= 0);
  if (!fields.good() || !has_number || descriptor->name.empty()) return std::nullopt;
  return descriptor;
}

std::optional<CgroupRecord> parse_cgroup_record(std::string_view text) {
  TextFields fields(text);
  auto cgroup = head_of<CgroupRecord>(fields, kCgroup);
  if (!cgroup) return std::nullopt;
  cgroup->path = fields.rest();
  if (!fields.good() || cgroup->path.empty()) return std::nullopt;
  return cgroup;
}

}  // namespace kutrace
