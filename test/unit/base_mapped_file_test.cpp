// SPDX-License-Identifier: BSD-3-Clause
// Bytes of files, pipes and memory.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <thread>

#include "base/mapped_file.h"
#include "support/temporary_file.h"

namespace kutrace {
namespace {

using test::TemporaryFile;

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST_CASE("a file is mapped as it is") {
  const TemporaryFile temporary("some bytes");
  const auto file = MappedFile::open(temporary.path());
  REQUIRE(file);
  CHECK(text_of(*file) == "some bytes");
  CHECK(file->name() == temporary.path());
}

TEST_CASE("an empty file has no bytes and is no error") {
  const TemporaryFile temporary("");
  const auto file = MappedFile::open(temporary.path());
  REQUIRE(file);
  CHECK(file->bytes().empty());
}

TEST_CASE("a missing file and a directory are named in the error") {
  const auto missing = MappedFile::open("no/such/file");
  REQUIRE_FALSE(missing);
  CHECK(describe(missing.error()) ==
        "no/such/file: cannot be opened: No such file or directory\n  hint: check the name; "
        "kutrace record writes trace.raw");
  const auto directory = MappedFile::open(".");
  REQUIRE_FALSE(directory);
  CHECK(directory.error().sentence.find("is a folder") == 0);
  CHECK(directory.error().kind == ErrorKind::kInput);
}

TEST_CASE("a pipe is read to its end, longer than one step of reading") {
  const std::string path = "mapped_file_test.pipe";
  unlink(path.c_str());
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const std::string text(3'000'000, 'x');
  std::thread writer([&] {
    if (std::FILE* out = std::fopen(path.c_str(), "wb")) {
      std::fwrite(text.data(), 1, text.size(), out);
      std::fclose(out);
    }
  });
  const auto file = MappedFile::open(path);
  writer.join();
  unlink(path.c_str());
  REQUIRE(file);
  CHECK(text_of(*file) == text);
}

TEST_CASE("the bytes move with the file") {
  const TemporaryFile temporary("first");
  auto first = MappedFile::open(temporary.path());
  REQUIRE(first);
  MappedFile second = MappedFile::from_bytes(std::vector<std::byte>(3), "memory");
  MappedFile third(std::move(*first));
  CHECK(text_of(third) == "first");
  third = std::move(second);
  CHECK(third.bytes().size() == 3);
  CHECK(third.name() == "memory");
}

}  // namespace
}  // namespace kutrace
