// SPDX-License-Identifier: BSD-3-Clause
// Splitting META texts at their first "=".
#include "timeline/meta_text.h"

namespace kutrace::timeline {

Facts MetaText::facts() const {
  Facts facts;
  for (const std::string& text : chunks_.texts()) {
    const std::size_t equal = text.find('=');
    if (equal == std::string::npos) {
      facts.add(text, "");
    } else {
      facts.add(text.substr(0, equal), text.substr(equal + 1));
    }
  }
  return facts;
}

}  // namespace kutrace::timeline
