// SPDX-License-Identifier: BSD-3-Clause
// Questions of any bytes: each is understood, or refused with words that say enough; what is
// understood keeps to the limits of the programs that count.
#include <string>

#include "count/parser.h"
#include "fuzz/fuzz_target.h"
#include "record/count/event_names.h"
#include "record/count/plan.h"

namespace {

using namespace kutrace;

const record::EventNames& names_of(count::Probe probe) {
  static std::map<count::Probe, record::EventNames> known;
  const auto found = known.find(probe);
  return found != known.end() ? found->second
                              : known.emplace(probe, record::event_names(probe)).first->second;
}

void look(const Status& done) {
  if (!done && (done.error().sentence.empty() || done.error().kind != ErrorKind::kUsage))
    test::broken_promise("an error says too little");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find('\n');
  auto question = count::parse_question(text.substr(0, cut));
  if (!question) {
    look(fail(question.error()));
    return 0;
  }
  if (cut != std::string::npos) look(count::add_where(*question, text.substr(cut + 1)));
  count::complete(*question);
  const auto plan = record::plan_count(*question, names_of(question->probe), {});
  if (!plan) {
    look(fail(plan.error()));
    return 0;
  }
  const kutrace_count_settings& settings = plan->settings;
  if (settings.tests > KUTRACE_COUNT_STEPS_OF_TEST || settings.keys > KUTRACE_COUNT_KEY_SLOTS ||
      plan->value_words == 0 || plan->value_words > KUTRACE_COUNT_WORDS)
    test::broken_promise("a plan that the programs have no room for");
  return 0;
}

std::vector<test::Input> test::fuzz_seeds() {
  std::vector<Input> seeds;
  for (const std::string text :
       {"syscall:read|write*, by comm, error, sum(bytes), avg(duration), stddev(arg2)\nerror",
        "syscall:*, by name, where duration > 1.5ms && !(error == ENOENT || comm == \"ngi*\")\n"
        "bytes >= 64k || name == read",
        "sched:off-cpu, by kstack, quantize(duration), lquantize(duration, 0, 1ms, 10us)",
        "tracepoint:sched:sched_switch, by cpu, pid\ntid != 0"})
    seeds.emplace_back(text.begin(), text.end());
  return seeds;
}
