// SPDX-License-Identifier: BSD-3-Clause
// A field of a CSV line. In: any text; out: the text, in quotes if it needs them (RFC 4180).
#pragma once

#include <string>

namespace kutrace::emit {

std::string csv_field(const std::string& text);

}  // namespace kutrace::emit
