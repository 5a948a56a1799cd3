// SPDX-License-Identifier: BSD-3-Clause
// The source of who may not record by himself: blocks come from the daemon, which records for all.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "record/source/source.h"

namespace kutrace::record {

Result<std::unique_ptr<Source>> open_served_source(const SourceOptions& options,
                                                   const std::string& socket);

// Whether a daemon can be reached there.
bool daemon_listens(const std::string& socket);

}  // namespace kutrace::record
