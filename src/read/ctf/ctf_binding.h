// SPDX-License-Identifier: BSD-3-Clause
// The last step to a schema that can be read by. In: what the metadata say; out: the same, with
// byte orders, with the fields that tell lengths and choices found, and with what the names of
// fields mean where nothing else says it.
#pragma once

#include "base/result.h"
#include "read/ctf/ctf_schema.h"

namespace kutrace::read {

Status bind_fields(CtfSchema& schema);

}  // namespace kutrace::read
