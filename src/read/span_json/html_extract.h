// SPDX-License-Identifier: BSD-3-Clause
// The span JSON inside a page that upstream's makeself wrote. In: a page's text; out: the part of
// it that is the JSON, in place.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kutrace::read {

struct EmbeddedJson {
  std::string_view text;   // starts at the object's brace; what follows the object is the page's
  std::size_t offset = 0;  // of it in the page
};

// The JSON stands in the page as a script's string, without any escaping: an apostrophe in a name
// ends that string for a browser, but not for this function.
Result<EmbeddedJson> find_embedded_json(std::string_view page, const std::string& file_name);

}  // namespace kutrace::read
