// SPDX-License-Identifier: BSD-3-Clause
// The kernel's table of symbols. In: the text of /proc/kallsyms; out: names of addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace {

struct KernelFunction {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::string name;  // that of a module's is followed by " [module]"
};

class Kallsyms {
 public:
  explicit Kallsyms(std::string text);

  // Whether there are no addresses: the kernel hides them from users who may not see them.
  bool empty() const { return symbols_.empty(); }
  // The function that reaches from the nearest symbol below `pc` to the next one; nothing if that
  // is no code, or the last one and far away.
  std::optional<KernelFunction> find(std::uint64_t pc) const;

 private:
  struct Symbol {
    std::uint64_t address = 0;
    int rank = 0;  // lower is better, of several names of one address
    std::string_view name;
  };

  std::string text_;
  std::vector<Symbol> symbols_;  // by address, one each
};

}  // namespace kutrace
