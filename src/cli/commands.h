// SPDX-License-Identifier: BSD-3-Clause
// The commands of the program: one add_<verb> per cmd_<verb>.cpp.
#pragma once

#include "cli/command.h"

namespace kutrace::cli {

void add_align(const Command& program);
void add_blame(const Command& program);
void add_check(const Command& program);
void add_coarsen(const Command& program);
void add_control(const Command& program);
void add_daemon(const Command& program);
void add_flight(const Command& program);
void add_top(const Command& program);
void add_count(const Command& program);
void add_diff(const Command& program);
void add_doctor(const Command& program);
// So that the parser takes "-faults" behind `control groups` for a word.
std::vector<std::string> with_signed_words(std::vector<std::string> words);

// So that the parser takes `export --to FORMAT`, as other programs call it, for --format: --to is
// the end of a window.
std::vector<std::string> with_export_form(std::vector<std::string> words);

void add_dump(const Command& program);
void add_export(const Command& program);
void add_hexdump(const Command& program);
void add_info(const Command& program);
void add_locks(const Command& program);
void add_mark(const Command& program);
void add_overhead(const Command& program);
void add_pcap(const Command& program);
void add_profile(const Command& program);
void add_query(const Command& program);
void add_raw(const Command& program);
void add_record(const Command& program);
void add_report(const Command& program);
void add_spans(const Command& program);
void add_stat(const Command& program);
void add_svg(const Command& program);
void add_symbolize(const Command& program);
void add_syscalls(const Command& program);
void add_trim(const Command& program);
void add_why(const Command& program);

}  // namespace kutrace::cli
