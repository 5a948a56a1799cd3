// SPDX-License-Identifier: BSD-3-Clause
// The folder of a flight recorder's snapshots. In: limits; out: names for new ones, and the oldest
// ones removed, with the rights of the user who called sudo. Files that have another form of name
// are nobody's business here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace kutrace::cli {

struct SnapshotLimits {
  std::size_t number = 0;  // 0: no limit, as of the others
  std::uint64_t bytes = 0;
  Ns age = 0;
};

class SnapshotFolder {
 public:
  // Makes the folder if it is not there.
  static Result<SnapshotFolder> open(const std::string& path, SnapshotLimits limits);

  // Where a snapshot of this moment goes, which was asked for by such a thing.
  std::string new_path(std::string_view kind) const;
  // Removes the oldest until the limits hold, but never the newest, nor one of `kept`. Out: what
  // went.
  std::vector<std::string> prune(const std::vector<std::string>& kept) const;

 private:
  SnapshotFolder(std::string path, SnapshotLimits limits)
      : path_(std::move(path)), limits_(limits) {}

  std::string path_;
  SnapshotLimits limits_;
};

}  // namespace kutrace::cli
