// SPDX-License-Identifier: BSD-3-Clause
// Functions of programs by process and address, also of processes that have ended: their memory is
// followed while it is counted. In: what the kernel reports; out: names.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/range_map.h"
#include "base/units.h"
#include "record/proc/map_events.h"
#include "symbols/elf_symbols.h"

namespace kutrace::record {

class UserCode {
 public:
  // From now on, and with what processes have mapped already.
  Status start(const std::vector<CpuId>& cpus);
  // Must be called often.
  void poll();
  // "read_all", or "libfoo.so+0x1234" where the file has no name for it, or the address. Where a
  // program was replaced by another in one process, the later one is asked first.
  std::string function_at(Pid process, std::uint64_t address);

 private:
  struct Mapping {
    ProcMapping memory;
    std::string build_id;
  };
  // The symbols of a file; nothing if it cannot be read, or is another one now.
  const symbols::ElfSymbols* symbols_of(const Mapping& mapping);

  MapEvents events_;
  std::map<Pid, RangeMap<Mapping>> memory_;
  std::deque<Pid> ended_;  // whose memory is kept, the first to end in front
  std::map<std::string, std::optional<symbols::ElfSymbols>> files_;  // by path
};

}  // namespace kutrace::record
