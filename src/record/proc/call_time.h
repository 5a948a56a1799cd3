// SPDX-License-Identifier: BSD-3-Clause
// How long a system call takes here and now: getppid in a tight loop, in batches.
#pragma once

namespace kutrace::record {

struct CallTime {
  double ns = 0;      // in the batch that was disturbed least
  double spread = 0;  // how much longer a quarter of the batches, at least, did not take
};

CallTime time_one_call();

}  // namespace kutrace::record
