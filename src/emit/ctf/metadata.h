// SPDX-License-Identifier: BSD-3-Clause
// The file that tells readers of CTF 1.8 how to read the streams, and where and when they come
// from. In: what is known of the trace, and types of events; out: text.
#pragma once

#include <cstdint>
#include <string>

#include "emit/ctf/event_types.h"
#include "model/trace_info.h"

namespace kutrace::emit {

// `base`: the clock's time at the trace's time 0. `uuid`: 16 bytes.
std::string ctf_metadata(const TraceInfo& info, const EventTypes& types, Ns base,
                         const std::string& uuid);

}  // namespace kutrace::emit
