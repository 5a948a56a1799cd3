// SPDX-License-Identifier: BSD-3-Clause
// kutrace symbolize: names for the code that was sampled.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/counted.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/made_code.h"
#include "cli/output_form.h"
#include "cli/progress.h"
#include "cli/raw_output.h"
#include "cli/replay.h"
#include "cli/span_output.h"
#include "filters/name_samples.h"
#include "filters/sampled_maps.h"
#include "format/kallsyms.h"
#include "format/perf_map.h"
#include "format/proc_maps.h"
#include "raw/raw_cut.h"
#include "read/trace/trace_input.h"
#include "symbols/symbolize.h"
#include "timeline/trace_layout.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
With samples, the recorder stores the names of the kernel functions and, for each piece of user code,
its file and build-id. This command looks into those files, on any machine that has them, and writes a
trace in which samples have names. A file with a different build-id is refused.
The output's name decides its format: .raw or .trace a raw trace, .html a page, .json span JSON,
otherwise text; --format chooses one for standard output. All commands show names in a raw trace.

Examples:
  kutrace record --samples 1000 -o trace.raw -- ./server --once
  kutrace symbolize trace.raw -o named.raw
  kutrace profile named.raw
  kutrace symbolize --lines trace.raw -o lines.html
  kutrace symbolize --root /mnt/target trace.raw -o named.raw     files of another machine
  kutrace symbolize --format raw trace.raw -o - | ssh desk 'cat > named.raw'

Exit codes: 0 done; 1 done, but some files were refused; 2 usage; 3 input unusable; 5 output cannot
be written.)";

struct Options {
  std::string file;
  std::string kallsyms;
  std::string maps;
  std::string perf_maps;
  std::string format;
  symbols::SymbolizeOptions symbols;
  SpanOutput::Options output;
};

constexpr const char* kRawFormat = "raw";
constexpr const char* kTextFormat = "text";
constexpr const char* kKernelSymbols = "/proc/kallsyms";

Result<std::string> text_of(const std::string& path) {
  KUTRACE_ASSIGN(const MappedFile file, MappedFile::open(path));
  const auto bytes = file.bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::string nameless_samples(std::uint64_t count, const std::string& of = "") {
  return counted(count, "sample" + of + " has no name", "samples" + of + " have no name");
}

class Symbolizing {
 public:
  Symbolizing(const Options& options, const read::TraceInput& input)
      : options_(options), input_(input) {}

  Result<int> run() {
    KUTRACE_TRY(read_code());
    KUTRACE_TRY(look_at_samples());
    KUTRACE_TRY(name_kernel());
    name_user();
    name_made();
    KUTRACE_TRY(options_raw() ? write_raw() : write_spans());
    return report();
  }

 private:
  bool options_raw() const { return options_.output.form == OutputForm::kRaw; }

  // What the trace, or the user, says of mapped files.
  Status read_code() {
    if (const RawFile* raw = input_.raw()) {
      KUTRACE_ASSIGN(const timeline::TraceLayout layout, timeline::lay_out(*raw));
      clock_ = layout.clock;
      recorded_ = timeline::recorded_code(layout);
      boot_id_ = layout.facts.get(fact::kBootId);
    }
    maps_ = recorded_.maps;
    if (options_.maps.empty()) return {};
    KUTRACE_ASSIGN(const std::string text, text_of(options_.maps));
    parse_proc_maps_of_all(text, [this](Pid process, const ProcMapping& mapping) {
      maps_.push_back({process, 0, mapping.start, mapping.end, mapping.offset, "", mapping.path});
    });
    if (maps_.size() != recorded_.maps.size()) return {};
    return fail(input_error("holds no memory maps")
                    .with_file(options_.maps)
                    .with_hint("it is to hold /proc/PID/maps of each process, each after a line "
                               "\"==== /proc/PID/maps\""));
  }

  Status look_at_samples() {
    sampled_.emplace(maps_, clock_);
    progress_.set_passes(options_raw() ? 1 : 2);
    KUTRACE_ASSIGN(const TraceInfo info, replay(*sampled_));
    progress_.next_pass();
    if (!sampled_->empty()) return {};
    return fail(input_error("has no samples of program counters, and no stacks")
                    .with_file(input_.name())
                    .with_hint("kutrace record --samples 1000 records them"));
  }

  Result<TraceInfo> replay(SpanSink& sink) {
    return input_.replay(names_, sink, [this](double share) { progress_.show(share); });
  }

  // Whether the trace was recorded here since the machine was started.
  bool is_of_this_boot() const {
    const Result<std::string> now = text_of("/proc/sys/kernel/random/boot_id");
    return boot_id_ && now && now->starts_with(*boot_id_);
  }

  // Addresses of a kernel hold for one boot.
  Result<std::string> kernel_symbols() const {
    if (!options_.kallsyms.empty()) return text_of(options_.kallsyms);
    if (!is_of_this_boot()) return std::string();
    return text_of(kKernelSymbols);
  }

  Status name_kernel() {
    if (sampled_->nameless_kernel().empty() && options_.kallsyms.empty()) return {};
    KUTRACE_ASSIGN(std::string text, kernel_symbols());
    const Kallsyms symbols(std::move(text));
    if (symbols.empty() && !options_.kallsyms.empty()) {
      return fail(input_error("contains no addresses of symbols")
                      .with_hint("read it as root: kernel.kptr_restrict hides them")
                      .with_file(options_.kallsyms));
    }
    for (const auto& [counter, samples] : sampled_->nameless_kernel()) {
      auto function = symbols.find(counter);
      if (!function) {
        nameless_kernel_ += samples;
        continue;
      }
      if (counter < kernel_end_) continue;
      kernel_end_ = function->end;
      added_.symbols.push_back({0, 0, function->start, function->end, std::move(function->name)});
    }
    return {};
  }

  void name_user() {
    std::vector<symbols::SampledMap> sampled;
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      if (!may_be_made_code(maps_[i].path)) sampled.push_back({maps_[i], sampled_->by_map()[i]});
    }
    symbols::Symbolized found = symbols::symbolize(sampled, options_.symbols);
    files_ = std::move(found.files);
    for (SymbolRecord& symbol : found.symbols) added_.symbols.push_back(std::move(symbol));
    for (std::size_t i = recorded_.maps.size(); i < maps_.size(); ++i) {
      if (!sampled_->by_map()[i].empty()) added_.maps.push_back(maps_[i]);
    }
  }

  // Samples in memory that belongs to no file, by process.
  std::map<Pid, filters::SampledMaps::Counters> made_code() const {
    std::map<Pid, filters::SampledMaps::Counters> made = sampled_->unmapped();
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      if (!may_be_made_code(maps_[i].path)) continue;
      for (const auto& [counter, samples] : sampled_->by_map()[i])
        made[maps_[i].process][counter] += samples;
    }
    return made;
  }

  // Since when the memory at this place is what it was last.
  Ticks mapped_since(Pid process, std::uint64_t counter) const {
    Ticks since = 0;
    for (const MapRecord& map : maps_) {
      if (map.process == process && counter >= map.start && counter < map.end)
        since = std::max(since, map.from);
    }
    return since;
  }

  // Numbers of processes hold for one boot, too.
  void name_made() {
    const bool look = !options_.perf_maps.empty() || is_of_this_boot();
    for (const auto& [process, counters] : made_code()) {
      const auto text = look ? made_code_of(process, options_.perf_maps) : Result<std::string>();
      if (!text && !text.error().hint.empty()) log_warn("{}", describe(text.error()));
      const PerfMap functions(text ? *text : std::string());
      std::set<std::uint64_t> known;
      for (const auto& [counter, samples] : counters) {
        const auto function = functions.find(counter);
        if (!function) {
          nameless_made_ += samples;
        } else if (known.insert(function->start).second) {
          added_.symbols.push_back({process, mapped_since(process, counter), function->start,
                                    function->end, function->name});
        }
      }
    }
  }

  Status write_raw() {
    if (!input_.is_raw()) return fail(spans_are_not_raw());
    const RawFile& raw = *input_.raw();
    const auto make = [&](const raw::RawOutput& output) {
      return raw::name_code_raw(raw, added_, output);
    };
    if (const auto written = write_raw_file(options_.output.path, raw.blocks().size(), make);
        !written)
      return fail(written.error());
    return {};
  }

  Status write_spans() {
    SampleNames found(names_);
    for (const MapRecord& map : maps_) found.add(map, clock_);
    for (const SymbolRecord& symbol : recorded_.symbols) found.add(symbol, clock_);
    for (const SymbolRecord& symbol : added_.symbols) found.add(symbol, clock_);
    KUTRACE_ASSIGN(const auto output, SpanOutput::create(options_.output, names_));
    filters::NameSamples named(found, output->sink());
    KUTRACE_ASSIGN(const TraceInfo info, replay(named));
    warn_of_gaps(input_, info);
    return output->finish(info);
  }

  Result<int> report() const {
    std::uint64_t nameless = nameless_kernel_ + nameless_made_;
    bool refused = false;
    for (const symbols::FileOutcome& file : files_) {
      const std::uint64_t without = file.samples - file.named;
      nameless += without;
      if (without == 0) continue;
      if (!file.refused.empty()) {
        refused = refused || file.path.front() != '[';
        log_warn("{}: {}: {}", printable(file.path), nameless_samples(without), file.refused);
      } else {
        log_warn("{}: {}: no symbol is there", printable(file.path), nameless_samples(without));
      }
    }
    if (nameless_made_ != 0) {
      log_warn(
          "{}: no file was mapped there, as far as the trace says, and no perf-PID.map names it",
          nameless_samples(nameless_made_, " of user code"));
    }
    if (nameless_kernel_ != 0)
      log_warn("{}; --kallsyms FILE tells the symbols of the recorded machine",
               nameless_samples(nameless_kernel_, " of the kernel"));
    log_info("{}: {} of {} have a name", printable(options_.output.path),
             grouped(sampled_->samples() - nameless),
             counted(sampled_->samples(), "sample", "samples"));
    return static_cast<int>(refused ? ExitCode::kFindings : ExitCode::kDone);
  }

  const Options& options_;
  const read::TraceInput& input_;
  NameTable names_;
  Progress progress_;
  TraceClock clock_;
  timeline::CodeRecords recorded_;
  std::optional<std::string> boot_id_;
  std::vector<MapRecord> maps_;  // recorded, then the user's
  std::optional<filters::SampledMaps> sampled_;
  timeline::CodeRecords added_;
  std::uint64_t kernel_end_ = 0;
  std::uint64_t nameless_kernel_ = 0;
  std::uint64_t nameless_made_ = 0;
  std::vector<symbols::FileOutcome> files_;
};

OutputForm form_of(const Options& options) {
  if (options.format.empty()) return form_of_output(options.output.path);
  if (options.format == kRawFormat) return OutputForm::kRaw;
  return export_form(options.format).value_or(OutputForm::kText);
}

Result<int> run(const Options& given) {
  Options options = given;
  options.output.form = form_of(options);
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  return Symbolizing(options, input).run();
}

}  // namespace

void add_symbolize(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("symbolize", "Name the code that was sampled");
  command.footer(kFooter);
  command.add_option("file", options->file, "trace: raw, span JSON or page; - is standard input")
      .required();
  command.add_flag("--lines", options->symbols.lines,
                   "add source file and line: one name per place instead of per function");
  command.add_flag("--inline", options->symbols.inlined,
                   "prefix names with inlined functions: \"inner < outer < function\"");
  command.add_option("--root", options->symbols.root,
                     "folder with the files of the recorded machine, in the place of its /");
  command.add_option("--kallsyms", options->kallsyms,
                     "symbols of the kernel, as /proc/kallsyms had them at the recording");
  command.add_option("--maps", options->maps,
                     "more memory maps: lines of /proc/PID/maps, after \"==== /proc/PID/maps\"");
  command.add_option("--perf-maps", options->perf_maps,
                     "folder of perf-PID.map files: names of code made at run time");
  command.add_flag("--unidentified", options->symbols.unidentified,
                   "also use files without a build-id to prove that they are the recorded ones");
  command.add_option("--format", options->format, "default: by the output's name")
      .one_of({kRawFormat, "html", "kux", "json", kTextFormat});
  add_output_options(command, options->output).required();
  command.runs(options, run);
}

}  // namespace kutrace::cli
