// SPDX-License-Identifier: BSD-3-Clause
// The file being recorded: whole 64 KiB blocks at aligned offsets.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "device/finished_block.h"

namespace kutrace {

class TraceFile {
 public:
  // growing: the file has its name from the start and can be read at any time, as a recorder that
  // may be killed needs it. Otherwise it appears under its name only when it is whole.
  static Result<TraceFile> create(const std::string& path, bool growing);
  TraceFile(TraceFile&& other) noexcept;
  TraceFile& operator=(TraceFile&&) = delete;
  // A file that was not kept is removed, unless it was growing.
  ~TraceFile();

  Status write_block(std::uint64_t number, const std::uint64_t* words);
  // A recorded block, with the wall clock that its header lacks.
  Status write_block(std::uint64_t number, const FinishedBlock& block, std::uint64_t usec);
  // Gives the file its name, and to the user who called sudo.
  Status keep();
  // Nothing was recorded: leaves no file behind.
  void discard();

 private:
  TraceFile(int fd, std::string path, std::string written_as);
  Error write_error(int error) const;
  Status write_parts(std::uint64_t number, std::array<iovec, 2> parts);

  int fd_;
  std::string path_;
  std::string written_as_;  // temporary name; the path itself for a growing file
  bool kept_ = false;
};

}  // namespace kutrace
