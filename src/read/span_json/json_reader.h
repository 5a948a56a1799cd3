// SPDX-License-Identifier: BSD-3-Clause
// Span JSON as upstream's tools write it, back to spans. In: the text of one JSON object, which
// must outlive this; out: spans in the order that model/span.h promises, and what is known of the
// trace. Nothing of the text is copied and no tree is built: memory does not grow with the file,
// unless its spans are out of order, which costs 64 bytes a span.
//
// Accepted: versions 2 and 3, any layout and order of keys, records in any order, the keys "extra"
// and "savedview" of the page. A damaged record costs that record; a file that ends early is read
// as far as it goes; both are counted as damage. A profile's rows ("presorted") become rows that
// begin at time 0. Refused: logs of RPCs (version 4).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/trace_info.h"
#include "read/span_json/json_header.h"

namespace kutrace::read {

class JsonSpans {
 public:
  // `text` starts `offset` bytes behind the start of the file `name`: errors say where in the file.
  static Result<JsonSpans> open(std::string_view text, std::string name, std::uint64_t offset = 0);

  Ns begin() const { return found_.begin; }
  Ns end() const { return found_.end; }
  const JsonHeader& header() const { return header_; }

  // May be called again; every call gives the same.
  TraceInfo replay(NameTable& names, SpanSink& sink, const Counters& opened = {},
                   const std::function<void(double)>& progress = {}) const;

 private:
  // What the first pass over the records finds out.
  struct Found {
    Ns begin = 0;
    Ns end = 0;
    std::uint64_t spans = 0;      // records that are spans
    std::uint64_t cpu_spans = 0;  // of them, what CPUs did
    std::uint64_t other = 0;      // records of another shape
    std::uint64_t damaged = 0;    // records that are not JSON
    std::uint64_t disorder = 0;   // CPU spans that start before the one before them
    std::uint64_t first_bad = 0;  // position of the first record that is not usable
    bool cut = false;             // the array does not end
    bool of_rows = false;         // taken for a profile's
    std::vector<CpuId> cpus;
  };
  class Replay;

  JsonSpans(std::string_view text, std::string name, std::uint64_t offset)
      : text_(text), name_(std::move(name)), offset_(offset) {}

  Status read_object();
  void survey(JsonScanner& scanner);
  void survey_rows();
  Status judge() const;
  Error error(std::string sentence, std::size_t at) const;

  std::string_view text_;
  std::string name_;
  std::uint64_t offset_;
  JsonHeader header_;
  std::size_t events_at_ = std::string_view::npos;  // of the array's bracket
  bool tail_lost_ = false;                          // keys behind the array are not readable
  Found found_;
};

}  // namespace kutrace::read
