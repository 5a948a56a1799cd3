// SPDX-License-Identifier: BSD-3-Clause
// A path gone name by name, so that it is known of every link on it who made it. In: a path; out:
// the folder that holds its last name, and what is there now.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "files/descriptor.h"

namespace kutrace::files {

struct WalkEnd {
  Descriptor folder;
  std::string name;
  std::optional<struct stat> there;  // never a link; nothing: the name is free
  int own_descriptor = -1;           // it is this number in /proc/self/fd
};

// Links are followed as the kernel does, but only if they are those of the user who asks or of
// root: root follows no others anywhere; other users follow them where not everybody may write.
// The caller decides as whom (AsInvokingUser). A path that ends in a folder is an error.
Result<WalkEnd> walk_to(const std::string& path);

bool is_same_file(const struct stat& a, const struct stat& b);

// The error for a path to which nothing can be written.
Error cannot_write(const std::string& path, int number);

}  // namespace kutrace::files
