// SPDX-License-Identifier: BSD-3-Clause
// Looking through a trace.
#include "cli/odd.h"

#include <algorithm>

#include "cli/exit_code.h"
#include "cli/page_report.h"
#include "cli/replay.h"
#include "emit/page/page_view.h"
#include "emit/text/odd_text.h"
#include "filters/part.h"
#include "odd/look.h"
#include "query/database.h"

namespace kutrace::cli {

namespace {

// Who is to blame may be of no chosen thread or CPU, so only time is left out before.
class Odd {
 public:
  Odd(const read::TraceInput& input, const SelectionOptions& part)
      : input_(input), part_(part, input, names_), look_(names_) {}

  Result<emit::OddAnswer> answer(const std::string& file) {
    KUTRACE_TRY(part_.choose());
    filters::Part windows(part_.windows(), {}, names_, look_);
    KUTRACE_ASSIGN(const TraceInfo info, part_.replay_whole(windows));
    KUTRACE_TRY(part_.check_overlap(info));
    warn_of_gaps(input_, info);
    warn_of_unrecorded(input_, info);
    emit::OddAnswer answer;
    answer.file = file;
    answer.cpus = info.cpus.size();
    answer.facts = info.facts;
    answer.frequencies = look_.saw_frequencies();
    answer.recorded = length_of(part_.windows_in(info));
    const bool can_query = query::Database::available().has_value();
    for (odd::Finding& finding : look_.findings(info, answer.recorded, can_query)) {
      if (!wants(finding)) continue;
      const Pid pid = finding.row == odd::kNoRow ? kNoPid : look_.scene().pid_of(finding.row);
      std::string subject = look_.subject(finding, info);
      answer.findings.push_back({std::move(finding), std::move(subject), pid});
    }
    return answer;
  }

 private:
  bool wants(const odd::Finding& finding) const {
    const filters::Selection& part = part_.part();
    if (finding.row == odd::kNoRow) return !part.threads && part.wants_cpu(finding.cpu);
    const odd::Scene& scene = look_.scene();
    const ThreadId thread = scene.thread_of(finding.row);
    if (!part.wants_thread(scene.pid_of(finding.row), thread)) return false;
    const filters::ChosenThreads& ran = part.threads_of_cpus;
    const bool are_told = !ran.threads.empty() && thread != ThreadId::kNone;
    return !part.cpus ||
           (are_told ? ran.threads.contains(thread) : scene.had_number(finding.row, ran.pids));
  }

  const read::TraceInput& input_;
  NameTable names_;
  TraceSelection part_;
  odd::Look look_;
};

// The whole trace, opened where the worst case of what costs most is; of nothing odd, all of it.
Status write_page(const read::TraceInput& input, const emit::OddAnswer& answer,
                  const std::string& output) {
  PageRequest page{.output = output};
  if (!answer.findings.empty()) {
    const auto& [begin, end] = answer.findings.front().finding.when;
    page.saved = emit::saved_view({.begin = begin, .end = end, .selects = true});
  }
  return write_page_of(input, page);
}

}  // namespace

Result<int> say_what_is_odd(const read::TraceInput& input, const std::string& file,
                            const SelectionOptions& part, const TableOptions& table,
                            std::size_t width) {
  KUTRACE_ASSIGN(emit::OddAnswer answer, Odd(input, part).answer(file));
  if (width != 0) answer.width = std::min(answer.width, width);
  const auto write = [&](const TakeLine& line) -> Status {
    const TableForm form = table.form();
    if (form == TableForm::kJson) line(emit::odd_json(answer));
    if (form == TableForm::kCsv) emit::odd_csv(answer, line);
    if (form == TableForm::kTable) emit::odd_story(answer, line);
    return {};
  };
  KUTRACE_TRY(table.is_page() ? write_page(input, answer, table.output)
                              : write_lines(table.output, write));
  return static_cast<int>(answer.findings.empty() ? ExitCode::kDone : ExitCode::kFindings);
}

Result<int> list_detectors(const TableOptions& table) {
  KUTRACE_TRY(write_lines(table.output, [&](const TakeLine& line) -> Status {
    const TableForm form = table.form();
    if (form == TableForm::kJson) line(emit::odd_list_json());
    if (form == TableForm::kCsv) emit::odd_list_csv(line);
    if (form == TableForm::kTable) emit::odd_list(line);
    return {};
  }));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace kutrace::cli
