// SPDX-License-Identifier: BSD-3-Clause
// What a fuzz target is: bytes enter, and nothing may crash or break a promise. Each target is one
// file; replay_main.cpp runs it over seeds and fixed mutations, libFuzzer over whatever it finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace kutrace::test {

using Input = std::vector<std::uint8_t>;

// Inputs worth starting from; made, not stored.
std::vector<Input> fuzz_seeds();

// Ends the program with the sentence.
[[noreturn]] void broken_promise(const char* sentence);

}  // namespace kutrace::test
