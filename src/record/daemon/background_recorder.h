// SPDX-License-Identifier: BSD-3-Clause
// A recording that outlives the process which asked for it: a small process keeps the source, and
// takes orders from any later one of the same user. Its orders:
//   on, off         starts; ends, and keeps what was recorded
//   dump UID GID NAME PATH    ends if need be, writes the file for this user, and is gone
//   dump_for UID GID LENGTH NAME PATH    the same; the user's name has this length, and may hold
//                   blanks
//   reset           throws all away, and is gone
//   groups +A -B    what is recorded from now on
//   args +net -read    of which system calls all arguments are recorded from now on
//   pids +12 -34    which processes are recorded from now on
//   pause, resume   switches off all groups that can be; and on again
//   stat            how much there is
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "record/daemon/control_message.h"
#include "record/run/recorder.h"

namespace kutrace::record {

// Starts the process; returns when its source is ready, or with what was wrong.
Result<Reply> start_background_recorder(const RecordOptions& options);

// Nothing if there is no recorder, or it was killed.
Result<std::optional<Reply>> order(const std::string& text);

// The order that makes it write the file, for the user who called sudo.
std::string order_to_dump(const std::string& path);

}  // namespace kutrace::record
