// SPDX-License-Identifier: BSD-3-Clause
// Small files are read whole, and what cannot be read is empty, wherever it fails.
#include <catch2/catch.hpp>
#include <string>

#include "files/small_file.h"
#include "support/temporary_file.h"

namespace kutrace::test {
namespace {

TEST_CASE("a small file is read whole, whatever its length") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4095},
                                 std::size_t{4096}, std::size_t{4097}, std::size_t{100'000}}) {
    CAPTURE(size);
    std::string content;
    for (std::size_t i = 0; i < size; ++i) content += static_cast<char>('a' + i % 25);
    CHECK(files::read_text(TemporaryFile(content).path()) == content);
  }
  CHECK(files::read_text("/proc/self/status").starts_with("Name:"));
}

// They can be opened.
TEST_CASE("what cannot be read is empty, and no bug") {
  for (const char* path : {"/proc/self/mem", "/", "/nonexistent/file"}) {
    CAPTURE(path);
    CHECK(files::read_text(path).empty());
    CHECK(files::read_line(path).empty());
  }
}

}  // namespace
}  // namespace kutrace::test
