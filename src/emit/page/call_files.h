// SPDX-License-Identifier: BSD-3-Clause
// The page's block of files: which file or connection a system call is about, where that was
// recorded. In: calls in order of their ends, with the page's rows of their threads; out: the
// block, see doc/page-format.md. Held: about 8 bytes a call that is about one, and each name once.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emit/page/column.h"
#include "format/page_format.h"
#include "model/call.h"
#include "model/names.h"

namespace kutrace::emit {

class CallFiles {
 public:
  void add(const Call& call, ThreadIndex thread);
  bool any() const { return count_ != 0; }
  // Once, if there are any.
  Column encode(const NameTable& names) const;

 private:
  std::unordered_map<NameId, std::uint32_t> numbers_;  // of files_
  std::vector<NameId> files_;
  std::uint64_t count_ = 0;
  Ns last_ = 0;
  Column begins_, durations_, threads_, used_;
};

}  // namespace kutrace::emit
