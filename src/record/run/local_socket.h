// SPDX-License-Identifier: BSD-3-Clause
// The place where a recorder can be reached: a socket in a folder that only its user can write to.
// One recorder per user and name; one that was killed is not in the way.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "files/descriptor.h"

namespace kutrace::record {

// Where a recorder of this user has its socket, by the name of the file.
Result<std::string> socket_path(std::string_view name);
// -1 in the descriptor: there is no recorder.
Result<files::Descriptor> connect_to_recorder(const std::string& path);
// Fails if another recorder listens there; `hint` says what to do then.
Result<files::Descriptor> listen_for_orders(const std::string& path, std::string_view hint);

// All until the other side has said its last.
std::string read_all(int fd);
bool send_all(int fd, const std::string& text);

}  // namespace kutrace::record
