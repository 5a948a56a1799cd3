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

// Something of everything, more of it on more CPUs as the seed says.
test::ForeignTrace busy(unsigned seed) {
  test::ForeignTrace trace;
  const auto step = static_cast<Ns>(10 + 7 * seed);
  for (CpuId cpu = 0; cpu < 1 + seed % 3; ++cpu) {
    trace.on(cpu, static_cast<Pid>(10 + cpu));
    Ns now = 1'000 + static_cast<Ns>(cpu);
    for (unsigned i = 0; i < 4 + seed % 5; ++i, now += 50 * step) {
      trace.calls(now, i * seed % 1100, i).faults(now + step);
      trace.interrupted(now + 2 * step, now + 3 * step, static_cast<std::int32_t>(i), "disk");
      trace.returns(now + 4 * step, i * seed % 1100, static_cast<std::int64_t>(i) << 20);
      trace.switches(now + 5 * step, "one", i % 2, static_cast<Pid>(40 + i), "two");
      trace.wakes(now + 6 * step, static_cast<Pid>(41 + i), "two");
      if (i % 3 == 1) trace.loses(seed).forks(now + 7 * step, "two", 60, "three");
      trace.switches(now + 8 * step, "two", 1, static_cast<Pid>(10 + cpu), "one");
    }
  }
  return trace;
}

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
  const auto reader = form->open(MappedFile::from_bytes(test::bytes_of(input), "input"));
  if (!reader) {
    test::must_explain(reader.error());
  } else if (!test::must_be_lawful(*(*reader)->raw())) {
    test::broken_promise("what was imported cannot be rebuilt");
  }
  return 0;
}

std::vector<test::Input> test::fuzz_seeds() {
  std::vector<Input> seeds;
  const auto add = [&seeds](std::string_view text) {
    seeds.emplace_back(text.begin(), text.end());
  };
  for (const std::string_view text : {kFtraceText, kTraceCmdText, kPerfText}) add(text);
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const ForeignTrace trace = busy(seed);
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
