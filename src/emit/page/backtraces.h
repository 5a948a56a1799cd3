// SPDX-License-Identifier: BSD-3-Clause
// The page's block of backtraces: what samples and waits have as their stack. In: samples of
// threads, and waits that have a stack, with the page's rows of their threads; out: the block, see
// doc/page-format.md. Held: about 10 bytes a sample or wait, and the number of each stack.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emit/page/column.h"
#include "format/page_format.h"
#include "model/names.h"
#include "model/span.h"

namespace kutrace::emit {

class Backtraces {
 public:
  void add(const Span& span, ThreadIndex thread);
  // Whether anything had a stack.
  bool any() const { return !stacks_.empty(); }
  // Once, if there are any.
  Column encode(const NameTable& names) const;

 private:
  std::uint32_t number(NameId stack);

  std::unordered_map<NameId, std::uint32_t> numbers_;  // of stacks_, from 1
  std::vector<NameId> stacks_;
  std::uint64_t count_ = 0;
  Ns last_ = 0;
  Column starts_, durations_, threads_, cpus_, reasons_, used_;
};

}  // namespace kutrace::emit
