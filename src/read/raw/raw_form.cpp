// SPDX-License-Identifier: BSD-3-Clause
// Raw traces among the forms.
#include "read/raw/raw_form.h"

#include <utility>

#include "spans/rebuild.h"
#include "timeline/stream_facts.h"
#include "timeline/trace_layout.h"

namespace kutrace::read {

namespace {

class RawReader : public TraceReader {
 public:
  explicit RawReader(RawFile file) : file_(std::move(file)) {}

  Result<Ns> begin() const override {
    KUTRACE_ASSIGN(const timeline::TraceLayout layout, timeline::lay_out(file_));
    return layout.begin;
  }
  Result<TraceInfo> replay(NameTable& names, SpanSink& sink, const Counters& opened,
                           const std::function<void(double)>& progress) const override {
    return spans::rebuild(file_, names, sink, opened, progress);
  }
  bool tells_lives() const override { return true; }
  bool tells_nesting() const override { return true; }
  bool tells_moves() const override {
    const auto layout = timeline::lay_out(file_);
    return layout && timeline::may_tell_moves(timeline::stream_facts(*layout));
  }
  RawFile* raw() override { return &file_; }

 private:
  RawFile file_;
};

// A raw file's header holds zero bytes, and text none.
bool is_raw(std::string_view bytes) { return !begins_as_text(bytes); }

Result<std::unique_ptr<TraceReader>> open(MappedFile file) {
  KUTRACE_ASSIGN(RawFile raw, RawFile::open(std::move(file)));
  return read_raw(std::move(raw));
}

Status doubt(std::span<const std::byte> front, const std::string& name) {
  auto file = MappedFile::from_bytes({front.begin(), front.end()}, name);
  KUTRACE_ASSIGN(const RawFile raw, RawFile::open(std::move(file)));
  const auto layout = timeline::lay_out(raw);
  return layout ? Status() : fail(layout.error());
}

}  // namespace

const TraceForm kRawForm = {is_raw, open, doubt};

std::unique_ptr<TraceReader> read_raw(RawFile file) {
  return std::make_unique<RawReader>(std::move(file));
}

}  // namespace kutrace::read
