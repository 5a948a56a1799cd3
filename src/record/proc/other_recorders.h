// SPDX-License-Identifier: BSD-3-Clause
// Who else records this machine. A recorder shows itself by an abstract Unix socket with a name,
// which needs no rights, makes no file and ends with its process; those of other network
// namespaces are not seen. Every recorder sees everything, and every event costs what all of them
// do there.
#pragma once

namespace kutrace::record {

unsigned count_other_recorders();

// Shows this process as a recorder as long as it lives.
class RecorderSign {
 public:
  RecorderSign();
  RecorderSign(const RecorderSign&) = delete;
  RecorderSign& operator=(const RecorderSign&) = delete;
  ~RecorderSign();

 private:
  int fd_ = -1;
};

}  // namespace kutrace::record
