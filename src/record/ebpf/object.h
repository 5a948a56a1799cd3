// SPDX-License-Identifier: BSD-3-Clause
// The compiled BPF objects, part of the program's own bytes.
#pragma once

#include <cstddef>
#include <span>

namespace kutrace::record {

std::span<const std::byte> bpf_object_bytes();    // of those that record
std::span<const std::byte> count_object_bytes();  // of those that count

}  // namespace kutrace::record
