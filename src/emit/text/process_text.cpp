// SPDX-License-Identifier: BSD-3-Clause
// Lines of processes.
#include "emit/text/process_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kutrace::emit {

std::string process_line(const Process& process, const NameTable& names) {
  return fmt::format("{} {} {} {} {} {} \"{}\"", process.begin, process.end - process.begin,
                     process.number, static_cast<std::uint32_t>(process.id), process.parent,
                     process.threads.size(), json_escaped(names.text(process.name)));
}

void ProcessText::end(TraceInfo& /*info*/) {
  processes_.finish();
  for (const Process& process : processes_.all()) line_(process_line(process, names_));
}

}  // namespace kutrace::emit
