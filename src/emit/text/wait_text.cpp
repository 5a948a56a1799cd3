// SPDX-License-Identifier: BSD-3-Clause
// Naming waits.
#include "emit/text/wait_text.h"

#include <fmt/format.h>

#include "format/wait_word.h"

namespace kutrace::emit {

std::string waits_text(const reports::WaitTimes& waits) {
  std::string text;
  for (const char letter : wait_letters()) {
    const Ns time = reports::wait_of(waits, letter);
    if (time == 0) continue;
    text += fmt::format("{}{} {:.3f} ms", text.empty() ? "" : ", ", short_wait(letter),
                        static_cast<double>(time) / 1e6);
  }
  return text;
}

void waits_json(const reports::WaitTimes& waits, JsonText& json) {
  json.key("waits_ns").begin_object();
  for (const char letter : wait_letters()) {
    const Ns time = reports::wait_of(waits, letter);
    if (time != 0) json.key(short_wait(letter)).value(time);
  }
  json.end_object();
}

std::string waits_csv_head() {
  std::string head;
  for (const char letter : wait_letters()) head += fmt::format(",{}_ns", short_wait(letter));
  return head;
}

std::string waits_csv(const reports::WaitTimes& waits) {
  std::string text;
  for (const char letter : wait_letters()) {
    text += fmt::format(",{}", reports::wait_of(waits, letter));
  }
  return text;
}

}  // namespace kutrace::emit
