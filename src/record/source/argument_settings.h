// SPDX-License-Identifier: BSD-3-Clause
// What a source is told of arguments. In: which calls; out: their settings: what each argument of
// any call is, so that other calls may be chosen later, and the counts of those that are chosen.
#pragma once

#include "kutrace/arguments.h"
#include "record/source/call_choice.h"

namespace kutrace::record {

kutrace_arguments argument_settings(const CallChoice& choice);

}  // namespace kutrace::record
