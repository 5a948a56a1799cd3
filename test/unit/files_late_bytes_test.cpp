// SPDX-License-Identifier: BSD-3-Clause
// Bytes that are written late are in the file as if each had been written at once.
#include <fcntl.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <random>
#include <string>

#include "files/descriptor.h"
#include "files/late_bytes.h"
#include "files/small_file.h"
#include "support/temporary_file.h"

namespace kutrace::test {
namespace {

// Near and far, over one another, longer than what is read at once.
TEST_CASE("late bytes take their places, the last ones over those before") {
  constexpr std::size_t kSize = 1'000'000;
  std::mt19937 dice(1);
  std::string expected(kSize, '.');
  const TemporaryFile file(expected);
  const files::Descriptor opened(open(file.path().c_str(), O_RDWR | O_CLOEXEC));
  files::LateBytes late;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 3000; ++i) {
      const std::size_t size = i % 500 == 0 ? 100'000 : 1 + dice() % 40;
      const std::size_t near = i % 2 == 0 ? dice() % 2000 : dice() % (kSize - 100'000);
      const std::string bytes(size, static_cast<char>('a' + dice() % 26));
      late.add(near, bytes);
      expected.replace(near, size, bytes);
    }
    REQUIRE(late.count() == 3000);
    REQUIRE(late.write(opened.get()) == 0);
    CHECK(late.count() == 0);
    CHECK(files::read_text(file.path()) == expected);
  }
}

TEST_CASE("late bytes that cannot be written say why") {
  const TemporaryFile file("0123456789");
  const files::Descriptor opened(open(file.path().c_str(), O_RDONLY | O_CLOEXEC));
  files::LateBytes late;
  late.add(2, "ab");
  late.add(6, "cd");
  CHECK(late.write(opened.get()) == EBADF);
}

}  // namespace
}  // namespace kutrace::test
