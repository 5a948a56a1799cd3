// SPDX-License-Identifier: BSD-3-Clause
// What is said where the kernel does not take the programs.
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "record/ebpf/load_error.h"

namespace kutrace::record {
namespace {

TEST_CASE("each line of libbpf's words is a cause of its own") {
  const Error error = load_error(EINVAL, "libbpf: one\nlibbpf: two\n");
  CHECK(error.causes == std::vector<std::string>{"libbpf: one", "libbpf: two"});
  CHECK(error.hint == kAskDoctor);
  CHECK(load_error(EINVAL).causes.empty());
}

TEST_CASE("programs that are not permitted name the capability") {
  CHECK(load_error(EPERM).hint.find("CAP_SYS_ADMIN") != std::string::npos);
}

}  // namespace
}  // namespace kutrace::record
