// SPDX-License-Identifier: BSD-3-Clause
// The end of a recording that several read: its file has what all threads did. In: the filter that
// the reader asked for, and the summary of the recording; out: a file in the same place, without
// what the filter leaves out.
#pragma once

#include "record/run/recorder.h"

namespace kutrace::cli {

// Where it fails the file stays as it is, and the summary says why.
void leave_out_others(const record::ThreadFilter& filter, record::Summary& summary);

}  // namespace kutrace::cli
