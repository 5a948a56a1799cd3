// SPDX-License-Identifier: BSD-3-Clause
// Opening whichever form of trace a file has.
#include "read/trace/trace_input.h"

#include <span>
#include <utility>

#include "base/compressed.h"
#include "base/mapped_file.h"
#include "read/ctf/ctf_form.h"
#include "read/trace/trace_forms.h"

namespace kutrace::read {

namespace {

Error is_other_text(const std::string& name) {
  return input_error(
             "is text, but neither span JSON nor a page of spans nor Chrome's JSON nor events of "
             "the kernel")
      .with_file(name)
      .with_hint("give a raw trace, a .json of spans, an .html page, or what perf script prints");
}

// A pipe or device of which not even the front is of a trace need not be read to its end, which
// may never come.
Status doubt_front(std::span<const std::byte> front, const std::string& name) {
  if (packing_of(front) != Packing::kNone) return {};
  const TraceForm* form = find_form({reinterpret_cast<const char*>(front.data()), front.size()});
  if (form == nullptr) return fail(is_other_text(name));
  return form->doubt != nullptr ? form->doubt(front, name) : Status();
}

}  // namespace

Result<TraceInput> TraceInput::open(const std::string& path) {
  const std::string metadata = ctf_metadata_in(path);
  KUTRACE_ASSIGN(MappedFile packed,
                 MappedFile::open(metadata.empty() ? path : metadata, {.doubt = doubt_front}));
  KUTRACE_ASSIGN(Unpacked unpacked, unpack(std::move(packed)));
  TraceInput input;
  input.name_ = unpacked.file.name();
  input.cut_ = unpacked.cut;
  const TraceForm* form = find_form(as_text(unpacked.file));
  if (form == nullptr) return fail(is_other_text(input.name_));
  KUTRACE_ASSIGN(input.reader_, form->open(std::move(unpacked.file)));
  return input;
}

bool TraceInput::is_folder(const std::string& path) { return !ctf_metadata_in(path).empty(); }

Result<RawFile> TraceInput::take_raw() && {
  if (RawFile* raw = reader_->raw()) return std::move(*raw);
  return fail(input_error("is a file of spans; this needs the raw trace")
                  .with_file(name_)
                  .with_hint("the raw trace is what the recorder wrote (.raw, .trace)"));
}

Result<TraceInfo> TraceInput::replay(NameTable& names, SpanSink& sink,
                                     const std::function<void(double)>& progress) const {
  return reader_->replay(names, sink, opened(), progress);
}

std::unique_ptr<SpanSlabs> TraceInput::slabs(NameTable& names) const {
  return reader_->slabs(names, opened());
}

Counters TraceInput::opened() const {
  Counters opened;
  if (cut_) opened.add(Counter::kPackedInputCut);
  return opened;
}

}  // namespace kutrace::read
