// SPDX-License-Identifier: BSD-3-Clause
// mmap and munmap.
#include "record/ebpf/mapping.h"

#include <sys/mman.h>

#include <cerrno>
#include <new>

namespace kutrace::record {

Result<Mapping> Mapping::of(int map, std::size_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
  if (address == MAP_FAILED && errno == ENOMEM) throw std::bad_alloc();
  if (address == MAP_FAILED)
    return fail(host_error("cannot map the trace buffer: " + errno_text(errno)));
  return Mapping(address, bytes);
}

Mapping::~Mapping() {
  if (address_ != nullptr) munmap(address_, bytes_);
}

}  // namespace kutrace::record
