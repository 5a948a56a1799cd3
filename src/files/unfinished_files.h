// SPDX-License-Identifier: BSD-3-Clause
// Files, and folders of files, that are being written under a name that is not theirs: they go with
// whatever signal ends this process. In: folders and names; out: nothing left behind.
#pragma once

#include <string>

namespace kutrace::files {

// As long as it lives the file is unfinished. The folder must stay open as long.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  UnfinishedFile(int folder, const std::string& name);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile();

 private:
  int slot_ = -1;
};

// Removes those of this process. May be called in a signal handler.
void remove_unfinished_files();

}  // namespace kutrace::files
