// SPDX-License-Identifier: BSD-3-Clause
// The source of who may not record by himself: blocks come from the daemon, which records for all.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "format/event_groups.h"
#include "record/source/call_choice.h"
#include "record/source/source.h"

namespace kutrace::record {

// What a daemon lets the reader have of what it asked for.
struct ServedShare {
  EventGroups groups;
  CallChoice arguments;
};

Result<std::unique_ptr<Source>> open_served_source(const SourceOptions& options,
                                                   const std::string& socket);

// That of a source which open_served_source() opened; of any other nothing is known.
std::optional<ServedShare> share_of(const Source& source);

// Whether a daemon can be reached there.
bool daemon_listens(const std::string& socket);

}  // namespace kutrace::record
