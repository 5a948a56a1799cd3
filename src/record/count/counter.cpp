// SPDX-License-Identifier: BSD-3-Clause
// Loading and attaching the programs of ebpf/bpf/count.bpf.c, and reading their maps.
#include "record/count/counter.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "format/errno_name.h"
#include "record/blocks/clock.h"
#include "record/count/event_names.h"
#include "record/count/plan.h"
#include "record/count/stack_frames.h"
#include "record/ebpf/capability.h"
#include "record/ebpf/file_limit.h"
#include "record/ebpf/kernel_types.h"
#include "record/ebpf/load_error.h"
#include "record/ebpf/mapping.h"
#include "record/ebpf/object.h"
#include "record/ebpf/programs.h"
#include "record/proc/pid_namespace.h"

namespace kutrace::record {

namespace {

using count::Field;
using Words = std::vector<std::uint64_t>;

constexpr std::array kTracefs = {"/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events"};

// Of a name in two words, up to the zero.
std::string comm_text(std::span<const std::uint64_t> words) {
  std::array<char, 2 * sizeof(std::uint64_t) + 1> bytes{};
  std::memcpy(bytes.data(), words.data(), bytes.size() - 1);
  return printable(bytes.data());
}

Status check_tracepoint(const std::vector<std::string>& names, const KernelTypes& types) {
  const std::string shown = names[0] + ":" + names[1];
  if (names[0] == "syscalls") {
    return fail(usage_error(shown + " is counted as a system call")
                    .with_hint("syscall:" + names[1].substr(names[1].find('_', 4) + 1)));
  }
  bool is_there = types.has_tracepoint(names[1]);
  for (const std::string folder : kTracefs)
    if (access(folder.c_str(), X_OK) == 0)
      is_there = is_there && access((folder + "/" + names[0] + "/" + names[1]).c_str(), F_OK) == 0;
  if (is_there) return {};
  return fail(
      host_error("this kernel has no tracepoint " + shown).with_hint("perf list tracepoint"));
}

class EbpfCounter final : public Counter {
 public:
  EbpfCounter(count::Question question, const CounterOptions& options)
      : question_(std::move(question)), options_(options) {}

  Status open();
  void start() override;
  void poll() override { frames_->poll(); }
  Result<count::Answer> take() override;
  void stop() override;

 private:
  Status load();
  Status choose_programs(const KernelTypes& types);
  Status size_maps();
  Status attach();
  bpf_map* map(const char* name) const { return bpf_object__find_map_by_name(object_.get(), name); }
  kutrace_count_shared* shared() const { return shared_.as<kutrace_count_shared>(); }
  std::vector<Words> all_keys() const;
  count::Key key_text(Field field, std::span<const std::uint64_t> words);
  std::vector<count::Key> key_texts(const Words& key);
  Result<std::optional<count::Row>> row(const Words& key, bool remove);
  count::Missed missed() const;
  Ns elapsed() const;

  const count::Question question_;
  const CounterOptions options_;
  EventNames names_;
  CountPlan plan_;
  ObjectPtr object_;
  Mapping shared_;
  std::vector<LinkPtr> links_;
  std::optional<StackFrames> frames_;
  int cpus_ = 0;
  std::uint64_t skipped_before_ = 0;
  std::uint64_t interval_ = 0;
  Ticks started_ = 0;
  Ns ended_ = -1;
  Ns taken_ = 0;
  count::Missed missed_before_;
};

Status EbpfCounter::open() {
  allow_many_files();
  names_ = event_names(question_.probe);
  CountWay way;
  way.by_interval = options_.by_interval;
  if (options_.descendants) {
    if (!knows_kernel_pids())
      return fail(
          host_error("the command's processes cannot be identified inside a PID namespace")
              .with_hint("run kutrace outside of the container, or start it with --pid=host"));
    way.family = static_cast<std::uint32_t>(getpid());
  }
  KUTRACE_ASSIGN(plan_, plan_count(question_, names_, way));
  Status done = load();
  if (done || done.error().kind != ErrorKind::kHost) return done;
  links_.clear();
  object_.reset();
  KUTRACE_TRY(check_ebpf_usable());
  return done;
}

Status EbpfCounter::choose_programs(const KernelTypes& types) {
  const bool holds_cpu = must_hold_cpu(types);
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_.get()) {
    const bool is_wanted =
        std::ranges::find(plan_.programs, name_of(program)) != plan_.programs.end() &&
        is_held_form(bpf_program__name(program)) == holds_cpu;
    bpf_program__set_autoload(program, is_wanted);
    const std::string_view section = bpf_program__section_name(program);
    if (!is_wanted || !section.starts_with(kTracepointSection)) continue;
    const std::string_view tracepoint = section.substr(kTracepointSection.size());
    if (!types.has_tracepoint(tracepoint))
      return fail(host_error(fmt::format("this kernel has no tracepoint {}", tracepoint))
                      .with_hint("kutrace doctor shows what this kernel offers"));
  }
  if (question_.probe == count::Probe::kTracepoint) return check_tracepoint(question_.names, types);
  return {};
}

Status EbpfCounter::size_maps() {
  bpf_map* const settings = map(".rodata.settings");
  if (settings == nullptr ||
      bpf_map__set_initial_value(settings, &plan_.settings, sizeof plan_.settings) != 0)
    return fail(internal_error("the BPF object's settings have another size"));
  bpf_map* const counts = map("counts");
  const std::uint32_t value_bytes = plan_.value_words * sizeof(std::uint64_t);
  bpf_map__set_key_size(counts, plan_.key_slots * sizeof(std::uint64_t));
  bpf_map__set_value_size(counts, value_bytes);
  bpf_map__set_value_size(map("nothing"), value_bytes);
  // Without keys there is one, or one of each interval.
  bpf_map__set_max_entries(counts, question_.keys.empty() ? 2 : options_.most_keys);
  const auto uses = [this](std::string_view program) {
    return std::ranges::find(plan_.programs, program) != plan_.programs.end();
  };
  const auto needs = [this](std::uint32_t slot) { return (plan_.settings.slots >> slot & 1) != 0; };
  if (!uses("count_off_cpu") && !uses("count_run_queue")) bpf_map__set_max_entries(map("waits"), 1);
  if (!options_.descendants) bpf_map__set_max_entries(map("family"), 1);
  if (!needs(KUTRACE_COUNT_KERNEL_STACK) && !needs(KUTRACE_COUNT_USER_STACK))
    bpf_map__set_max_entries(map("stacks"), 1);
  return {};
}

Status EbpfCounter::load() {
  KUTRACE_ASSIGN(const KernelTypes types, KernelTypes::read());
  keep_libbpf_words();
  const std::span<const std::byte> bytes = count_object_bytes();
  bpf_object_open_opts open_options{};
  open_options.sz = sizeof open_options;
  open_options.object_name = "kutrace_count";
  object_.reset(bpf_object__open_mem(bytes.data(), bytes.size(), &open_options));
  if (object_ == nullptr) return fail(load_error(errno, libbpf_words()));
  KUTRACE_TRY(choose_programs(types));
  KUTRACE_TRY(size_maps());
  if (const int result = load_object(object_.get()); result != 0)
    return fail(load_error(-result, libbpf_words()));
  const bpf_map* const memory = map(".bss");
  if (memory == nullptr || bpf_map__value_size(memory) != sizeof(kutrace_count_shared))
    return fail(internal_error("the BPF object's counters have another size"));
  KUTRACE_ASSIGN(shared_, Mapping::of(bpf_map__fd(memory), sizeof(kutrace_count_shared)));
  frames_.emplace(bpf_map__fd(map("stacks")));
  cpus_ = libbpf_num_possible_cpus();
  if (cpus_ <= 0) return fail(host_error("cannot determine the number of CPUs"));
  if ((plan_.settings.slots >> KUTRACE_COUNT_USER_STACK & 1) != 0)
    KUTRACE_TRY(frames_->follow_programs());
  return attach();
}

Status EbpfCounter::attach() {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_.get()) {
    if (!bpf_program__autoload(program)) continue;
    const bool is_any = name_of(program) == "count_tracepoint";
    bpf_link* const link =
        is_any ? bpf_program__attach_raw_tracepoint(program, question_.names[1].c_str())
               : bpf_program__attach(program);
    if (link == nullptr)
      return fail(kernel_error(fmt::format("cannot attach {}", name_of(program)), errno));
    links_.emplace_back(link);
  }
  return {};
}

Ns EbpfCounter::elapsed() const {
  return static_cast<Ns>(kMonotonicRate.ns(monotonic_ticks() - started_));
}

void EbpfCounter::start() {
  skipped_before_ = missed().skipped;
  started_ = monotonic_ticks();
  std::atomic_ref(shared()->on).store(1);
}

void EbpfCounter::stop() {
  if (ended_ >= 0) return;
  std::atomic_ref(shared()->on).store(0);
  ended_ = elapsed();
  wait_for_programs();
}

std::vector<Words> EbpfCounter::all_keys() const {
  const int counts = bpf_map__fd(map("counts"));
  std::vector<Words> keys;
  Words key(plan_.key_slots);
  for (const void* before = nullptr; bpf_map_get_next_key(counts, before, key.data()) == 0;
       before = keys.back().data())
    keys.push_back(key);
  return keys;
}

count::Key EbpfCounter::key_text(Field field, std::span<const std::uint64_t> words) {
  const std::uint64_t word = words[0];
  const auto number = static_cast<std::int64_t>(word);
  switch (field) {
    case Field::kName: {
      return {shown_name(question_.probe, names_, word), {}, {}};
    }
    case Field::kComm:
      return {comm_text(words), {}, {}};
    case Field::kProcess:
    case Field::kThread:
      return {comm_text(words) + "." + std::to_string(words[2]), {}, {}};
    case Field::kError: {
      const std::string_view name = errno_name(-number);
      return {name.empty() ? std::to_string(word) : std::string(name), {}, {}};
    }
    case Field::kKernelStack:
      return {{}, {}, frames_->kernel(number)};
    case Field::kUserStack:
      return {{}, {}, frames_->user(number, static_cast<Pid>(words[1]))};
    default:
      return {std::to_string(number), number, {}};
  }
}

std::vector<count::Key> EbpfCounter::key_texts(const Words& key) {
  std::vector<count::Key> texts;
  std::size_t at = 0;
  for (const Field field : question_.keys) {
    const std::size_t slots = slots_of(field).size();
    texts.push_back(key_text(field, std::span(key).subspan(at, slots)));
    at += slots;
  }
  return texts;
}

// All CPUs' values of a key added up.
Result<std::optional<count::Row>> EbpfCounter::row(const Words& key, bool remove) {
  const int counts = bpf_map__fd(map("counts"));
  Words values(plan_.value_words * static_cast<std::size_t>(cpus_));
  if (bpf_map_lookup_elem(counts, key.data(), values.data()) != 0)
    return fail(kernel_error("cannot read what was counted", errno));
  if (remove) bpf_map_delete_elem(counts, key.data());
  count::Row row{key_texts(key), std::vector<count::Sums>(question_.aggregates.size())};
  bool any = false;
  for (std::size_t cpu = 0; cpu < static_cast<std::size_t>(cpus_); ++cpu) {
    const auto own = std::span(values).subspan(cpu * plan_.value_words, plan_.value_words);
    any = any || std::ranges::any_of(own, [](std::uint64_t word) { return word != 0; });
    const std::vector<count::Sums> sums = sums_of(plan_, question_, own);
    for (std::size_t i = 0; i < sums.size(); ++i) row.sums[i].add(sums[i]);
  }
  if (!any) return std::nullopt;
  return row;
}

Result<count::Answer> EbpfCounter::take() {
  poll();
  const std::uint64_t parity = interval_ & 1;
  if (options_.by_interval && ended_ < 0) {
    std::atomic_ref(shared()->interval).store(++interval_);
    wait_for_programs();
  }
  count::Answer answer;
  answer.begin = options_.by_interval ? taken_ : 0;
  answer.end = taken_ = ended_ >= 0 ? ended_ : elapsed();
  for (const Words& key : all_keys()) {
    if (options_.by_interval && key.back() != parity) continue;
    KUTRACE_ASSIGN(std::optional<count::Row> found, row(key, options_.by_interval));
    if (found) answer.rows.push_back(std::move(*found));
  }
  count::settle(question_, answer.rows);
  const count::Missed all = missed();
  answer.missed = all.since(missed_before_);
  if (options_.by_interval) missed_before_ = all;
  return answer;
}

count::Missed EbpfCounter::missed() const {
  const kutrace_count_shared& counted = *shared();
  count::Missed missed{counted.no_room,           counted.no_begin,
                       counted.no_room_to_begin,  counted.no_room_in_family,
                       counted.no_room_for_stack, 0};
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_.get()) {
    bpf_prog_info info{};
    std::uint32_t bytes = sizeof info;
    if (bpf_program__fd(program) < 0) continue;
    if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &bytes) == 0)
      missed.skipped += info.recursion_misses;
  }
  missed.skipped -= skipped_before_;
  return missed;
}

}  // namespace

Result<std::unique_ptr<Counter>> open_counter(const count::Question& question,
                                              const CounterOptions& options) {
  auto counter = std::make_unique<EbpfCounter>(question, options);
  KUTRACE_TRY(counter->open());
  return counter;
}

}  // namespace kutrace::record
