// SPDX-License-Identifier: BSD-3-Clause
// The daemon: one recording for all who read it. In: a socket at which it is asked
// (record/served/served_protocol.h); out: to each reader his part of the blocks, as they are
// finished. It records while somebody reads: the union of what the readers asked for.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>

#include "base/result.h"
#include "base/units.h"
#include "files/descriptor.h"
#include "record/source/source.h"
#include "serve/policy.h"

namespace kutrace::serve {

struct ServerOptions {
  Policy policy;
  std::optional<gid_t> group;                  // the policy's, if there is one
  std::uint32_t buffer_mb = 64;                // of the recording
  std::function<record::SourceKind()> source;  // that records, asked when somebody begins to read
  Ns idle = 0;                                 // ends after so long without a reader; 0: never
  // Told why nothing can be recorded, of which a reader gets the first sentence alone.
  std::function<void(const Error&)> on_trouble;
};

// Serves until it is to end. What stands in the socket's queue by then is refused.
Status serve(const ServerOptions& options, files::Descriptor listener);

}  // namespace kutrace::serve
