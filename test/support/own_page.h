// SPDX-License-Identifier: BSD-3-Clause
// Pages of ours for tests: spans enter, a page or container leaves, without the viewer's script.
#pragma once

#include <string>

#include "emit/page/page_writer.h"

namespace kutrace::test {

// The page's text from its first block on; all of a container.
std::string finished_page(emit::PageWriter& page, const TraceInfo& info, const NameTable& names);

// A container whose header's text is another; its checksum is made anew.
std::string with_header(const std::string& container, const std::string& header);
// The header's text of a container, without the checksum.
std::string header_of(const std::string& container);

}  // namespace kutrace::test
