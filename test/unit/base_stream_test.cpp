// SPDX-License-Identifier: BSD-3-Clause
// What is no file is bounded, and doubted before it is read to its end.
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "base/stream.h"

namespace kutrace {
namespace {

// A pipe into which somebody writes without end.
class Endless {
 public:
  Endless() {
    signal(SIGPIPE, SIG_IGN);
    REQUIRE(pipe(ends_) == 0);
    writer_ = std::thread([this] {
      const std::string text(1 << 16, 'x');
      while (write(ends_[1], text.data(), text.size()) > 0) {
      }
    });
  }
  Endless(const Endless&) = delete;
  Endless& operator=(const Endless&) = delete;
  ~Endless() {
    close(ends_[0]);
    writer_.join();
    close(ends_[1]);
  }
  int end() const { return ends_[0]; }

 private:
  int ends_[2] = {-1, -1};
  std::thread writer_;
};

TEST_CASE("what never ends is refused at the limit") {
  const Endless endless;
  const auto bytes = read_stream(endless.end(), "pipe", {.most = 3'000'000});
  REQUIRE_FALSE(bytes);
  CHECK(describe(bytes.error()).find("pipe: more than 2.9 MB come out") == 0);
  CHECK(bytes.error().kind == ErrorKind::kInput);
}

TEST_CASE("what is doubted is read no further than its front") {
  const Endless endless;
  std::size_t asked = 0;
  const auto bytes =
      read_stream(endless.end(), "pipe", {.doubt = [&](auto front, const auto&) -> Status {
                    asked = front.size();
                    return fail(input_error("is no trace"));
                  }});
  REQUIRE_FALSE(bytes);
  CHECK(bytes.error().sentence == "is no trace");
  CHECK(asked == kStreamFront);
}

TEST_CASE("what ends within its front is not doubted") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(write(ends[1], "abc", 3) == 3);
  close(ends[1]);
  const auto bytes =
      read_stream(ends[0], "pipe", {.most = 3, .doubt = [](auto, const auto&) -> Status {
                                      return fail(input_error("is no trace"));
                                    }});
  close(ends[0]);
  REQUIRE(bytes);
  CHECK(bytes->size() == 3);
}

}  // namespace
}  // namespace kutrace
