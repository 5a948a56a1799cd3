// SPDX-License-Identifier: BSD-3-Clause
// The words that command line and trace use.
#include "record/source/source.h"

namespace kutrace::record {

std::string_view name_of(RecordMode mode) {
  switch (mode) {
    case RecordMode::kFill:
      return "fill";
    case RecordMode::kWrap:
      return "wrap";
    case RecordMode::kStream:
      return "stream";
  }
  return "";
}

std::string_view name_of(SourceKind kind) {
  return kind == SourceKind::kModule ? "module" : "ebpf";
}

}  // namespace kutrace::record
