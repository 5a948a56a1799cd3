// SPDX-License-Identifier: BSD-3-Clause
// kutrace pcap: packets that tcpdump captured beside the trace of the same machine.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "align/capture.h"
#include "align/capture_match.h"
#include "base/counted.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "base/wall_clock.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/log.h"
#include "cli/output.h"
#include "cli/raw_output.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "raw/counter_at.h"
#include "timeline/event_stream.h"
#include "timeline/trace_layout.h"

namespace kutrace::cli {

namespace {

constexpr double kDriftOfPpm = 1000;              // ns a second
constexpr Ns kSteady = 50'000;                    // a change of no interest
constexpr std::size_t kMostCaptured = 1'000'000;  // packets of the capture alone, about 100 MB

constexpr const char* kFooter = R"(
Looks up each packet of a capture (tcpdump -w, pcap or pcapng) in a trace recorded at the same time on
the same machine, by a hash of the payload: TCP and UDP packets with 32 bytes of payload or more.
Prints which are in both, how the clocks differ and when the capture's was set, and how far the
capture's times are off. -o writes the trace with the addresses and ports of the capture as packet
names, for every command and the page, and with a point "captured FROM > TO [FLAGS]" for each packet
that only the capture has.
Capture with -s 128 or more; the default of tcpdump is enough.

Examples:
  tcpdump -i any --immediate-mode -U -w capture.pcap & sleep 1
  kutrace record -o trace.raw -- ./server --once; sleep 1; kill %1
  kutrace pcap trace.raw capture.pcap
  kutrace pcap trace.raw capture.pcap -o named.raw

Exit codes: 0 done; 2 usage; 3 input unusable, or too few packets are in both; 5 output cannot be written.)";

struct Options {
  std::string trace;
  std::string capture;
  std::string output;
};

std::string microseconds(Ns time) {
  return fmt::format("{:.3f} us", static_cast<double>(time) / 1e3);
}

std::string seconds(Ns time) { return fmt::format("{:.6f} s", static_cast<double>(time) / 1e9); }

std::string signed_seconds(Ns time) { return (time < 0 ? "" : "+") + seconds(time); }

// Differences of clocks: up to many years.
std::string difference(Ns time) {
  constexpr Ns kSecond = 1'000'000'000;
  return std::abs(time) < kSecond ? microseconds(time) : seconds(time);
}

// In a name there is room for so much; of two long addresses the ends differ more than the begins.
std::string fitted(const std::string& flow) {
  if (flow.size() <= KUTRACE_NAME_BYTES) return flow;
  constexpr std::string_view kCut = "..";
  const std::size_t arrow = flow.find(" > ");
  const auto half = [&](std::string_view end) {
    const std::size_t room = (KUTRACE_NAME_BYTES - 3) / 2;
    if (end.size() <= room) return std::string(end);
    return std::string(kCut) + std::string(end.substr(end.size() - room + kCut.size()));
  };
  return half(std::string_view(flow).substr(0, arrow)) + " > " +
         half(std::string_view(flow).substr(arrow + 3));
}

Result<align::Capture> read_capture(const std::string& path) {
  KUTRACE_ASSIGN(const MappedFile file, MappedFile::open(path));
  auto capture = align::Capture::read(file.bytes());
  if (!capture) return fail(Error(capture.error()).with_file(path));
  if (capture->summary().damaged != 0)
    log_warn("{}: {} cannot be read, and are left out", printable(path),
             counted(capture->summary().damaged, "byte", "bytes"));
  return capture;
}

Ns wall_zero(const timeline::TraceLayout& layout) { return wall_ns(layout.wall_usec); }

std::vector<align::TracedPacket> traced_packets(const timeline::TraceLayout& layout) {
  std::vector<align::TracedPacket> packets;
  const Ns zero = wall_zero(layout);
  timeline::EventStream stream(layout);
  stream.run([&](const timeline::Event& event) {
    const bool is_sent = event.entry.number == ev::kTX_PACKET;
    if (event.cpu == kNoCpu || (!is_sent && event.entry.number != ev::kRX_PACKET)) return;
    packets.push_back({event.entry.arg, zero + event.time, is_sent});
  });
  return packets;
}

// Packets in both get a name; the others become points of their own, as far as they were captured
// while the trace was recorded.
raw::PacketRecords packet_records(const align::Capture& capture, const align::CaptureMatch& match,
                                  const timeline::TraceLayout& layout) {
  raw::PacketRecords records;
  for (const auto& [hash, flow] : capture.flows()) records.names.emplace(hash, fitted(flow));
  auto known = match.frames.begin();
  std::uint64_t left_out = 0;
  for (std::uint32_t i = 0; i < capture.frames().size(); ++i) {
    if (known != match.frames.end() && *known == i) {
      ++known;
      continue;
    }
    const align::Capture::Frame& frame = capture.frames()[i];
    const std::optional<Ns> wall = match.clock.of_trace(i, frame.wall);
    if (!wall) continue;
    const Ns time = *wall - wall_zero(layout);
    if (time < layout.begin || time > layout.end) continue;
    if (records.captured.size() == kMostCaptured) {
      ++left_out;
      continue;
    }
    records.captured.push_back(
        {raw::counter_at(layout.clock, time), frame.bytes, capture.text(frame.label)});
  }
  if (left_out != 0)
    log_warn("{} of the capture alone are left out: {} is the most that a trace takes",
             counted(left_out, "packet", "packets"), grouped(kMostCaptured));
  return records;
}

Error nothing_in_both(const Options& options, const align::Capture& capture, std::size_t traced) {
  const Error error = input_error("no packet of it is in the trace").with_file(options.capture);
  if (traced == 0)
    return Error(error).with_hint("the trace holds no packets: record group net, too");
  if (capture.packets().empty() && capture.cut() != 0)
    return Error(error).with_hint("it holds too little of each packet: capture with -s 128");
  if (capture.packets().empty() && capture.timeless() != 0)
    return Error(error).with_hint("its packets are without times: capture with tcpdump -w FILE");
  return Error(error).with_hint(fmt::format(
      "the trace holds {}, the capture {} that can be told: were they recorded at the same "
      "time, on the same machine? tcpdump keeps packets for a while, except with "
      "--immediate-mode -U",
      counted(traced, "packet", "packets"), grouped(capture.packets().size())));
}

Error clocks_unknown(const Options& options, const align::CaptureVote& vote) {
  const auto error = [&](const std::string& why) {
    return input_error("its clock cannot be compared with the trace's: " + why)
        .with_file(options.capture);
  };
  if (vote.doubt == align::VoteDoubt::kTwoAnswers)
    return error(fmt::format("one difference fits {}, another, of {} more, fits {}",
                             counted(vote.fitting, "packet", "packets"), signed_seconds(vote.other),
                             grouped(vote.fitting_other)))
        .with_hint("packets repeat: capture for no longer than you record");
  const std::string least = vote.doubt == align::VoteDoubt::kTooFew
                                ? fmt::format("at least {}", align::kLeastVotes)
                                : "more than half";
  return error(fmt::format("{} of {} payloads that are rare in both files agree on the difference",
                           grouped(vote.agreeing), grouped(vote.voters)))
      .with_hint(least +
                 " must: capture and record more traffic, at the same time, on the same "
                 "machine");
}

std::string course_text(const align::CaptureClock::Course& course) {
  if (course.drift)
    return fmt::format(", and {:.3f} ppm faster",
                       std::round(*course.drift / kDriftOfPpm * 1000) / 1000 + 0.0);
  if (course.most - course.least < kSteady) return "";
  return fmt::format(", changing by {:+.3f} to {:+.3f} us", static_cast<double>(course.least) / 1e3,
                     static_cast<double>(course.most) / 1e3);
}

std::vector<std::string> told(const align::Capture& capture, const align::CaptureMatch& match,
                              Ns zero) {
  const std::uint64_t frames = capture.summary().frames;
  std::vector<std::string> lines;
  const auto also = [](std::uint64_t number, const char* what) {
    return number == 0 ? std::string() : fmt::format(", {} {}", grouped(number), what);
  };
  lines.push_back(fmt::format(
      "captured      {}, {} of them TCP or UDP with 32 bytes of payload or more{}{}",
      counted(frames, "packet", "packets"), grouped(capture.packets().size()),
      also(capture.cut(), "cut short"), also(capture.timeless(), "without a time, left out")));
  lines.push_back(fmt::format("in both       {}: {} received, {} sent", grouped(match.matched()),
                              grouped(match.received), grouped(match.sent)));
  lines.push_back(
      fmt::format("in one alone  {} of the capture; {} of the trace, while it was captured",
                  grouped(match.captured_only), grouped(match.traced_only)));
  lines.push_back(
      fmt::format("clocks        the capture's is ahead of the trace's wall clock by {}{}",
                  difference(match.clock.ahead()), course_text(match.clock.course())));
  for (const align::CaptureClock::Step& step : match.clock.steps())
    lines.push_back(fmt::format("clock set     the capture's stepped by {} at {}",
                                signed_seconds(step.by), seconds(step.wall - zero)));
  if (match.clock.unplaced() != 0)
    lines.push_back(fmt::format("left out      {} of the capture, next to where its clock was set",
                                counted(match.clock.unplaced(), "packet", "packets")));
  lines.push_back(fmt::format("off by        {} (half of them at most), {} (95 %), {} (all)",
                              microseconds(match.median_error), microseconds(match.p95_error),
                              microseconds(match.most_error)));
  return lines;
}

// Which of the two files is the capture, they say themselves. What can be read but once is not
// asked.
Result<Options> in_order(Options options) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(options.trace, error)) return options;
  KUTRACE_ASSIGN(const MappedFile first, MappedFile::open(options.trace));
  if (align::is_capture(first.bytes())) std::swap(options.trace, options.capture);
  return options;
}

Result<int> run(const Options& typed) {
  KUTRACE_ASSIGN(const Options options, in_order(typed));
  KUTRACE_ASSIGN(const align::Capture capture, read_capture(options.capture));
  KUTRACE_ASSIGN(const RawFile file, open_trace(options.trace));
  KUTRACE_ASSIGN(const timeline::TraceLayout layout, timeline::lay_out(file));
  std::vector<align::TracedPacket> traced = traced_packets(layout);
  const std::size_t in_trace = traced.size();
  const align::CaptureMatch match =
      align::match_capture(std::move(traced), capture.packets(), capture.walls());
  if (match.vote.in_both == 0) return fail(nothing_in_both(options, capture, in_trace));
  if (match.vote.doubt != align::VoteDoubt::kNone) return fail(clocks_unknown(options, match.vote));
  const std::vector<std::string> lines = told(capture, match, wall_zero(layout));
  if (options.output.empty()) {
    StandardOutput out;
    for (const std::string& line : lines) out.line(line);
    KUTRACE_TRY(out.finish());
    return static_cast<int>(ExitCode::kDone);
  }
  for (const std::string& line : lines) log_info("{}", line);
  raw::PacketRecords packets = packet_records(capture, match, layout);
  KUTRACE_ASSIGN(
      const raw::RawSummary written,
      write_raw_file(options.output, file.blocks().size(), [&](const raw::RawOutput& out) {
        return raw::add_packets_raw(file, std::move(packets), out);
      }));
  log_info("{}: {}, {}", printable(options.output), counted(written.blocks, "block", "blocks"),
           byte_size(written.bytes));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_pcap(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command =
      program.add_command("pcap", "Match a packet capture with a trace of the same machine");
  command.footer(kFooter);
  command.add_option("trace", options->trace, "raw trace with packets; - is standard input")
      .required();
  command.add_option("capture", options->capture, "captured packets: pcap or pcapng").required();
  command.add_option("-o,--output", options->output,
                     "the trace with the packets of both; - is standard output");
  command.runs(options, run);
}

}  // namespace kutrace::cli
