// SPDX-License-Identifier: BSD-3-Clause
// Rows of the page beside CPUs and threads: RPCs, locks, queues, frequencies, messages, marks.
// In: every span; out: which of them there are, with how much, so that the page can list them
// before any slab is decoded.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "base/units.h"
#include "model/names.h"
#include "model/span.h"

namespace kutrace::emit {

enum class ObjectSort : std::uint8_t { kRpc, kLock, kQueue, kFrequency, kNetwork, kMarks };

struct PageObject {
  ObjectSort sort = ObjectSort::kRpc;
  std::uint32_t id = 0;  // RPC, lock, queue or CPU; 0 where there is only one of a sort
  NameId name = kNoName;
  std::uint64_t count = 0;
  Ns total = 0;
  std::uint32_t lowest = std::numeric_limits<std::uint32_t>::max();  // argument: MHz, bytes
  std::uint32_t highest = 0;
  // What all its spans reach over. Of an RPC, its last response and message: programs seldom tell
  // that they do something else afterwards.
  Ns begin = std::numeric_limits<Ns>::max();
  Ns last = std::numeric_limits<Ns>::min();
  Ns response = std::numeric_limits<Ns>::min();
  bool responded = false;

  Ns end() const { return responded ? response : last; }
};

class ObjectTable {
 public:
  void add(const Span& span) {
    if (span.rpc != 0 || !is_execution(span.kind)) add_other(span);
  }
  // By sort, then by number; of each sort at most `most`, those with the most time.
  std::vector<PageObject> busiest(std::size_t most) const;
  std::size_t size() const { return objects_.size(); }

 private:
  void add_other(const Span& span);
  void count(ObjectSort sort, std::uint32_t id, const Span& span);
  std::map<std::pair<ObjectSort, std::uint32_t>, PageObject> objects_;
};

}  // namespace kutrace::emit
