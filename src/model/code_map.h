// SPDX-License-Identifier: BSD-3-Clause
// What stands at the addresses of each process, over time. In: records, all before the first
// question; out: the value at an address, for questions in order of time (ns).
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/range_map.h"
#include "base/units.h"

namespace kutrace {

template <typename T>
class CodeMap {
 public:
  // From `from` on, `value` stands at [start, end) of the process. Of records of one moment, those
  // of a higher `layer` cover the others, then the later ones the earlier.
  void add(Pid process, Ns from, int layer, std::uint64_t start, std::uint64_t end, T value) {
    Process& entry = processes_[process];
    entry.records.push_back({from, layer, start, end, std::move(value)});
    entry.sorted = false;
  }

  // Null if nothing is known. For one process, times of questions must not go back.
  const T* find(Ns time, Pid process, std::uint64_t address) {
    const auto found = processes_.find(process);
    if (found == processes_.end()) return nullptr;
    Process& entry = found->second;
    entry.move_to(time);
    return entry.now.find(address);
  }

  // A number that grows whenever what is known of the process has changed. `time`: as for find().
  std::size_t moment(Ns time, Pid process) {
    const auto found = processes_.find(process);
    if (found == processes_.end()) return 0;
    found->second.move_to(time);
    return found->second.next;
  }

  bool empty() const { return processes_.empty(); }

 private:
  struct Record {
    Ns from = 0;
    int layer = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    T value{};
  };
  struct Process {
    std::vector<Record> records;
    std::size_t next = 0;  // the first that does not hold yet
    bool sorted = true;
    RangeMap<T> now;

    void move_to(Ns time) {
      if (!sorted) {
        std::stable_sort(records.begin() + static_cast<std::ptrdiff_t>(next), records.end(),
                         [](const Record& a, const Record& b) {
                           return std::pair(a.from, a.layer) < std::pair(b.from, b.layer);
                         });
        sorted = true;
      }
      for (; next < records.size() && records[next].from <= time; ++next) {
        const Record& record = records[next];
        now.set(record.start, record.end, record.value);
      }
    }
  };

  std::unordered_map<Pid, Process> processes_;
};

}  // namespace kutrace
