// SPDX-License-Identifier: BSD-3-Clause
// Any file that holds a trace, opened: raw, span JSON, a page of ours or of KUtrace's, or a
// container; packed with gzip or zstd or not; "-" is standard input. Commands that need spans call
// `replay` and do not care which it was; those that need raw entries call `take_raw`.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/mapped_file.h"
#include "base/result.h"
#include "format/raw_file.h"
#include "model/names.h"
#include "model/span.h"
#include "model/trace_info.h"
#include "read/page/page_reader.h"
#include "read/span_json/json_reader.h"

namespace kutrace {

class TraceInput {
 public:
  static Result<TraceInput> open(const std::string& path);

  const std::string& name() const { return name_; }
  bool is_raw() const { return raw_.has_value(); }
  bool is_page() const { return page_.has_value(); }  // of ours
  const RawFile* raw() const { return raw_ ? &*raw_ : nullptr; }
  // The raw file, or a sentence that says what the input is instead.
  Result<RawFile> take_raw() &&;
  // Start of the recorded time, which is TraceInfo::begin of the replay.
  Result<Ns> begin() const;
  // The title that a file of spans carries; empty for a raw trace.
  std::string title() const;

  // Pushes every span into `sink`, as model/span.h promises. May be called again.
  Result<TraceInfo> replay(NameTable& names, SpanSink& sink,
                           const std::function<void(double)>& progress = {}) const;

 private:
  enum class Form { kRaw, kJson, kPage, kContainer, kOtherText };

  TraceInput() = default;
  static Form form_of(std::string_view text);
  static Status doubt_front(std::span<const std::byte> front, const std::string& name);
  Status open_text(Form form);

  std::string name_;
  std::optional<RawFile> raw_;
  std::optional<MappedFile> text_;  // JSON or page, which `json_` or `page_` looks into
  std::optional<JsonSpans> json_;
  std::optional<PageSpans> page_;
  bool cut_ = false;  // the packed input ends early
};

}  // namespace kutrace
