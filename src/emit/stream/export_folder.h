// SPDX-License-Identifier: BSD-3-Clause
// The folder that a form of several files becomes. In: names of files and bytes; out: the files,
// which who owns the program's outputs makes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kutrace::emit {

// False: what was asked for failed, as does all that follows; the folder knows why.
class ExportFolder {
 public:
  virtual ~ExportFolder() = default;
  // At the end of a file, which is new the first time.
  virtual bool append(const std::string& file, std::string_view bytes) = 0;
  // In the place of bytes that were appended before.
  virtual bool overwrite(const std::string& file, std::uint64_t offset, std::string_view bytes) = 0;
};

}  // namespace kutrace::emit
