// SPDX-License-Identifier: BSD-3-Clause
// The list of forms, in the order in which they are asked.
#include "read/trace/trace_forms.h"

#include <array>

#include "read/chrome/chrome_form.h"
#include "read/ctf/ctf_form.h"
#include "read/event_text/event_text_form.h"
#include "read/page/page_form.h"
#include "read/perf_data/perf_data_form.h"
#include "read/perfetto/perfetto_form.h"
#include "read/raw/raw_form.h"
#include "read/span_json/json_form.h"
#include "read/trace_dat/trace_dat_form.h"

namespace kutrace::read {

const TraceForm* find_form(std::string_view bytes) {
  // A page of this program's looks like one of KUtrace's, so it is asked for first.
  // The thread of an event's line may be called as HTML begins: <idle>. Span JSON takes every page
  // and every object for its own, and says why where it is none.
  // Raw traces begin with no sign of their own, so they are asked for last.
  for (const TraceForm* form :
       std::array{&kPageForm, &kChromeForm, &kEventTextForm, &kSpanJsonForm, &kTraceDatForm,
                  &kPerfDataForm, &kPerfettoForm, &kCtfForm, &kRawForm}) {
    if (form->is(bytes)) return form;
  }
  return nullptr;
}

}  // namespace kutrace::read
