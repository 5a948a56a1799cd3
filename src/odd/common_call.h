// SPDX-License-Identifier: BSD-3-Clause
// The commonest of many calls. In: calls by name, and sums of others; out: the name that came most
// often and its last result. Exact with up to four names; of more, one that is a fifth of all calls
// is never overlooked (Misra and Gries, "Finding repeated elements", 1982).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/names.h"

namespace kutrace::odd {

class CommonCall {
 public:
  struct Named {
    NameId name = kNoName;
    std::int64_t result = 0;
    std::uint64_t count = 0;  // at most so many were made; 0: this place is free
  };

  void add(const Named& more) {
    Named* place = find(more.name);
    if (place == nullptr) return make_room(more);
    place->name = more.name;
    place->result = more.result;
    place->count += more.count;
  }
  void add(const CommonCall& more) {
    for (const Named& named : more.names_) {
      if (named.count != 0) add(named);
    }
  }
  // Count 0 if there was none.
  const Named& commonest() const { return *std::ranges::max_element(names_, {}, &Named::count); }

 private:
  static constexpr std::size_t kNames = 4;

  // Of that name, else a free one.
  Named* find(NameId name) {
    Named* free = nullptr;
    for (Named& named : names_) {
      if (named.count == 0) {
        free = &named;
      } else if (named.name == name) {
        return &named;
      }
    }
    return free;
  }
  // Each takes as much from all others as the least of them has.
  void make_room(Named more) {
    const std::uint64_t least =
        std::min(more.count, std::ranges::min_element(names_, {}, &Named::count)->count);
    for (Named& named : names_) named.count -= least;
    more.count -= least;
    if (more.count != 0) add(more);
  }

  std::array<Named, kNames> names_;
};

}  // namespace kutrace::odd
