// SPDX-License-Identifier: BSD-3-Clause
// A result that is a folder, and appears whole or not at all (files/new_folder.h). In: bytes of its
// files; out: the folder, or the reason of the first failure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "emit/stream/export_folder.h"
#include "files/new_folder.h"

namespace kutrace::cli {

class OutputFolder : public emit::ExportFolder {
 public:
  explicit OutputFolder(files::NewFolder folder) : folder_(std::move(folder)) {}

  bool append(const std::string& file, std::string_view bytes) override {
    if (failed_ == 0) failed_ = folder_.append(file, bytes);
    return failed_ == 0;
  }
  bool overwrite(const std::string& file, std::uint64_t offset, std::string_view bytes) override {
    if (failed_ == 0) failed_ = folder_.overwrite(file, offset, bytes);
    return failed_ == 0;
  }
  // Must be called last.
  Status finish() {
    if (failed_ == 0) return folder_.take_name();
    return fail(
        output_error("cannot be written: " + errno_text(failed_)).with_file(folder_.path()));
  }

 private:
  files::NewFolder folder_;
  int failed_ = 0;  // errno of the first failure
};

}  // namespace kutrace::cli
