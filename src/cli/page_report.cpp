// SPDX-License-Identifier: BSD-3-Clause
// Reading into a page, coarsening, writing.
#include "cli/page_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/counted.h"
#include "base/text.h"
#include "cli/log.h"
#include "cli/output_file.h"
#include "cli/output_form.h"
#include "cli/progress.h"
#include "cli/replay.h"
#include "cli/spill_file.h"
#include "cli/time_text.h"
#include "emit/page/page_writer.h"
#include "filters/coarsen.h"
#include "filters/span_budget.h"

namespace kutrace::cli {

namespace {

bool is_container(const std::string& output) {
  return form_of_output(output) == OutputForm::kContainer;
}

// Everything of one trace but where it goes.
class Report {
 public:
  Report(const PageRequest& options, const read::TraceInput& input)
      : options_(options), input_(input) {}

  // Fills the page, coarsened where that was asked for or is needed.
  Status build() {
    if (options_.coarsen != "auto") {
      if (options_.coarsen == "never") return replay(0);
      KUTRACE_ASSIGN(const Ns resolution, parse_time(options_.coarsen, 1000));
      if (resolution == 0) return fail(usage_error("a resolution of 0 would change nothing"));
      return replay(resolution);
    }
    if (is_container(options_.output)) return replay(0);
    KUTRACE_TRY(replay(0, options_.max_spans));
    if (!too_many_) return {};
    // What is too much was counted to the end: now it is known how coarse is coarse enough.
    for (Ns resolution = budget_.resolution_for(options_.max_spans, info_);;
         resolution = filters::SpanBudget::coarser(resolution)) {
      // Nothing is coarser: what is left then is the least there can be, and all of it is shown.
      const Ns coarsest = std::min(info_.end - info_.begin, filters::SpanBudget::kCoarsest);
      if (resolution >= coarsest) return replay(resolution);
      KUTRACE_TRY(replay(resolution, options_.max_spans));
      if (!too_many_) return {};
    }
  }
  Result<emit::PageSummary> write(const emit::PageOutput& output) {
    if (resolution_ > 0) {
      log_info("{}, coarsened to {:g} us: {} left; totals per thread and name are exact",
               counted(budget_.count(), "span", "spans"), static_cast<double>(resolution_) / 1000,
               grouped(kept_));
      log_info("--coarsen never keeps them all, and so does -o FILE.kux");
      if (options_.coarsen == "auto" && kept_ > options_.max_spans) {
        log_warn(
            "--max-spans {} is less than there can be: marks, losses and one span for each "
            "thing that a CPU did stay",
            grouped(options_.max_spans));
      }
    }
    warn_of_gaps(input_, info_);
    settle_title();
    return page_->write(info_, names_, output);
  }

 private:
  // Counts what arrives, and hands on until it is too much.
  class Limit final : public SpanStage {
   public:
    Limit(emit::PageWriter& page, std::uint64_t most) : SpanStage(page), page_(page), most_(most) {}
    void push(const Span& span) override {
      seen_.push(span);
      if (seen_.count() <= most_) page_.push(span);
    }
    void call(const Call& call) override {
      if (seen_.count() <= most_) page_.call(call);
    }
    const filters::SpanBudget& seen() const { return seen_; }

   private:
    emit::PageWriter& page_;
    std::uint64_t most_;
    filters::SpanBudget seen_;
  };

  Status replay(Ns resolution, std::uint64_t most = ~std::uint64_t{0}) {
    page_.reset();
    page_ = std::make_unique<emit::PageWriter>(
        emit::PageOptions{.title = {},
                          .saved = options_.saved,
                          .container = is_container(options_.output),
                          .names = &names_,
                          .spill = &spill_.emplace(options_.output)});
    names_ = NameTable();
    Limit limit(*page_, most);
    Progress bar;
    const auto show = [&bar](double share) { bar.show(share); };
    if (resolution == 0) {
      KUTRACE_ASSIGN(info_, input_.replay(names_, limit, show));
      budget_ = limit.seen();
    } else {
      budget_ = filters::SpanBudget();
      filters::Coarsen coarsen(resolution, limit);
      BothSinks both(budget_, coarsen);
      KUTRACE_ASSIGN(info_, input_.replay(names_, both, show));
    }
    resolution_ = resolution;
    kept_ = limit.seen().count();
    too_many_ = kept_ > most;
    return {};
  }

  // The page is called as it is asked for here, or as its source is; never by a command that is to
  // be hidden.
  void settle_title() {
    std::string title = options_.title;
    if (title.empty()) title = input_.title();
    if (title.empty()) title = info_.facts.get(fact::kTitle).value_or("");
    if (options_.hide_command && options_.title.empty() && !title.empty() &&
        !was_asked_for(title)) {
      log_warn("the title stays out, as it may be the command; --title TEXT gives another");
      title.clear();
    }
    info_.facts.erase(fact::kTitle);
    if (options_.hide_command) info_.facts.erase(fact::kCommandLine);
    if (!title.empty()) info_.facts.add(fact::kTitle, title);
  }

  // A raw trace has no other titles. In a file of spans one that was asked for is known by the
  // command that it is not; where the command is not told, nobody knows.
  bool was_asked_for(const std::string& title) {
    if (input_.is_raw()) return true;
    const auto line = info_.facts.get(fact::kCommandLine);
    return line ? line->find(title) == line->npos : input_.keeps_titles();
  }

  const PageRequest& options_;
  const read::TraceInput& input_;
  NameTable names_;
  std::optional<SpillFile> spill_;
  std::unique_ptr<emit::PageWriter> page_;
  filters::SpanBudget budget_;
  TraceInfo info_;
  Ns resolution_ = 0;
  std::uint64_t kept_ = 0;
  bool too_many_ = false;
};

}  // namespace

Status write_page_of(const read::TraceInput& input, const PageRequest& request) {
  KUTRACE_ASSIGN(OutputFile out, OutputFile::create(request.output));
  Report report(request, input);
  KUTRACE_TRY(report.build());
  bool goes_on = true;
  const Result<emit::PageSummary> written =
      report.write([&](std::string_view piece) { return goes_on = out.write(piece); });
  // A full disk is told by the file, which knows the reason.
  if (!written && goes_on) return fail(written.error());
  KUTRACE_TRY(out.finish());
  if (!written) return fail(written.error());
  log_info("{}: {:.1f} MB, {}, {:.2f} bytes each", printable(request.output),
           static_cast<double>(written->bytes) / 1e6, counted(written->spans, "span", "spans"),
           static_cast<double>(written->bytes) /
               static_cast<double>(std::max<std::uint64_t>(written->spans, 1)));
  return {};
}

}  // namespace kutrace::cli
