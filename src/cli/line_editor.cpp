// SPDX-License-Identifier: BSD-3-Clause
// Through libedit, as which it is declared in its readline interface.
#include "cli/line_editor.h"

#include <editline/readline.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace kutrace::cli {

namespace {

constexpr int kMostLines = 1000;

// Of the editor that lives.
const std::vector<std::string>* known_words = nullptr;

// The words that begin so, one a call; memory as the library frees it.
char* next_word(const char* begin, int again) {
  static std::size_t at = 0;
  if (again == 0) at = 0;
  while (known_words != nullptr && at < known_words->size()) {
    const std::string& word = (*known_words)[at++];
    if (word.starts_with(begin)) return strdup(word.c_str());
  }
  return nullptr;
}

// File names are never meant.
char** complete(const char* begin, int /*start*/, int /*end*/) {
  rl_attempted_completion_over = 1;
  return rl_completion_matches(begin, next_word);
}

struct Freed {
  void operator()(char* text) const { std::free(text); }  // NOLINT(cppcoreguidelines-no-malloc)
};

}  // namespace

LineEditor::LineEditor(std::vector<std::string> words) : words_(std::move(words)) {
  known_words = &words_;
  rl_readline_name = "kutrace";
  rl_attempted_completion_function = complete;
  rl_catch_signals = 0;
  using_history();
  stifle_history(kMostLines);
}

LineEditor::~LineEditor() { known_words = nullptr; }

std::optional<std::string> LineEditor::read(const std::string& prompt) {
  const std::unique_ptr<char, Freed> line(readline(prompt.c_str()));
  if (line == nullptr) return std::nullopt;
  if (*line != '\0') add_history(line.get());
  return line.get();
}

}  // namespace kutrace::cli
