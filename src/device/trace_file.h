// SPDX-License-Identifier: BSD-3-Clause
// The file being recorded: whole 64 KiB blocks at aligned offsets. The first ones are written again
// at the end, so what only takes bytes in turn (standard output, a pipe, a device) gets them then,
// out of a temporary file.
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
  // path: "-" is standard output.
  // growing: the file has its name from the start and can be read at any time, as a recorder that
  // may be killed needs it. Otherwise it appears under its name only when it is whole.
  // counters: KUTRACE_FLAG_IPC, KUTRACE_FLAG_LLC; with one, each block has them and a trailer.
  static Result<TraceFile> create(const std::string& path, bool growing, unsigned counters);
  TraceFile(TraceFile&& other) noexcept;
  TraceFile& operator=(TraceFile&&) = delete;
  // A file that was not kept is removed, unless it was growing.
  ~TraceFile();

  Status write_block(std::uint64_t number, const std::uint64_t* words);
  // A recorded block, with the wall clock that its header lacks.
  Status write_block(std::uint64_t number, const FinishedBlock& block, std::uint64_t usec);
  std::uint64_t block_bytes() const;
  // Gives the file its name, and to the user who called sudo.
  Status keep();
  // Nothing was recorded: leaves no file behind.
  void discard();

 private:
  using Parts = std::array<iovec, 3>;  // the first words, the others, the trailer

  TraceFile(int fd, std::string path, std::string written_as, unsigned counters);
  static Result<TraceFile> create_to_copy(const std::string& path, unsigned counters);
  Error write_error(int error) const;
  Status copy_out();
  Status write_parts(std::uint64_t number, Parts parts);
  Status write_words(std::uint64_t number, const std::uint64_t* words, std::uint64_t usec,
                     const std::uint8_t* trailer);

  int fd_;
  std::string path_;
  std::string written_as_;  // temporary name; the path itself for a growing file; or none
  unsigned counters_;
  int destination_ = -1;  // where a file without a name is copied to
  bool kept_ = false;
};

}  // namespace kutrace
