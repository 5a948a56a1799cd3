// SPDX-License-Identifier: BSD-3-Clause
// Hints that name a command about the same trace.
#pragma once

#include <string>

namespace kutrace::cli {

// "FILE" in the text is the trace's name as a shell takes it; of standard input, FILE stays.
std::string about_file(std::string text, const std::string& trace);
// For who names a mark that is not there.
std::string lists_marks(const std::string& trace);

}  // namespace kutrace::cli
