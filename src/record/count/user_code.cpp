// SPDX-License-Identifier: BSD-3-Clause
// What is mapped later covers what was there before. Of processes that have ended the last ones are
// kept, as their stacks are named at the end: there may be any number of them.
#include "record/count/user_code.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/vdso.h"
#include "files/regular_file.h"
#include "record/proc/mappings_now.h"

namespace kutrace::record {
namespace {

constexpr std::size_t kMostEnded = 4096;

}  // namespace

Status UserCode::start(const std::vector<CpuId>& cpus) {
  KUTRACE_TRY(events_.start(cpus));
  each_mapping_now([this](Pid process, ProcMapping memory) {
    const std::uint64_t begin = memory.start;
    const std::uint64_t end = memory.end;
    memory_[process].set(begin, end, {std::move(memory), {}});
  });
  return {};
}

void UserCode::poll() {
  events_.poll();
  for (MapEvent& event : events_.take()) {
    if (event.kind == MapEvent::Kind::kCopied) {
      std::erase(ended_, event.process);  // another one has its number
      if (const auto parent = memory_.find(event.parent); parent != memory_.end())
        memory_[event.process] = RangeMap<Mapping>(parent->second);
    } else if (event.kind == MapEvent::Kind::kMapped) {
      const std::uint64_t begin = event.mapping.start;
      const std::uint64_t end = event.mapping.end;
      memory_[event.process].set(begin, end, {std::move(event.mapping), std::move(event.build_id)});
    } else if (event.kind == MapEvent::Kind::kEnded && memory_.contains(event.process)) {
      ended_.push_back(event.process);
      if (ended_.size() <= kMostEnded) continue;
      memory_.erase(ended_.front());
      ended_.pop_front();
    }
  }
}

const symbols::ElfSymbols* UserCode::symbols_of(const Mapping& mapping) {
  const std::string& path = mapping.memory.path;
  const auto [known, is_new] = files_.try_emplace(path);
  const bool is_vdso = path == kVdsoPath;
  if (is_new && (is_vdso || (path.starts_with('/') && files::open_regular(path)))) {
    auto opened =
        is_vdso ? symbols::ElfSymbols::open(own_vdso(), path) : symbols::ElfSymbols::open(path);
    if (opened) known->second.emplace(std::move(*opened));
  }
  if (!known->second) return nullptr;
  const bool is_another =
      !mapping.build_id.empty() && known->second->build_id() != mapping.build_id;
  return is_another ? nullptr : &*known->second;
}

std::string UserCode::function_at(Pid process, std::uint64_t address) {
  const auto memory = memory_.find(process);
  const Mapping* mapping = memory == memory_.end() ? nullptr : memory->second.find(address);
  if (mapping == nullptr || mapping->memory.path.empty()) return fmt::format("{:#x}", address);
  const std::uint64_t offset = address - mapping->memory.start + mapping->memory.offset;
  if (const symbols::ElfSymbols* symbols = symbols_of(*mapping))
    if (auto found = symbols->find(offset)) return std::move(found->name);
  const std::string_view path = mapping->memory.path;
  return fmt::format("{}+{:#x}", path.substr(path.rfind('/') + 1), offset);
}

}  // namespace kutrace::record
