// SPDX-License-Identifier: BSD-3-Clause
// Memory that counts towards the limit of a query: an allocator for containers.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <new>

namespace kutrace::query {

template <typename T>
struct CountedMemory {
  using value_type = T;
  CountedMemory() = default;
  template <typename Other>
  explicit CountedMemory(const CountedMemory<Other>& /*other*/) {}
  T* allocate(std::size_t count) {
    void* const memory = sqlite3_malloc64(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*count*/) { sqlite3_free(memory); }
  bool operator==(const CountedMemory& /*other*/) const { return true; }
};

}  // namespace kutrace::query
