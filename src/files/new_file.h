// SPDX-License-Identifier: BSD-3-Clause
// A result on its way: a private file beside the place it is to take, which takes it when whole, or
// a stream. The only way in which the program creates files that stay. In: a path; out: a
// descriptor, and later the name.
#pragma once

#include <string>

#include "base/result.h"
#include "files/descriptor.h"
#include "files/output_place.h"
#include "files/unfinished_files.h"

namespace kutrace::files {

class NewFile {
 public:
  enum class Purpose {
    kResult,     // of a command that reads
    kRecording,  // nobody else may write there while it lasts; what stood there is kept as NAME.old
  };

  // Refuses a place whose file is an input of this process or is being recorded.
  static Result<NewFile> create(const std::string& path, Purpose purpose);
  NewFile(NewFile&&) = default;
  NewFile& operator=(NewFile&&) = delete;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  // Removes the file unless it has its name.
  ~NewFile();

  bool is_stream() const { return static_cast<bool>(place_.stream); }
  int fd() const { return is_stream() ? place_.stream.get() : file_.get(); }
  const std::string& path() const { return place_.path; }
  // Puts the file under its name. A stream has its place already. May be called again.
  Status take_name();
  // The name under which the file stands now, wherever it was moved; empty if it has none that
  // stays.
  std::string path_now() const;

 private:
  NewFile(std::string asked, OutputPlace place, Purpose purpose)
      : asked_(std::move(asked)), place_(std::move(place)), purpose_(purpose) {}
  Status make_file();
  Result<bool> keeps_old() const;
  Status check_old() const;
  Status keep_old() const;
  Status check_name() const;

  std::string asked_;
  OutputPlace place_;
  Purpose purpose_;
  Descriptor file_;
  std::string part_;  // its name until it takes the one it is made for; then empty
  UnfinishedFile unfinished_;
};

}  // namespace kutrace::files
