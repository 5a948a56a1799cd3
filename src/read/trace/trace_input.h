// SPDX-License-Identifier: BSD-3-Clause
// Any file that holds a trace, opened: raw, span JSON, a page of ours or of KUtrace's, a container,
// or what another tool wrote, which may be a folder; packed with gzip or zstd or not; "-" is
// standard input. Commands that need spans call `replay` and do not care which it was; those that
// need raw entries call `take_raw`.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "format/raw_file.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/span_slabs.h"
#include "model/trace_info.h"
#include "read/form/trace_form.h"

namespace kutrace::read {

class TraceInput {
 public:
  static Result<TraceInput> open(const std::string& path);
  // Whether a folder is a trace, and not one that holds some.
  static bool is_folder(const std::string& path);

  const std::string& name() const { return name_; }
  bool is_raw() const { return raw() != nullptr; }
  const RawFile* raw() const { return reader_->raw(); }
  // The raw file, or a sentence that says what the input is instead.
  Result<RawFile> take_raw() &&;
  // As TraceReader has them.
  Result<Ns> begin() const { return reader_->begin(); }
  std::string title() const { return reader_->title(); }
  bool keeps_titles() const { return reader_->keeps_titles(); }
  bool tells_lives() const { return reader_->tells_lives(); }
  bool tells_moves() const { return reader_->tells_moves(); }
  bool tells_nesting() const { return reader_->tells_nesting(); }
  Result<TraceInfo> replay(NameTable& names, SpanSink& sink,
                           const std::function<void(double)>& progress = {}) const;
  std::unique_ptr<SpanSlabs> slabs(NameTable& names) const;

 private:
  TraceInput() = default;
  Counters opened() const;

  std::string name_;
  std::unique_ptr<TraceReader> reader_;
  bool cut_ = false;  // the packed input ends early
};

}  // namespace kutrace::read
