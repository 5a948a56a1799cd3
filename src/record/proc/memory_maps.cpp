// SPDX-License-Identifier: BSD-3-Clause
// Replays the changes of memory, process by process.
#include "record/proc/memory_maps.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/vdso.h"
#include "files/regular_file.h"
#include "files/small_file.h"
#include "format/build_id.h"
#include "record/proc/mappings_now.h"

namespace kutrace::record {

namespace {

// Linkers put the id into the first page.
constexpr std::size_t kMostHead = std::size_t{64} << 10;

// The build-id of the file, if it is the one with this inode. Other file systems of other processes
// may show one name for many files. It is somebody else's, who may cut it while it is read.
std::optional<std::string> id_of_file(const std::string& path, std::uint64_t inode) {
  const files::Descriptor file = files::open_regular(path);
  struct stat facts{};
  if (!file || fstat(file.get(), &facts) != 0 || facts.st_ino != inode) return std::nullopt;
  std::vector<std::byte> head(kMostHead);
  const ssize_t size = files::read_up_to(file.get(), head.data(), head.size());
  if (size < 0) return std::nullopt;
  return build_id_of(std::span(head).first(static_cast<std::size_t>(size)));
}

bool was_sampled(const std::set<std::uint64_t>& counters, std::uint64_t start, std::uint64_t end) {
  const auto first = counters.lower_bound(start);
  return first != counters.end() && *first < end;
}

}  // namespace

void MemoryMaps::read_all() {
  each_mapping_now([this](Pid process, ProcMapping memory) {
    const std::uint64_t begin = memory.start;
    const std::uint64_t end = memory.end;
    now_[process].set(begin, end, {std::move(memory), {}});
  });
}

std::string MemoryMaps::build_id(Pid process, const Mapping& mapping) {
  const ProcMapping& memory = mapping.memory;
  // Processes of 32 bits have another one, below.
  if (memory.path == kVdsoPath && memory.start > std::numeric_limits<std::uint32_t>::max())
    return build_id_of(own_vdso());
  if (!mapping.build_id.empty() || memory.path.empty() || memory.inode == 0)
    return mapping.build_id;
  const auto [known, is_new] = build_ids_.try_emplace({memory.inode, memory.path});
  if (!is_new) return known->second;
  const std::string places[] = {
      fmt::format("/proc/{}/map_files/{:x}-{:x}", process, memory.start, memory.end),
      fmt::format("/proc/{}/root{}", process, memory.path), memory.path};
  for (const std::string& place : places) {
    const auto found = id_of_file(place, memory.inode);
    if (!found) continue;
    known->second = *found;
    break;
  }
  return known->second;
}

// Keeps the part [start, end) of a mapping if code in it was sampled.
void MemoryMaps::keep(Pid process, std::uint64_t start, std::uint64_t end, const Mapping& mapping,
                      const Sampled& sampled, Ticks from) {
  const auto counters = sampled.find(process);
  if (counters == sampled.end() || !was_sampled(counters->second, start, end)) return;
  MapRecord record;
  record.process = process;
  record.from = from;
  record.start = start;
  record.end = end;
  record.offset = mapping.memory.offset + (start - mapping.memory.start);
  record.path = mapping.memory.path;
  record.build_id = build_id(process, mapping);
  told_.insert(process);
  records_.push_back(std::move(record));
}

void MemoryMaps::keep_all(Pid process, const Sampled& sampled, Ticks from) {
  for (const auto& [start, range] : now_[process].ranges())
    keep(process, start, range.end, range.value, sampled, from);
}

// What was said of the process before holds no longer.
void MemoryMaps::begin_anew(Pid process, Ticks from) {
  if (!told_.contains(process)) return;
  MapRecord record;
  record.process = process;
  record.from = from;
  record.end = std::numeric_limits<std::uint64_t>::max();
  records_.push_back(std::move(record));
}

void MemoryMaps::follow(const MapEvent& event, const Sampled& sampled, Ticks from) {
  const ProcMapping& memory = event.mapping;
  switch (event.kind) {
    case MapEvent::Kind::kMapped: {
      const Mapping mapping{memory, event.build_id};
      now_[event.process].set(memory.start, memory.end, mapping);
      return keep(event.process, memory.start, memory.end, mapping, sampled, from);
    }
    case MapEvent::Kind::kReplaced:
      now_[event.process].clear();
      return begin_anew(event.process, from);
    case MapEvent::Kind::kCopied:
      now_[event.process] = now_[event.parent];
      begin_anew(event.process, from);
      return keep_all(event.process, sampled, from);
    case MapEvent::Kind::kEnded:
      now_.erase(event.process);
      return;
  }
}

std::vector<MapRecord> MemoryMaps::records(const std::vector<MapEvent>& events,
                                           const Sampled& sampled, const CounterAt& counter_at) {
  for (const auto& [process, counters] : sampled) keep_all(process, sampled, 0);
  for (const MapEvent& event : events) follow(event, sampled, counter_at(event.time_ns));
  return std::move(records_);
}

}  // namespace kutrace::record
