// SPDX-License-Identifier: BSD-3-Clause
// A map's memory, shared with the programs: mapped as long as the object lives.
#pragma once

#include <cstddef>
#include <utility>

#include "base/result.h"

namespace kutrace::record {

class Mapping {
 public:
  // The first bytes of the map.
  static Result<Mapping> of(int map, std::size_t bytes);

  Mapping() = default;
  Mapping(Mapping&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), bytes_(other.bytes_) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping();

  template <typename T>
  T* as() const {
    return static_cast<T*>(address_);
  }

 private:
  Mapping(void* address, std::size_t bytes) : address_(address), bytes_(bytes) {}

  void* address_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace kutrace::record
