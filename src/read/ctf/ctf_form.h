// SPDX-License-Identifier: BSD-3-Clause
// CTF traces, as LTTng writes them: a folder with a file `metadata` and a file for each stream.
#pragma once

#include <string>

#include "read/form/trace_form.h"

namespace kutrace::read {

extern const TraceForm kCtfForm;

// The metadata of the trace that a folder holds, itself or in `kernel` in it. Empty: it holds none.
std::string ctf_metadata_in(const std::string& folder);

}  // namespace kutrace::read
