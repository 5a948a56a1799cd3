// SPDX-License-Identifier: BSD-3-Clause
// Lines of threads.
#include "emit/text/life_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kutrace::emit {

std::string life_line(const ThreadLife& life, const NameTable& names) {
  return fmt::format("{} {} {} {} {} {} {} \"{}\"", life.begin, life.duration(), life.pid,
                     static_cast<std::uint32_t>(life.thread), life.executing, life.waiting,
                     life.unknown(), json_escaped(names.text(life.name)));
}

}  // namespace kutrace::emit
