// SPDX-License-Identifier: BSD-3-Clause
// A check of numbers on the command line. In: the text of an option; out: what is wrong with it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace kutrace::cli {

// CLI11 takes -1 for a large number where it wants one without sign.
inline CLI::Validator at_least(std::uint64_t least) {
  return {[least](const std::string& text) -> std::string {
            std::uint64_t number = 0;
            const bool is_negative = text.find('-') != std::string::npos;
            if (!is_negative && (!CLI::detail::lexical_cast(text, number) || number >= least))
              return {};  // what is no number is told when it is converted
            return "Value " + text + " is less than " + std::to_string(least);
          },
          std::string()};
}

}  // namespace kutrace::cli
