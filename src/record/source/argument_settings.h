// SPDX-License-Identifier: BSD-3-Clause
// What a source is told of arguments. In: which calls; out: their settings.
#pragma once

#include "kutrace/arguments.h"
#include "record/source/call_choice.h"

namespace kutrace::record {

kutrace_arguments argument_settings(const CallChoice& choice);

}  // namespace kutrace::record
