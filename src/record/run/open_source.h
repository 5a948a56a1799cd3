// SPDX-License-Identifier: BSD-3-Clause
// Which source records: the one asked for, or the best that works here.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "record/source/source.h"

namespace kutrace::record {

Result<std::unique_ptr<Source>> open_source_of(SourceKind kind, const SourceOptions& options);

struct SourceChoice {
  SourceKind kind = SourceKind::kEbpf;
  std::string why;
};

// The module if it is loaded and lets this process record, else eBPF. Who can join records with
// it beside others.
SourceChoice best_source(bool can_join);

// Likewise; of who may not record by himself the daemon, if it listens there.
SourceChoice best_source_for_user(const std::string& daemon_socket, bool can_join);

}  // namespace kutrace::record
