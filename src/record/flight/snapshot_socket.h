// SPDX-License-Identifier: BSD-3-Clause
// How other processes of this user, and root, ask a flight recorder for a snapshot: who connects
// asks, and is answered with one line. In: connections; out: that somebody asked, answers.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"

namespace kutrace::record {

class SnapshotSocket {
 public:
  // Nobody can ask.
  SnapshotSocket() = default;
  static Result<SnapshotSocket> listen();
  SnapshotSocket(SnapshotSocket&&) = default;
  SnapshotSocket& operator=(SnapshotSocket&&) = default;
  // Removes the socket.
  ~SnapshotSocket();

  // Become readable when somebody asks.
  std::vector<int> descriptors() const;
  // Whether somebody did since the last time.
  bool was_asked();
  // To all who wait.
  void answer(const std::string& line);

 private:
  std::string path_;
  files::Descriptor listener_;
  std::vector<files::Descriptor> waiting_;
};

// Asks the flight recorder that runs here, and waits for its answer: the path of the snapshot.
Result<std::string> ask_for_snapshot();

}  // namespace kutrace::record
