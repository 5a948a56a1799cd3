// SPDX-License-Identifier: BSD-3-Clause
// A result that is a folder of files, on its way: a private folder beside the place it is to take,
// which takes it when whole. In: a path where nothing stands, names of files, bytes; out: the
// folder under its name, or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "files/descriptor.h"
#include "files/late_bytes.h"
#include "files/output_place.h"
#include "files/unfinished_files.h"

namespace kutrace::files {

class NewFolder {
 public:
  static Result<NewFolder> create(const std::string& path);
  NewFolder(NewFolder&&) = default;
  NewFolder& operator=(NewFolder&&) = delete;
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  // Removes the folder unless it has its name.
  ~NewFolder();

  const std::string& path() const { return place_.path; }
  // At the end of a file, or in the place of what was appended, which may be done later. 0, or the
  // errno of what failed.
  int append(const std::string& file, std::string_view bytes);
  int overwrite(const std::string& file, std::uint64_t offset, std::string_view bytes);
  // Puts the folder under its name, where nothing may stand by now.
  Status take_name();

 private:
  explicit NewFolder(OutputPlace place) : place_(std::move(place)) {}
  Status make_folder();
  // A descriptor of the file, at its end; -1: errno says why.
  int open_file(const std::string& file);
  int write_late();
  Status close_files();

  OutputPlace place_;
  std::string part_;  // its name until it takes the one it is made for; then empty
  Descriptor folder_;
  std::map<std::string, Descriptor> files_;  // some of them, open
  std::map<std::string, LateBytes> late_;
  std::size_t late_pieces_ = 0;
  UnfinishedFile unfinished_;
};

}  // namespace kutrace::files
