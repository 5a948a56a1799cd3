// SPDX-License-Identifier: BSD-3-Clause
// A raw file as text: every block header and every word, as they stand.
#pragma once

#include "emit/text/text_sink.h"
#include "format/raw_file.h"

namespace kutrace::emit {

//   block N cpu C base B usec U flags F pid P "comm"
//     word index timestamp event argument(8 hex digits)    continuation words: 16 hex digits
void dump_raw(const RawFile& file, const LineSink& line);

}  // namespace kutrace::emit
