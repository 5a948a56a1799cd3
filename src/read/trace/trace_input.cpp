// SPDX-License-Identifier: BSD-3-Clause
// Telling the forms of traces apart.
#include "read/trace/trace_input.h"

#include <algorithm>
#include <utility>

#include "base/compressed.h"
#include "base/stream.h"
#include "read/span_json/html_extract.h"
#include "spans/rebuild.h"
#include "timeline/trace_layout.h"

namespace kutrace {

namespace {

constexpr std::size_t kLookAt = 64;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view as_text(const MappedFile& file) {
  const auto bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Error is_other_text(const std::string& name) {
  return input_error("is text, but neither span JSON nor a page of spans")
      .with_file(name)
      .with_hint("give a raw trace, a .json of spans or an .html page");
}

bool is_text_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

// A raw file's header holds zero bytes, and text none.
TraceInput::Form TraceInput::form_of(std::string_view text) {
  if (is_container(text)) return Form::kContainer;
  const std::string_view front = text.substr(0, kLookAt);
  if (front.empty() || !std::all_of(front.begin(), front.end(), is_text_byte)) return Form::kRaw;
  std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  at = text.find_first_not_of(" \n\r\t", at);
  if (at == std::string_view::npos) return Form::kOtherText;
  if (text[at] == '{') return Form::kJson;
  return text[at] == '<' ? Form::kPage : Form::kOtherText;
}

// A pipe or device of which not even the front is of a trace need not be read to its end, which
// may never come.
Status TraceInput::doubt_front(std::span<const std::byte> front, const std::string& name) {
  if (packing_of(front) != Packing::kNone) return {};
  auto file = MappedFile::from_bytes({front.begin(), front.end()}, name);
  const Form form = form_of(as_text(file));
  if (form == Form::kOtherText) return fail(is_other_text(name));
  if (form != Form::kRaw) return {};
  KUTRACE_ASSIGN(const RawFile raw, RawFile::open(std::move(file)));
  const auto layout = lay_out(raw);
  return layout ? Status() : fail(layout.error());
}

Result<TraceInput> TraceInput::open(const std::string& path) {
  KUTRACE_ASSIGN(MappedFile packed, MappedFile::open(path, {.doubt = doubt_front}));
  KUTRACE_ASSIGN(Unpacked unpacked, unpack(std::move(packed)));
  TraceInput input;
  input.name_ = unpacked.file.name();
  input.cut_ = unpacked.cut;
  const Form form = form_of(as_text(unpacked.file));
  if (form == Form::kRaw) {
    KUTRACE_ASSIGN(input.raw_, RawFile::open(std::move(unpacked.file)));
    return input;
  }
  input.text_ = std::move(unpacked.file);
  KUTRACE_TRY(input.open_text(form));
  return input;
}

Status TraceInput::open_text(Form form) {
  const std::string_view text = as_text(*text_);
  if (form == Form::kContainer || (form == Form::kPage && is_own_page(text))) {
    KUTRACE_ASSIGN(page_, PageSpans::open(text, name_));
    return {};
  }
  if (form == Form::kOtherText) {
    return fail(is_other_text(name_));
  }
  EmbeddedJson json{text, 0};
  if (form == Form::kPage) {
    KUTRACE_ASSIGN(json, find_embedded_json(text, name_));
  } else if (text.starts_with(kByteOrderMark)) {
    json = {text.substr(kByteOrderMark.size()), kByteOrderMark.size()};
  }
  KUTRACE_ASSIGN(json_, JsonSpans::open(json.text, name_, json.offset));
  return {};
}

Result<RawFile> TraceInput::take_raw() && {
  if (raw_) return std::move(*raw_);
  return fail(input_error("is a file of spans; this needs the raw trace")
                  .with_file(name_)
                  .with_hint("the raw trace is what the recorder wrote (.raw, .trace)"));
}

std::string TraceInput::title() const {
  if (page_) return page_->title();
  return json_ ? json_->header().title : std::string();
}

Result<Ns> TraceInput::begin() const {
  if (page_) return page_->begin();
  if (json_) return json_->begin();
  KUTRACE_ASSIGN(const TraceLayout layout, lay_out(*raw_));
  return layout.begin;
}

Result<TraceInfo> TraceInput::replay(NameTable& names, SpanSink& sink,
                                     const std::function<void(double)>& progress) const {
  TraceInfo info;
  if (raw_) {
    KUTRACE_ASSIGN(info, rebuild(*raw_, names, sink, progress));
  } else if (page_) {
    KUTRACE_ASSIGN(info, page_->replay(names, sink, progress));
  } else {
    info = json_->replay(names, sink, progress);
  }
  if (cut_) ++info.damage["packed_input_cut"];
  return info;
}

}  // namespace kutrace
