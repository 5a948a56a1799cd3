// SPDX-License-Identifier: BSD-3-Clause
// Pages and containers among the forms.
#include "read/page/page_form.h"

#include <utility>

#include "read/page/page_blocks.h"
#include "read/page/page_reader.h"

namespace kutrace::read {

namespace {

class PageTrace : public TraceReader {
 public:
  PageTrace(MappedFile file, PageSpans spans) : file_(std::move(file)), spans_(std::move(spans)) {}

  Result<Ns> begin() const override { return spans_.begin(); }
  Result<TraceInfo> replay(NameTable& names, SpanSink& sink, const Counters& opened,
                           const std::function<void(double)>& progress) const override {
    return spans_.replay(names, sink, opened, progress);
  }
  std::unique_ptr<SpanSlabs> slabs(NameTable& names, const Counters& opened) const override {
    return spans_.slabs(names, opened);
  }
  std::string title() const override { return spans_.title(); }
  bool tells_lives() const override { return spans_.tells_lives(); }
  bool tells_nesting() const override { return spans_.tells_nesting(); }
  bool tells_moves() const override { return spans_.tells_moves(); }

 private:
  MappedFile file_;  // which the spans stand in
  PageSpans spans_;
};

bool is_page(std::string_view bytes) {
  return is_container(bytes) || (first_of_text(bytes) == '<' && is_own_page(bytes));
}

Result<std::unique_ptr<TraceReader>> open(MappedFile file) {
  KUTRACE_ASSIGN(PageSpans spans, PageSpans::open(as_text(file), file.name()));
  return std::make_unique<PageTrace>(std::move(file), std::move(spans));
}

}  // namespace

const TraceForm kPageForm = {is_page, open};

}  // namespace kutrace::read
