// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a file of another tool: an error that explains itself, or a raw trace for which the
// law holds.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/lawful.h"
#include "read/event_text/event_text_form.h"
#include "read/perf_data/perf_data_form.h"
#include "read/perfetto/perfetto_form.h"
#include "read/trace/trace_forms.h"
#include "read/trace_dat/trace_dat_form.h"
#include "support/event_texts.h"
#include "support/foreign_traces.h"
#include "support/perfetto_file.h"

namespace {

using namespace kutrace;

// Forms of this program's own have targets of their own.
const read::TraceForm* form_of(std::string_view input) {
  const read::TraceForm* const form = read::find_form(input);
  const std::array foreign = {&read::kTraceDatForm, &read::kPerfDataForm, &read::kPerfettoForm,
                              &read::kEventTextForm};
  return std::ranges::find(foreign, form) == foreign.end() ? nullptr : form;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const read::TraceForm* const form = form_of(input);
  if (form == nullptr) return 0;
  test::must_be_lawful(form->open(MappedFile::from_bytes(test::bytes_of(input), "input")));
  return 0;
}

std::vector<test::Input> test::fuzz_seeds() {
  std::vector<Input> seeds;
  const auto add = [&seeds](std::string_view text) {
    seeds.emplace_back(text.begin(), text.end());
  };
  for (const std::string_view text : {kFtraceText, kTraceCmdText, kPerfText}) add(text);
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const ForeignTrace trace = foreign_mix(seed);
    const std::size_t page = std::size_t{128} << seed % 4;
    add(dat_file(trace, {.page_bytes = page}));
    add(dat_file(trace, {.version = 7, .packed = seed % 4 == 0, .page_bytes = page}));
    add(perf_file(trace, {.stream = seed % 2 == 0, .packed = seed % 3 == 0, .round = seed}));
    add(perfetto_file(trace, {.compact = seed % 2 == 0,
                              .packed = seed % 3 == 0,
                              .described = seed % 4 == 0,
                              .bundle = seed,
                              .clock = seed % 5}));
  }
  return seeds;
}
