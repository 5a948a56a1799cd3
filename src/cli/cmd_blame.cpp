// SPDX-License-Identifier: BSD-3-Clause
// kutrace blame: what waiting time went to: who had the CPU, who ended the wait.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "base/number_text.h"
#include "cli/command.h"
#include "cli/next_command.h"
#include "cli/replay.h"
#include "cli/selection.h"
#include "cli/table_output.h"
#include "emit/text/blame_text.h"
#include "format/wait_word.h"
#include "read/trace/trace_input.h"
#include "reports/thread_names.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Sums up all time that threads waited. While a thread was ready: who ran on the CPU that it waited for.
While it was blocked: who woke it, in which call, or which interrupt did; for a lock, who held it.
--follow adds what that thread did meanwhile, and what it waited for itself, as kutrace why does.
The sums add up to the waiting time, exactly. Threads with the same name are merged.
REASON is ready, time, disk, net, pipe, lock, mem, task, sche, rcu or unexplained.
The output's name decides its format: .json, .csv, otherwise a table.

Examples:
  kutrace blame --wait ready trace.raw
  kutrace blame --thread redis-server trace.raw
  kutrace blame --thread 1234 --wait lock --follow trace.raw
  kutrace blame --by cgroup --top 20 trace.raw
  kutrace blame --from 1.2s --to 1.3s -o blame.csv trace.raw

Exit codes: 0 done; 2 usage; 3 input unusable, or nothing matches; 5 output cannot be written.)";

struct Options {
  std::string file;
  std::string thread;
  std::string wait;
  bool follow = false;
  std::string by = "cause";
  std::size_t top = 0;
  TableOptions table;
  WidthOptions width;
  SelectionOptions part;
};

// 0: any.
Result<char> letter_of(const std::string& reason) {
  if (reason.empty()) return '\0';
  if (const std::optional<char> letter = wait_called(reason)) return *letter;
  std::vector<std::string_view> known;
  for (const char letter : wait_letters()) known.push_back(short_wait(letter));
  return fail(
      usage_error("there is no wait reason '" + reason + "'")
          .with_hint(meant_or(reason, known, fmt::format("reasons: {}", fmt::join(known, " ")))));
}

// Passes all on, and keeps whose processes are in which control group.
class Groups : public SpanStage {
 public:
  Groups(const NameTable& names, SpanSink& next) : SpanStage(next), names_(names) {}
  void begin(const TraceInfo& known) override {
    who_.emplace(names_);
    next().begin(known);
  }
  void life(const ThreadLife& life) override {
    who_->life(life);
    next().life(life);
  }
  void end(TraceInfo& info) override {
    who_->finish(info);
    next().end(info);
  }
  // After the end; "?" where the trace does not tell.
  std::string of(Pid pid, ThreadId thread, CgroupPart part) {
    return who_->cgroup(who_->row(pid, thread), part);
  }

 private:
  const NameTable& names_;
  std::optional<reports::ThreadNames> who_;
};

class Report {
 public:
  Report(const Options& options, const read::TraceInput& input, const SelectionOptions& part,
         char letter)
      : options_(options),
        input_(input),
        part_(part, input, names_),
        thread_(parse_number<Pid>(options.thread)),
        group_(cgroup_part(options.by)),
        letter_(letter) {}

  Status run() {
    if (group_) part_.tell_moved();
    KUTRACE_TRY(part_.choose());
    reports::BlameSink sink(
        part_.windows_or_whole(), names_,
        [this](const reports::Piece& wait, const reports::Happenings& happenings) {
          return wants(wait, happenings);
        },
        options_.follow ? reports::CriticalPath::kMostWakers : 0);
    using Waiters = reports::BlameSink::Waiters;
    if (options_.by == "thread") sink.tell_waiters(Waiters::kByName);
    if (group_) sink.tell_waiters(Waiters::kEach);
    Groups groups(names_, sink);
    KUTRACE_ASSIGN(const TraceInfo info, part_.replay_whole(groups));
    while (sink.wants_again()) KUTRACE_TRY(part_.replay_whole(groups));
    warn_of_gaps(input_, info);
    warn_of_unrecorded(input_, info);
    tell_of_throttling(input_, info);
    const emit::CauseText text(sink.happenings(), names_, info.facts);
    const emit::BlameWho who = who_of(sink.happenings(), text, groups);
    reports::Blame blame = sink.blame();
    if (group_) blame = reports::joined(blame, who.name);
    if (blame.waits == 0 && is_choosy()) {
      return fail(
          input_error("has no such wait")
              .with_file(input_.name())
              .with_hint(about_file("kutrace profile --by threads FILE lists threads and waits",
                                    input_.name())));
    }
    return write_lines(options_.table.output, [&](const emit::LineSink& line) {
      write(blame, text, who, line);
      return Status();
    });
  }

 private:
  // Without that, a trace in which nobody waited has its answer, too.
  bool is_choosy() const {
    return !options_.thread.empty() || !options_.wait.empty() || options_.part.any();
  }

  bool wants(const reports::Piece& piece, const reports::Happenings& happenings) const {
    const Pid pid = happenings.pid_of(piece.row);
    return (letter_ == 0 || piece.letter == letter_) && (!thread_ || pid == *thread_) &&
           part_.wants_wait_of(pid, happenings.thread_of(piece.row));
  }

  emit::BlameWho who_of(const reports::Happenings& happenings, const emit::CauseText& text,
                        Groups& groups) const {
    if (options_.by == "thread") {
      return {"thread", [&text](reports::ThreadRow row) { return text.name(row); }};
    }
    if (!group_) return {};
    return {options_.by, [&](reports::ThreadRow row) {
              return groups.of(happenings.pid_of(row), happenings.thread_of(row), *group_);
            }};
  }

  void write(const reports::Blame& blame, const emit::CauseText& text, const emit::BlameWho& who,
             const emit::LineSink& line) const {
    switch (options_.table.form()) {
      case TableForm::kJson:
        return line(emit::blame_json(blame, text, who));
      case TableForm::kCsv:
        return emit::blame_csv(blame, text, who, line);
      case TableForm::kTable:
        return emit::blame_table(
            blame, text, {who, options_.top, table_width(options_.table, options_.width)}, line);
    }
  }

  const Options& options_;
  const read::TraceInput& input_;
  NameTable names_;
  TraceSelection part_;
  std::optional<Pid> thread_;
  std::optional<CgroupPart> group_;  // a row is of one
  char letter_;
};

Result<int> run(const Options& options) {
  KUTRACE_ASSIGN(const char letter, letter_of(options.wait));
  SelectionOptions part = options.part;
  const bool is_name = !options.thread.empty() && !parse_number<Pid>(options.thread);
  if (is_name) part.threads.names.push_back(options.thread);
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  KUTRACE_TRY(Report(options, input, part, letter).run());
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_blame(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("blame", "Sum up what threads waited for");
  command.footer(kFooter);
  command.add_option("file", options->file, "trace: raw, or a page of one; - is standard input")
      .required();
  Option thread =
      command
          .add_option("--thread", options->thread,
                      "only the thread with this id, or those with this name; * and ?")
          .check([](const std::string& said) { return said.empty() ? "names no thread" : ""; });
  command.add_option("--wait", options->wait, "only waits for this REASON");
  command.add_flag("--follow", options->follow, "follow waits through the threads that ended them");
  command
      .add_option("--by", options->by, "a row per cause, or per thread name (or group) and cause")
      .one_of({"cause", "thread", "cgroup", "container", "pod"})
      .shows_default();
  command.add_option("--top", options->top, "rows of a table; the rest is summed up; 0: all")
      .at_least(0)
      .shows_default();
  add_selection_options(command, options->part);
  thread.excludes("--pid").excludes("--name");
  add_width_options(command, options->width);
  add_table_options(command, options->table);
  command.runs(options, run);
}

}  // namespace kutrace::cli
