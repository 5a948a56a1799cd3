// SPDX-License-Identifier: BSD-3-Clause
// How other processes of this user, and root, ask a flight recorder for a snapshot, or for other
// groups of events: one line each way, then the connection is over. In: connections; out: what was
// asked, answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"
#include "files/local_socket.h"

namespace kutrace::record {

class SnapshotSocket {
 public:
  // Nobody can ask.
  SnapshotSocket() = default;
  static Result<SnapshotSocket> listen();

  // Become readable when somebody asks.
  std::vector<int> descriptors() const;
  // Who asked for a snapshot since the last time, and waits for answer().
  std::vector<files::Descriptor> take_callers();
  static void answer(const std::vector<files::Descriptor>& callers, const std::string& line);
  // Words of who asked for other groups; he waits for answer_groups().
  std::optional<std::vector<std::string>> groups_asked();
  void answer_groups(const std::string& line);

 private:
  struct Caller {
    files::Descriptor connection;
    std::string said;
    int rounds = 0;  // that he has said nothing more
  };
  void listen_to_callers();
  bool has_said_all(Caller& caller);

  files::LocalSocket listener_;
  std::vector<Caller> callers_;             // who have not said what they want
  std::vector<files::Descriptor> waiting_;  // who asked for a snapshot
  std::vector<Caller> for_groups_;
};

// Asks the flight recorder that runs here, and waits for its answer: the path of the snapshot.
Result<std::string> ask_for_snapshot();
// The same for other groups; nothing: no flight recorder runs here.
Result<std::optional<std::string>> ask_flight_for_groups(const std::vector<std::string>& words);

// The line that says that it failed.
std::string refusal(const Error& error);

}  // namespace kutrace::record
