// SPDX-License-Identifier: BSD-3-Clause
// What may come next on a command line: for the shells, whose scripts ask `kutrace __complete`.
// In: the parser, the words typed behind the program's name, of which the last is not complete;
// out: what it may become, in the order of the help, or nothing where files are meant.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace kutrace::cli {

// The word that asks for it, first on the command line.
constexpr const char* kCompleteVerb = "__complete";

struct Completion {
  std::string word;
  std::string means;
};

std::vector<Completion> completions(const CLI::App& program, std::span<const std::string> words);

}  // namespace kutrace::cli
