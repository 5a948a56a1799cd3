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
#include "files/descriptor.h"
#include "files/new_file.h"
#include "record/blocks/finished_block.h"

namespace kutrace::record {

class TraceFile {
 public:
  // path: "-" is standard output. Until the object is gone no other recorder may write there.
  static Result<TraceFile> create(const std::string& path);

  // KUTRACE_FLAG_IPC, KUTRACE_FLAG_LLC; with one, each block has them and a trailer.
  void set_counters(unsigned counters) { counters_ = counters; }
  Status write_block(std::uint64_t number, const std::uint64_t* words);
  // A recorded block, with the wall clock that its header lacks.
  Status write_block(std::uint64_t number, const FinishedBlock& block, std::uint64_t usec);
  std::uint64_t block_bytes() const;
  // Gives the file its name already, so that it can be read while it grows, and after the recorder
  // was killed. A file that never gets its name is removed.
  Status appear();
  // Fails if somebody else cut it or wrote to it.
  Status check_untouched() const;
  // Gives the file its name, or its bytes to where they are to go. Fails, too, if the name that it
  // has since it appeared does not lead to it any more.
  Status keep();
  // Where it stands now, wherever it was moved; empty if it has no name.
  std::string path_now() const { return nameless_ ? std::string() : file_.path_now(); }
  // For what has no name any more: its bytes under another.
  Status save_as(const std::string& path) const;

 private:
  using Parts = std::array<iovec, 3>;  // the first words, the others, the trailer

  TraceFile(files::NewFile file, files::Descriptor nameless);
  Error write_error(int error) const;
  Status copy_to(const files::NewFile& target) const;
  Status write_parts(std::uint64_t number, Parts parts);
  Status write_words(std::uint64_t number, const std::uint64_t* words, std::uint64_t usec,
                     const std::uint8_t* trailer);

  int fd() const { return nameless_ ? nameless_.get() : file_.fd(); }

  files::NewFile file_;
  files::Descriptor nameless_;  // what a stream gets at the end
  std::uint64_t size_ = 0;      // as this object made it
  unsigned counters_ = 0;
};

}  // namespace kutrace::record
