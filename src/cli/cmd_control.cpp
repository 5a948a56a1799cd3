// SPDX-License-Identifier: BSD-3-Clause
// kutrace control: KUtrace's verbs, typed at a prompt or one a call, from as many processes as one
// likes. What records is a process in the background (record/daemon/background_recorder.h).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/number_text.h"
#include "cli/argument_options.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/output.h"
#include "cli/output_form.h"
#include "cli/recording.h"
#include "cli/standard_error.h"
#include "record/daemon/background_recorder.h"
#include "record/flight/snapshot_socket.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Without a verb: a prompt that takes one verb per line; an empty line is stat.
  go, gowrap            discard what was recorded and record until the buffer is full, or overwrite the
                        oldest part
  goipc, gollc, ...     the same with instructions per cycle, cache misses (goipcwrap), if counted
  stop [FILE]           stop, write the file, quit
  init, on, off, dump [FILE], reset      the single steps of go and stop
  flush                 the same as off
  groups +A -B          change the recorded groups, also of a flight recorder (kutrace flight)
  pids +12 -34          change the recorded processes, if go had --pid
  args +net -read       change the calls whose arguments are recorded, if go had --args or --strings
  pause, resume         record only context switches; record everything again
  stat (status)         how much was recorded
  test, wait N          whether recording is possible; sleep N seconds
  quit, exit            quit without writing; the recording is kept for dump

Examples:
  kutrace control go; ./program; kutrace control stop program1
  kutrace control gowrap --source ebpf
  kutrace control groups +disk -faults
  kutrace control go --pid 812; kutrace control pids +1044 -812; kutrace control stop
  kutrace control stop -o /tmp/last.raw)";

struct Options {
  std::string source = "auto";
  std::string events;
  std::string output;
  std::optional<std::uint32_t> buffer_mb;
  std::vector<std::uint32_t> pids;
  bool follow = false;
  ArgumentOptions data;
  std::vector<std::string> words;
};

// What a verb is given, and what it says about going on.
struct Call {
  const Options& options;
  std::string argument;
  bool quits = false;
  unsigned counters = 0;                    // KUTRACE_FLAG_IPC, KUTRACE_FLAG_LLC
  std::vector<std::string> arguments = {};  // all of them
};

// ---- file names --------------------------------------------------------------------------------

std::string host_name() {
  std::array<char, 65> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// As KUtrace makes it: day and time, host, process.
std::string made_up_name() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  std::array<char, 32> when{};
  std::strftime(when.data(), when.size(), "%Y%m%d_%H%M%S", localtime_r(&now, &local));
  return fmt::format("ku_{}_{}_{}.trace", when.data(), host_name(), getpid());
}

std::string file_name(const Call& call) {
  if (!call.argument.empty()) {
    const bool has_ending = form_of_output(call.argument) == OutputForm::kRaw;
    return has_ending ? call.argument : call.argument + ".trace";
  }
  return call.options.output.empty() ? made_up_name() : call.options.output;
}

// ---- verbs -------------------------------------------------------------------------------------

constexpr const char* kNothing = "nothing is recorded";

Status print_line(const std::string& text) {
  StandardOutput out;
  out.line(text);
  return out.finish();
}

// The answer of the background recorder, whose notes are printed.
Result<std::string> ask(const std::string& order) {
  KUTRACE_ASSIGN(const std::optional<record::Reply> reply, record::order(order));
  if (!reply) return fail(host_error(kNothing).with_hint("kutrace control go"));
  print_notes(reply->notes);
  return reply->answer;
}

Status obey(const std::string& order) {
  const Result<std::string> answer = ask(order);
  return answer ? Status() : fail(answer.error());
}

Status start_recorder(const Call& call, record::RecordMode mode) {
  record::RecordOptions wanted;
  wanted.path.clear();
  wanted.mode = mode;
  KUTRACE_ASSIGN(wanted.buffer_mb, check_buffer(call.options.buffer_mb));
  wanted.counters = call.counters;
  wanted.source = choose_source(call.options.source);
  wanted.command_line = own_command_line();
  KUTRACE_ASSIGN(wanted.groups, EventGroups::parse(call.options.events));
  wanted.filter.processes = call.options.pids;
  wanted.filter.follow = call.options.follow;
  KUTRACE_TRY(record::check_filter(wanted.filter));
  KUTRACE_ASSIGN(wanted.arguments, arguments_from(call.options.data));
  KUTRACE_ASSIGN(const record::Reply reply, record::start_background_recorder(wanted));
  print_notes(reply.notes);
  return {};
}

Status reset(Call&) {
  const Result<std::optional<record::Reply>> reply = record::order("reset");
  return reply ? Status() : fail(reply.error());
}

Status begin(Call& call, record::RecordMode mode) {
  KUTRACE_TRY(reset(call));
  KUTRACE_TRY(start_recorder(call, mode));
  return obey("on");
}

Status go(Call& call) { return begin(call, record::RecordMode::kFill); }
Status go_wrap(Call& call) { return begin(call, record::RecordMode::kWrap); }

constexpr unsigned kBothCounters = KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC;

template <unsigned kCounters, record::RecordMode kMode>
Status go_counting(Call& call) {
  call.counters = kCounters;
  return begin(call, kMode);
}

Status init(Call& call) { return start_recorder(call, record::RecordMode::kFill); }

Status on(Call& call) {
  KUTRACE_ASSIGN(const std::optional<record::Reply> reply, record::order("stat"));
  if (!reply) KUTRACE_TRY(init(call));
  return obey("on");
}

Status off(Call&) { return obey("off"); }

Status dump(Call& call) {
  return obey(record::order_to_dump(std::filesystem::absolute(file_name(call)).string()));
}

Status stop(Call& call) {
  call.quits = true;
  return dump(call);
}

Status stat(Call&) {
  KUTRACE_ASSIGN(const std::optional<record::Reply> reply, record::order("stat"));
  return print_line(reply ? reply->answer : std::string(kNothing));
}

Status test(Call& call) {
  KUTRACE_ASSIGN(const std::optional<record::Reply> reply, record::order("stat"));
  if (reply) return {};
  KUTRACE_TRY(start_recorder(call, record::RecordMode::kFill));
  return reset(call);
}

Status print_answer(const std::string& order) {
  KUTRACE_ASSIGN(const std::string answer, ask(order));
  return print_line(answer);
}

std::string with_arguments(std::string order, const Call& call) {
  for (const std::string& word : call.arguments) order += ' ' + word;
  return order;
}

Status pause(Call&) { return print_answer("pause"); }

Status resume(Call&) { return print_answer("resume"); }

// Whoever records: the background recorder, else the flight recorder.
Status groups(Call& call) {
  KUTRACE_ASSIGN(const std::optional<record::Reply> reply,
                 record::order(with_arguments("groups", call)));
  std::optional<std::string> answer;
  if (reply) {
    print_notes(reply->notes);
    answer = reply->answer;
  } else {
    KUTRACE_ASSIGN(answer, record::ask_flight_for_groups(call.arguments));
  }
  if (!answer) return fail(host_error(kNothing).with_hint("kutrace control go, or kutrace flight"));
  return print_line(*answer);
}

Status pids(Call& call) { return print_answer(with_arguments("pids", call)); }

Status args(Call& call) { return print_answer(with_arguments("args", call)); }

Status wait(Call& call) {
  const auto seconds = parse_number<unsigned>(call.argument);
  if (!seconds) return fail(usage_error("wait needs a number of seconds"));
  std::this_thread::sleep_for(std::chrono::seconds(*seconds));
  return {};
}

Status quit(Call& call) {
  call.quits = true;
  const Result<std::optional<record::Reply>> reply = record::order("off");
  const bool never_began = !reply && reply.error().kind == ErrorKind::kUsage;
  return reply || never_began ? Status() : fail(reply.error());
}

// What a verb makes use of.
constexpr unsigned kStarts = 1;  // the options of a recording
constexpr unsigned kWrites = 2;  // -o
constexpr unsigned kOne = 4;     // an argument
constexpr unsigned kMany = 8;    // any number of arguments

struct Verb {
  const char* name;
  Status (*run)(Call& call);
  unsigned takes = 0;
};

// 1 and 0 are what KUtrace's program takes as arguments of its own.
constexpr auto kVerbs = std::to_array<Verb>({
    {"go", go, kStarts},
    {"1", go, kStarts},
    {"goipc", go_counting<KUTRACE_FLAG_IPC, record::RecordMode::kFill>, kStarts},
    {"gollc", go_counting<KUTRACE_FLAG_LLC, record::RecordMode::kFill>, kStarts},
    {"goipcllc", go_counting<kBothCounters, record::RecordMode::kFill>, kStarts},
    {"gowrap", go_wrap, kStarts},
    {"goipcwrap", go_counting<KUTRACE_FLAG_IPC, record::RecordMode::kWrap>, kStarts},
    {"gowrapipc", go_counting<KUTRACE_FLAG_IPC, record::RecordMode::kWrap>, kStarts},
    {"gollcwrap", go_counting<KUTRACE_FLAG_LLC, record::RecordMode::kWrap>, kStarts},
    {"goipcllcwrap", go_counting<kBothCounters, record::RecordMode::kWrap>, kStarts},
    {"stop", stop, kWrites | kOne},
    {"0", stop, kWrites | kOne},
    {"init", init, kStarts},
    {"on", on, kStarts},
    {"off", off},
    {"flush", off},
    {"reset", reset},
    {"dump", dump, kWrites | kOne},
    {"stat", stat},
    {"status", stat},
    {"test", test, kStarts},
    {"groups", groups, kMany},
    {"pids", pids, kMany},
    {"args", args, kMany},
    {"pause", pause},
    {"resume", resume},
    {"wait", wait, kOne},
    {"quit", quit},
    {"exit", quit},
});

std::string all_verbs() {
  std::string text;
  for (const Verb& verb : kVerbs) text += (text.empty() ? "" : " ") + std::string(verb.name);
  return text;
}

std::string verb_lines() {
  constexpr std::size_t kWidest = 100;
  std::string lines;
  std::string line;
  for (const Verb& verb : kVerbs) {
    const std::string_view name = verb.name;
    if (line.size() + 1 + name.size() > kWidest) lines += std::exchange(line, "") + '\n';
    line += (line.empty() ? "  " : " ") + std::string(name);
  }
  return lines + line;
}

std::vector<std::string_view> verb_names() {
  std::vector<std::string_view> names;
  for (const Verb& verb : kVerbs) names.push_back(verb.name);
  return names;
}

Result<Verb> find_verb(const std::string& name) {
  const auto* verb = std::ranges::find(kVerbs, name, &Verb::name);
  if (verb != kVerbs.end()) return *verb;
  return fail(usage_error("there is no verb '" + name + "'")
                  .with_hint(meant_or(name, verb_names(), all_verbs())));
}

// One line: a verb, and perhaps an argument.
Status perform(const std::vector<std::string>& words, Call& call) {
  KUTRACE_ASSIGN(const Verb verb, find_verb(words.empty() ? "stat" : words.front()));
  if (words.size() > 1 && (verb.takes & (kOne | kMany)) == 0)
    return fail(usage_error(fmt::format("{} takes no argument", verb.name)));
  if (words.size() > 2 && (verb.takes & kMany) == 0)
    return fail(usage_error(fmt::format("{} takes one argument at most", verb.name)));
  call.argument = words.size() > 1 ? words[1] : "";
  call.arguments.assign(words.begin() + (words.empty() ? 0 : 1), words.end());
  return verb.run(call);
}

// Options that nothing would come of.
Status check_options(const Options& options) {
  if (options.follow && options.pids.empty())
    return fail(usage_error("--follow: whose children?").with_hint("give --pid"));
  if (options.words.empty()) return {};
  KUTRACE_ASSIGN(const Verb verb, find_verb(options.words.front()));
  const bool is_of_start = options.source != "auto" || !options.events.empty() ||
                           options.buffer_mb || !options.pids.empty() || options.data.is_set();
  if (is_of_start && (verb.takes & kStarts) == 0)
    return fail(usage_error(fmt::format("{} starts no recording: the options for one have no "
                                        "effect",
                                        verb.name))
                    .with_hint("kutrace control go, with these options"));
  if (!options.output.empty() && (verb.takes & kWrites) == 0)
    return fail(usage_error(fmt::format("-o: {} writes no file", verb.name))
                    .with_hint("give it to stop or dump"));
  if (!options.output.empty() && options.words.size() > 1)
    return fail(
        usage_error(fmt::format("{} has two files: {} and -o", verb.name, options.words[1])));
  return {};
}

std::vector<std::string> split(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Nothing of it ends the prompt but the user.
Result<int> prompt(const Options& options) {
  const bool shows = isatty(STDIN_FILENO) != 0;
  ExitCode code = ExitCode::kDone;
  std::string line;
  for (Call call{options, {}}; !call.quits;) {
    if (shows) write_standard_error("control> ");
    if (!std::getline(std::cin, line)) break;
    const Status done = perform(split(line), call);
    if (done) continue;
    log_error("{}", describe(done.error()));
    code = exit_code_for(done.error().kind);
  }
  return static_cast<int>(code);
}

Result<int> run(const Options& options) {
  KUTRACE_TRY(check_options(options));
  if (options.words.empty()) return prompt(options);
  Call call{options, {}};
  KUTRACE_TRY(perform(options.words, call));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

std::vector<std::string> with_signed_words(std::vector<std::string> words) {
  constexpr std::array<std::string_view, 3> kSigned = {"groups", "pids", "args"};
  if (words.size() > 2 && words[0] == "control" &&
      std::ranges::find(kSigned, words[1]) != kSigned.end())
    words.insert(words.begin() + 1, "--");
  return words;
}

void add_control(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("control", "Start and stop recording, step by step");
  command.footer(kFooter + ("\n\nAll verbs:\n" + verb_lines()));
  add_source_options(command, options->source, options->events);
  command.add_option("--buffer-mb", options->buffer_mb, "trace buffer of the machine in MB (128)");
  command.add_option("--pid", options->pids, "of go and init: only these processes: 12,13").list();
  command.add_flag("--follow", options->follow, "with --pid: also what they start");
  add_argument_options(command, options->data);
  command.add_option("-o,--output", options->output,
                     "file of stop and dump; its name is not changed");
  command.add_option("verb", options->words, "verb and its argument; none: a prompt");
  command.runs(options, run);
}

}  // namespace kutrace::cli
