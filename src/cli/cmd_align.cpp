// SPDX-License-Identifier: BSD-3-Clause
// kutrace align: raw traces of several machines on one clock.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "align/alignment.h"
#include "align/offset_region.h"
#include "base/counted.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/log.h"
#include "cli/output.h"
#include "cli/raw_output.h"
#include "cli/time_text.h"
#include "raw/raw_machines.h"
#include "timeline/trace_layout.h"

namespace kutrace::cli {

namespace {

constexpr double kDriftOfPpm = 1000;  // ns a second
// Near the most that a region has room for, that is what limits the drift.
constexpr double kMostBelieved = 0.9 * align::OffsetRegion::kMostDrift;
// More packets than one of so many that contradict others are no chance.
constexpr std::uint64_t kFewOf = 50;

constexpr const char* kFooter = R"(
Compares clocks by the packets between machines: a packet arrives after it was sent, so packets one
way bound the difference from below, and those the other way from above. Traces must hold packets in
both directions (group net, recorded by default). Prints for each machine when its recording began in
the first one's time, how far its wall clock was ahead then, how fast its clock runs, and the bound on
the error; a clock that jumped has a line for each piece.
-o writes one raw trace of all machines on the first one's clock, which every command reads: CPUs of
the n-th machine follow those before, its thread T is n x 4194304 + T.

Examples:
  kutrace align web.raw db.raw
  kutrace align web.raw db.raw -o both.raw
  kutrace align --clock wall web.raw db.raw -o both.raw

Exit codes: 0 done; 2 usage; 3 input unusable, or no messages between the machines; 5 output cannot be
written.)";

struct Options {
  std::vector<std::string> files;
  std::string output;
  std::string clock = "messages";
};

using align::Aligned;

// The machines, and their clocks as far as they are known.
class Set {
 public:
  Status open(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      KUTRACE_ASSIGN(RawFile file, open_trace(path));
      files_.push_back(std::make_unique<RawFile>(std::move(file)));
      KUTRACE_ASSIGN(auto layout, timeline::lay_out(*files_.back()));
      layouts_.push_back(std::move(layout));
      KUTRACE_TRY(raw::check_joinable(files_.back()->name(), layouts_.back(), layouts_.front()));
      KUTRACE_TRY(check_new());
    }
    return {};
  }

  Status align_by_messages() {
    const std::vector<align::SeenPackets> seen = seen_packets();
    const auto found = align::align_by_messages(seen);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) return fail(nothing_between(i, seen[i]));
      aligned_.push_back(*found[i]);
    }
    return {};
  }

  Status align_by_wall_clock() {
    std::vector<std::uint64_t> clocks;
    for (const timeline::TraceLayout& layout : layouts_) clocks.push_back(layout.wall_usec);
    aligned_ = align::align_by_wall_clock(seen_packets(), clocks);
    return {};
  }

  std::vector<std::string> table() const {
    std::vector<std::string> lines = {row({"machine", "by", "sent, received", "from",
                                           "wall clock ahead", "fast, ppm", "within", "trace"})};
    for (std::size_t i = 0; i < files_.size(); ++i) add_rows(i, lines);
    return lines;
  }

  Result<raw::RawSummary> join(const std::string& output) const {
    std::vector<raw::MachineTrace> machines;
    std::size_t blocks = 0;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      blocks += files_[i]->blocks().size();
      machines.push_back({&layouts_[i], files_[i]->name(), aligned_[i], clock_words(i)});
    }
    return write_raw_file(output, blocks, [&](const raw::RawOutput& out) {
      return raw::join_machines(machines, out);
    });
  }

 private:
  // The last one is none of those before.
  Status check_new() const {
    for (std::size_t i = 0; i + 1 < layouts_.size(); ++i) {
      if (!raw::is_same_recording(layouts_[i], layouts_.back())) continue;
      return fail(input_error("is the same recording as " + printable(files_[i]->name()))
                      .with_file(files_.back()->name()));
    }
    return {};
  }

  std::vector<align::SeenPackets> seen_packets() const {
    std::vector<align::SeenPackets> seen;
    for (const timeline::TraceLayout& layout : layouts_)
      seen.push_back(align::seen_packets(layout));
    return seen;
  }

  // By its own clock.
  Ns begin_of(std::size_t i) const { return layouts_[i].begin; }

  Error nothing_between(std::size_t i, const align::SeenPackets& seen) const {
    const Error error = input_error("no packets went both ways between this machine and another")
                            .with_file(files_[i]->name());
    if (seen.sent.empty() && seen.received.empty() && seen.alike == 0) {
      return Error(error).with_hint(
          "it holds no packets: record group net, too; or --clock wall believes the wall clocks");
    }
    return Error(error).with_hint(fmt::format(
        "it holds {} that can be told apart, {} that cannot; --clock wall believes its wall clock",
        counted(seen.sent.size() + seen.received.size(), "packet", "packets"),
        grouped(seen.alike)));
  }

  void add_rows(std::size_t i, std::vector<std::string>& lines) const {
    const Aligned& one = aligned_[i];
    const std::string machine = std::to_string(i);
    const std::string name = printable(files_[i]->name());
    if (i == 0) {
      lines.push_back(row({machine, "-", "-", seconds(begin_of(0)), "0 us", "0", "-", name}));
      return;
    }
    if (!one.fit) {
      lines.push_back(row({machine, "wall", "-", seconds(one(begin_of(i))), "0 us", "not known",
                           "not known", name}));
      return;
    }
    const align::ClockFit& fit = *one.fit;
    for (std::size_t k = 0; k < fit.within.size(); ++k) {
      const align::ClockMap::Piece& piece = fit.map.pieces()[k];
      const Ns when = k == 0 ? begin_of(i) : piece.begin;
      const std::optional<Ns> within = sum(fit.within[k], aligned_[one.by].within);
      lines.push_back(
          row({machine, std::to_string(one.by),
               k == 0 ? fmt::format("{}, {}", grouped(fit.sent), grouped(fit.received)) : "",
               seconds(one(when)), microseconds(wall_clock_ahead(i, when)),
               ppm(-piece.drift / kDriftOfPpm), within ? microseconds(*within) : "not known",
               k == 0 ? name : ""}));
    }
    warn_of(fit, name);
  }

  // What makes `within` no bound.
  static void warn_of(const align::ClockFit& fit, const std::string& name) {
    const std::uint64_t packets = fit.sent + fit.received;
    const std::string left_out =
        fmt::format("{} of {} contradict those around them, and are left out",
                    grouped(fit.contradictory), counted(packets, "packet", "packets"));
    if (fit.contradictory > packets / kFewOf) {
      log_warn(
          "{}: {}: its clock runs unevenly, or other packets have the same hash; times may "
          "be off by more than is told",
          name, left_out);
    } else if (fit.contradictory != 0) {
      log_info("{}: {}", name, left_out);
    }
    const bool is_fast = std::ranges::any_of(
        fit.map.pieces(), [](const auto& piece) { return std::abs(piece.drift) > kMostBelieved; });
    if (is_fast) {
      log_warn(
          "{}: its clock would run faster or slower by more than {} ppm, which no clock that "
          "works does; times may be off by more than is told",
          name, kMostBelieved / kDriftOfPpm);
    }
  }

  // Of a machine that is aligned by way of another, both are off.
  static std::optional<Ns> sum(std::optional<Ns> one, std::optional<Ns> other) {
    return one && other ? std::optional(*one + *other) : std::nullopt;
  }

  // What the machine's wall clock showed more than the first one's at the same moment.
  Ns wall_clock_ahead(std::size_t i, Ns own) const {
    const auto apart = static_cast<std::int64_t>(layouts_[i].wall_usec - layouts_[0].wall_usec);
    return 1000 * apart + own - aligned_[i](own);
  }

  static std::string row(const std::array<std::string, 8>& cells) {
    const auto& [machine, by, packets, from, ahead, fast, within, name] = cells;
    std::string line = fmt::format("{:>7}  {:>4}  {:>17}  {:>16}  {:>20}  {:>10}  {:>12}  {}",
                                   machine, by, packets, from, ahead, fast, within, name);
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  }

  static std::string seconds(Ns time) {
    const Ns whole = time / 1000;
    return fmt::format("{:.6f} s", static_cast<double>(whole) / 1e6);
  }
  // Without a sign where nothing else is left of it.
  static std::string ppm(double drift) {
    return fmt::format("{:.3f}", std::round(drift * 1000) / 1000 + 0.0);
  }
  static std::string microseconds(Ns time) {
    return fmt::format("{:.3f} us", static_cast<double>(time) / 1e3);
  }

  std::string clock_words(std::size_t i) const {
    const Aligned& one = aligned_[i];
    if (i == 0) return "clock=own";
    if (!one.fit) return "clock=wall";
    return fmt::format("clock=messages by={} within_ns={}", one.by,
                       one.within ? std::to_string(*one.within) : "unknown");
  }

  std::vector<std::unique_ptr<RawFile>> files_;
  std::vector<timeline::TraceLayout> layouts_;
  std::vector<Aligned> aligned_;
};

Result<int> run(const Options& options) {
  Set set;
  KUTRACE_TRY(set.open(options.files));
  KUTRACE_TRY(options.clock == "wall" ? set.align_by_wall_clock() : set.align_by_messages());
  const std::vector<std::string> table = set.table();
  if (options.output.empty()) {
    StandardOutput out;
    for (const std::string& line : table) out.line(line);
    KUTRACE_TRY(out.finish());
    return static_cast<int>(ExitCode::kDone);
  }
  for (const std::string& line : table) log_info("{}", line);
  KUTRACE_ASSIGN(const raw::RawSummary written, set.join(options.output));
  if (written.alike_rpcs != 0)
    log_warn("{} of several machines are shown as one RPC each: no number is left for another",
             counted(written.alike_rpcs, "number that RPCs have", "numbers that RPCs have"));
  log_info("{}: {}, {}", printable(options.output), counted(written.blocks, "block", "blocks"),
           byte_size(written.bytes));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_align(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command =
      program.add_command("align", "Put traces of several machines on one clock, into one trace");
  command.footer(kFooter);
  command
      .add_option("files", options->files,
                  "raw traces, one per machine; times are on the first one's clock")
      .required()
      .times(2, static_cast<int>(raw::MachineNumbers::kMostMachines));
  command
      .add_option("--clock", options->clock,
                  "how to compare clocks: by messages between machines, or wall clocks")
      .one_of({"messages", "wall"})
      .shows_default();
  command.add_option("-o,--output", options->output,
                     "one trace of all machines; - is standard output");
  command.runs(options, run);
}

}  // namespace kutrace::cli
