// SPDX-License-Identifier: BSD-3-Clause
// A CTF trace made a raw trace. In: its metadata and its streams, each a file; out: a reader of
// what they hold.
#pragma once

#include <memory>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "read/form/trace_form.h"

namespace kutrace::read {

// Errors name the metadata's file, where they name none of their own.
Result<std::unique_ptr<TraceReader>> import_ctf(const MappedFile& metadata,
                                                std::vector<MappedFile> streams);

}  // namespace kutrace::read
