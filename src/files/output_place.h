// SPDX-License-Identifier: BSD-3-Clause
// Where a result is to go, found by the path that was asked for: a name in a folder, or something
// that takes bytes in turn (standard output, a pipe, a device, a descriptor of this process).
#pragma once

#include <string>

#include "base/result.h"
#include "files/descriptor.h"

namespace kutrace::files {

struct OutputPlace {
  std::string path;   // for messages
  Descriptor stream;  // if it takes bytes in turn
  Descriptor folder;  // else: where the file is to stand,
  std::string name;   // under this name
};

// Whether what is written there is mixed with what a command of this process prints, whatever the
// path calls it: -, /dev/stdout, /dev/fd/N, the pipe's name.
bool is_standard_output(const std::string& path);

// Which symbolic links are followed says path_walk.h. The caller decides as whom (AsInvokingUser).
// A named pipe must have a reader, or get one soon.
Result<OutputPlace> find_output_place(const std::string& path);

// Whether a recorder is writing this file now, see hold_while_writing.
bool is_being_recorded(int descriptor);
// Until the descriptor is closed everybody can know that this new file is being recorded, except
// where the kernel or the file system has no locks: of two recordings of one name, the first to end
// is then kept as NAME.old.
void hold_while_writing(int descriptor);

// Fails if writing there would destroy what this process reads or what is being recorded. `own`: a
// descriptor of the new file itself, or -1.
Status check_output_place(const OutputPlace& place, int own);

// NAME.xxxxxxxx: nobody can guess it.
std::string unpredictable_name(const std::string& name);
// The names of new files beside the one whose place they are to take: NAME.xxxxxxxx.part.
std::string name_of_part(const std::string& name);
bool is_part_of(const std::string& candidate, const std::string& name);

}  // namespace kutrace::files
