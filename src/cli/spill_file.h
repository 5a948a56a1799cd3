// SPDX-License-Identifier: BSD-3-Clause
// A file without a name for what does not fit into memory, on the disk that the output goes to. It
// is made when it is first needed, and gone with the program.
#pragma once

#include <string>

#include "base/spill.h"

namespace kutrace::cli {

class SpillFile : public Spill {
 public:
  // `output`: the path of the result; "-" puts the file where temporary files go.
  explicit SpillFile(const std::string& output);
  ~SpillFile() override;
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  Status append(std::span<const std::byte> bytes) override;
  Status read(std::uint64_t offset, std::span<std::byte> bytes) override;

 private:
  Status open();

  std::string folder_;
  int descriptor_ = -1;
};

}  // namespace kutrace::cli
