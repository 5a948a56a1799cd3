// SPDX-License-Identifier: BSD-3-Clause
// Lines that a person types at a terminal, with history, editing and completion of words. In: a
// prompt, and the words there are; out: lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kutrace::cli {

// One at a time: the library behind it has one state.
class LineEditor {
 public:
  explicit LineEditor(std::vector<std::string> words);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Nothing: the input is at its end, or a signal came.
  std::optional<std::string> read(const std::string& prompt);

 private:
  std::vector<std::string> words_;
};

}  // namespace kutrace::cli
