// SPDX-License-Identifier: BSD-3-Clause
// CTF traces as LTTng writes them, made by hand: what the kernel's tracepoints told goes in; the
// metadata and a stream for each CPU come out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "support/foreign_traces.h"

namespace kutrace::test {

struct CtfOptions {
  bool is_ctf2 = false;
  bool is_in_packets = false;  // the metadata
  bool is_big_endian = false;
  bool is_large = false;    // 16 and 32 bits for id and time in place of 5 and 27
  bool has_thread = false;  // as context of each event
  std::size_t packet = 4;   // events
};

struct CtfFiles {
  std::string metadata;
  std::vector<std::string> streams;
};

CtfFiles ctf_files(const ForeignTrace& trace, const CtfOptions& options = {});

// All of them in one, for fuzzing: u32 length and bytes of each, the metadata first.
std::string joined(const CtfFiles& files);

}  // namespace kutrace::test
