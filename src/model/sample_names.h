// SPDX-License-Identifier: BSD-3-Clause
// Names of sampled code. In: memory maps and symbols of a trace, all before the first question;
// out: the name of the code at an address.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "format/symbol_text.h"
#include "format/trace_clock.h"
#include "model/code_map.h"
#include "model/names.h"

namespace kutrace {

// Whether an address is in the kernel's half.
constexpr bool is_kernel_address(std::uint64_t pc) { return pc >> 63 != 0; }

class SampleNames {
 public:
  explicit SampleNames(NameTable& names) : names_(names) {}

  void add(const MapRecord& map, const TraceClock& clock);
  void add(const SymbolRecord& symbol, const TraceClock& clock);
  bool empty() const { return code_.empty(); }

  // The function; else "[file]" if only the file is known; else kNoName. Times of questions must
  // not go back.
  NameId name(Ns time, Pid process, std::uint64_t pc);
  // As long as this number is the same, addresses of the process's user code have the same names.
  std::size_t moment(Ns time, Pid process) { return code_.moment(time, process); }

 private:
  NameTable& names_;
  CodeMap<NameId> code_;
};

// When a record begins to hold, in ns. Counter 0 means "always".
Ns held_from(Ticks from, const TraceClock& clock);

}  // namespace kutrace
