// SPDX-License-Identifier: BSD-3-Clause
// How soon this process runs when it could: a recorder at once, what it starts as its caller.
#pragma once

namespace kutrace::record {

// A late reader means loss; refused without the right to.
void be_urgent();

// As before be_urgent, if that came.
void be_as_urgent_as_caller();

}  // namespace kutrace::record
