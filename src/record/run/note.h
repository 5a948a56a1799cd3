// SPDX-License-Identifier: BSD-3-Clause
// A sentence for the person who records.
#pragma once

#include <string>

namespace kutrace::record {

struct Note {
  bool is_warning = false;
  std::string text;
};

}  // namespace kutrace::record
