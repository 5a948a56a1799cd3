// SPDX-License-Identifier: BSD-3-Clause
// Memory in pages of 2 MB where there are some: the kernel then gives it 512 pages at a time, and
// each of them costs more than filling it.
#pragma once

#include <malloc.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace kutrace {

// Of memory that has not been touched; whether the kernel follows makes no difference but in time.
inline void prefer_large_pages(void* begin, std::size_t size) {
  constexpr std::size_t kAligned = 65536;  // to the pages of every kernel
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % kAligned;
  if (size < before + kAligned) return;
  const std::size_t length = (size - before) / kAligned * kAligned;
  madvise(static_cast<std::byte*>(begin) + before, length, MADV_HUGEPAGE);
}

// The next `size` bytes of the heap. Tables of many small things, each looked up at random, then
// need few entries of the processor's table of pages.
inline void prefer_large_pages_in_heap(std::size_t size) {
  mallopt(M_TOP_PAD, static_cast<int>(size));
  malloc_trim(0);
  constexpr std::size_t kBelowMappings = 65536;
  void* const first = std::malloc(kBelowMappings);  // moves the end of the heap
  if (first != nullptr) prefer_large_pages(first, size);
  std::free(first);
}

}  // namespace kutrace
