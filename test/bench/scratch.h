// SPDX-License-Identifier: BSD-3-Clause
// A folder for outputs, which is gone at the end with all in it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "base/result.h"

namespace kutrace::bench {

class Scratch {
 public:
  static Result<Scratch> make() {
    std::string name = (std::filesystem::temp_directory_path() / "kutrace-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return fail(output_error(name + " cannot be made"));
    return Scratch(name);
  }
  Scratch(Scratch&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit Scratch(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace kutrace::bench
