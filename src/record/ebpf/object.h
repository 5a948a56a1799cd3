// SPDX-License-Identifier: BSD-3-Clause
// The compiled BPF object, part of the program's own bytes.
#pragma once

#include <cstddef>
#include <span>

namespace kutrace::record {

std::span<const std::byte> bpf_object_bytes();

}  // namespace kutrace::record
