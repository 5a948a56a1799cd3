// SPDX-License-Identifier: BSD-3-Clause
// Telling of a broken promise.
#include "base/check.h"

namespace kutrace {

void broken(const char* promise) { throw Bug(promise); }

}  // namespace kutrace
