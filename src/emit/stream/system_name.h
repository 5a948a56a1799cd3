// SPDX-License-Identifier: BSD-3-Clause
// What a machine is called, from the fact that tells it: "Linux host 6.1.0 #1 SMP x86_64". In: that
// text; out: its parts, which are parts of the text.
#pragma once

#include <string_view>

namespace kutrace::emit {

struct SystemName {
  std::string_view system;
  std::string_view release;
  std::string_view version;
  std::string_view machine;
};

SystemName system_name(std::string_view uname);

}  // namespace kutrace::emit
