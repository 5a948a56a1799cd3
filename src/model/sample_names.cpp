// SPDX-License-Identifier: BSD-3-Clause
// Records to a map of code: files below, symbols above them.
#include "model/sample_names.h"

#include <limits>

#include "base/text.h"

namespace kutrace {

namespace {

constexpr int kFiles = 0;
constexpr int kSymbols = 1;

// What code is called of which only the file is known: "[libc.so.6]", and "[vdso]" as it is.
std::string file_name(const std::string& path) {
  if (path.empty()) return {};
  if (path.front() == '[') return printable(path);
  return "[" + printable(path.substr(path.rfind('/') + 1)) + "]";
}

}  // namespace

Ns held_from(Ticks from, const TraceClock& clock) {
  return from == 0 ? std::numeric_limits<Ns>::min() : clock.to_ns(from);
}

void SampleNames::add(const MapRecord& map, const TraceClock& clock) {
  code_.add(map.process, held_from(map.from, clock), kFiles, map.start, map.end,
            names_.intern(file_name(map.path)));
}

void SampleNames::add(const SymbolRecord& symbol, const TraceClock& clock) {
  code_.add(symbol.process, held_from(symbol.from, clock), kSymbols, symbol.start, symbol.end,
            names_.intern(printable(symbol.name)));
}

NameId SampleNames::name(Ns time, Pid process, std::uint64_t pc) {
  const NameId* found = code_.find(time, is_kernel_address(pc) ? 0 : process, pc);
  return found != nullptr ? *found : kNoName;
}

}  // namespace kutrace
