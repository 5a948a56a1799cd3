// SPDX-License-Identifier: BSD-3-Clause
// Stands for line_editor.cpp where libedit is absent: lines as the terminal gives them.
#include <iostream>
#include <utility>

#include "cli/line_editor.h"

namespace kutrace::cli {

LineEditor::LineEditor(std::vector<std::string> words) : words_(std::move(words)) {}
LineEditor::~LineEditor() = default;

std::optional<std::string> LineEditor::read(const std::string& prompt) {
  std::cout << prompt << std::flush;
  std::string line;
  if (!std::getline(std::cin, line)) {
    std::cin.clear();
    return std::nullopt;
  }
  return line;
}

}  // namespace kutrace::cli
