// SPDX-License-Identifier: BSD-3-Clause
// Why intervals took as long as they did: as a story with the path, as CSV, as JSON. In: what was
// explained; out: lines, or one text. Times in CSV and JSON are nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emit/text/cause_text.h"
#include "emit/text/text_sink.h"
#include "reports/comparison.h"
#include "reports/latency.h"

namespace kutrace::emit {

struct WhyHead {
  std::string what;         // "call read"
  std::uint64_t found = 0;  // how many there are
  std::size_t top = 0;      // steps of a table, and causes that are no waits; the rest is one row
                            // together; 0: all
  std::size_t width = 0;    // of a line, as in fitted_table.h
};

// A piece of a path as text.
struct PathLine {
  Ns begin = 0;
  Ns duration = 0;
  CpuId cpu = kNoCpu;  // kNoCpu: nowhere
  std::string thread;  // "gcc.77"
  std::string cause;   // as reports/cause.h names it
  std::string text;    // in words
};
std::vector<PathLine> path_lines(const reports::Explained& explained, const CauseText& text);

void why_story(const reports::Explained& explained, const WhyHead& head, const CauseText& text,
               const LineSink& line);
void why_path_csv(const reports::Explained& explained, const CauseText& text, const LineSink& line);
std::string why_json(const reports::Explained& explained, const WhyHead& head,
                     const CauseText& text);

void why_comparison(const reports::Comparison& comparison,
                    const std::vector<reports::Interval>& slow, const WhyHead& head,
                    const CauseText& text, const LineSink& line);
void why_comparison_csv(const reports::Comparison& comparison, const CauseText& text,
                        const LineSink& line);
std::string why_comparison_json(const reports::Comparison& comparison, const WhyHead& head,
                                const CauseText& text);

}  // namespace kutrace::emit
