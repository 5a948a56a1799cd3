// SPDX-License-Identifier: BSD-3-Clause
// The words of raw blocks as hexadecimal text; headers and trailers are marked as such.
// In: a raw file; out: lines.
#pragma once

#include <cstdint>
#include <optional>

#include "emit/text/text_sink.h"
#include "format/raw_file.h"

namespace kutrace::emit {

struct HexOptions {
  std::optional<std::uint32_t> block;  // only this one
  bool zeros = false;                  // lines of zeros, too, which are else one "..."
};

//   block 3 CPU 1 2023-11-14 22:13:20.000123 UTC
//   [00030000] 0100000012345678 0005000000000000 0000000000000001 0000000000000000  ....
//   [00030030] 12345.80100000003 12350.a0100000001 ...
// Offsets are in the file. An entry is TIME.EVENTARGUMENT, words that follow in it are _16 digits;
// header and trailer words are 16 digits. The text at the end is the same bytes.
void dump_hex(const RawFile& file, const HexOptions& options, const LineSink& line);

}  // namespace kutrace::emit
