// SPDX-License-Identifier: BSD-3-Clause
// Lines of the daemon's protocol.
#include "record/served/served_protocol.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "kutrace/abi.h"
#include "record/served/json_line.h"

namespace kutrace::record {

namespace {

constexpr double kPsPerNs = 1000;
constexpr std::uint64_t kMostCpus = 8192;
constexpr double kShortestTick_ns = 1;
constexpr double kLongestTick_ns = 1000;

std::string quoted(std::string_view text) { return '"' + json_printable(text) + '"'; }

Error not_understood() {
  return host_error("the daemon's answer cannot be read")
      .with_hint("kutrace and the daemon may be of different versions: restart the daemon");
}

Result<EventGroups> groups_from(const JsonLine& line) {
  const auto names = line.texts("groups");
  if (!names || names->empty()) return fail(usage_error("'groups' must be a list of names"));
  const bool has_sign = std::ranges::any_of(*names, [](const std::string& name) {
    return name.starts_with('+') || name.starts_with('-');
  });
  if (has_sign) return fail(usage_error("'groups' must list names without + or -"));
  return EventGroups::parse(fmt::format("{}", fmt::join(*names, ",")));
}

std::uint64_t picoseconds(double ns) {
  return static_cast<std::uint64_t>(std::clamp(ns, 0.0, 1e9) * kPsPerNs);
}

// A daemon that says nothing of it records through eBPF.
Status take_clock(const JsonLine& line, ServedAnswer& answer) {
  if (!line.has("clock")) return {};
  const auto source = line.text("source");
  const auto clock = line.text("clock");
  const auto tick = line.numbers("tick_ns");
  const auto moment = line.numbers("moment");
  if (!source || !clock || !tick || tick->size() != 2 || !moment || moment->size() != 2)
    return fail(not_understood());
  answer.source = printable(*source);
  answer.clock = printable(*clock);
  answer.tick_ns_numerator = tick->at(0);
  answer.tick_ns_denominator = tick->at(1);
  answer.counter = moment->at(0);
  answer.monotonic_ns = moment->at(1);
  const double ns = answer.tick_rate().ns(1);
  if (!(ns >= kShortestTick_ns && ns <= kLongestTick_ns)) return fail(not_understood());
  return {};
}

}  // namespace

std::string line_of(const ServedRequest& request) {
  return fmt::format("{{\"kutrace\":{},\"groups\":{},\"arguments\":{},\"clocks\":{}}}\n",
                     kServedVersion, json_list(request.groups.names()), request.arguments,
                     request.clocks);
}

std::string line_of(const ServedAnswer& answer) {
  return fmt::format(
      "{{\"kutrace\":{},\"view\":\"{}\",\"groups\":{},\"arguments\":{},\"string_bytes\":{},"
      "\"cpus\":[{}],"
      "\"call_ps\":{},\"spread_ps\":{},\"hooks\":{},\"fault_returns\":{},\"unseen\":{},"
      "\"lacking\":{},\"source\":{},\"clock\":{},\"tick_ns\":[{},{}],\"moment\":[{},{}]}}\n",
      kServedVersion, answer.own_only ? "own" : "all", json_list(answer.groups.names()),
      answer.arguments, answer.string_bytes, fmt::join(answer.cpus, ","),
      picoseconds(answer.call_ns), picoseconds(answer.call_spread), quoted(answer.hooks),
      answer.fault_returns, json_list(answer.unseen), json_list(answer.lacking),
      quoted(answer.source), quoted(answer.clock), answer.tick_ns_numerator,
      answer.tick_ns_denominator, answer.counter, answer.monotonic_ns);
}

std::string line_of(const Piece& piece) {
  return fmt::format("{{\"cpu\":{},\"block\":{},\"at\":{},\"words\":{},\"until\":{}}}\n", piece.cpu,
                     piece.block, piece.at, piece.words, piece.until);
}

std::string line_of(const ServedEnd& end) {
  std::string losses;
  for (const ServedEnd::Loss& loss : end.losses)
    losses +=
        fmt::format("{}[{},{},{}]", losses.empty() ? "" : ",", loss.cpu, loss.begin, loss.entries);
  std::string skipped;
  std::vector<std::string> hooks;
  for (const SkippedRuns& one : end.skipped) {
    skipped +=
        fmt::format("{}[{},{},{}]", skipped.empty() ? "" : ",", one.runs, one.begin, one.end);
    hooks.push_back(one.hook);
  }
  return fmt::format(
      "{{\"ended\":{},\"lost\":[{}],\"skipped\":[{}],\"skipped_hooks\":{},\"missed\":{},"
      "\"by\":{}}}\n",
      end.stop, losses, skipped, json_list(hooks), json_list(end.missed), quoted(end.ended_by));
}

std::string line_of(const Error& error) {
  return fmt::format("{{\"error\":{},\"hint\":{}}}\n", quoted(error.sentence), quoted(error.hint));
}

std::string line_of_begin(Ticks begin) { return fmt::format("{{\"begun\":{}}}\n", begin); }

Result<ServedRequest> parse_request(std::string_view text) {
  const auto line = JsonLine::parse(text);
  if (!line) return fail(usage_error("a request is one line of JSON"));
  const auto version = line->number("kutrace");
  if (version != kServedVersion)
    return fail(
        usage_error(fmt::format("the daemon speaks version {} of the protocol", kServedVersion))
            .with_hint("use the kutrace that was installed with it"));
  ServedRequest request;
  KUTRACE_ASSIGN(request.groups, groups_from(*line));
  request.arguments = line->flag("arguments").value_or(false);
  request.clocks = line->flag("clocks").value_or(false);
  return request;
}

std::optional<ServedOrder> parse_order(std::string_view text) {
  const auto line = JsonLine::parse(text);
  if (!line) return std::nullopt;
  if (line->flag("begin") == true) return ServedOrder::kBegin;
  if (line->flag("end") == true) return ServedOrder::kEnd;
  return std::nullopt;
}

Result<ServedAnswer> parse_answer(std::string_view text) {
  const auto line = JsonLine::parse(text);
  if (!line) return fail(not_understood());
  if (auto refusal = parse_refusal(text)) return fail(std::move(*refusal));
  const auto cpus = line->numbers("cpus");
  const auto view = line->text("view");
  if (line->number("kutrace") != kServedVersion || !cpus || cpus->empty() || !view)
    return fail(not_understood());
  ServedAnswer answer;
  KUTRACE_ASSIGN(answer.groups, groups_from(*line));
  for (const std::uint64_t cpu : *cpus) {
    if (cpu >= kMostCpus) return fail(not_understood());
    answer.cpus.push_back(static_cast<CpuId>(cpu));
  }
  answer.own_only = *view != "all";
  answer.arguments = line->flag("arguments").value_or(false);
  answer.string_bytes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(line->number("string_bytes").value_or(0), KUTRACE_BLOCK_BYTES));
  answer.call_ns = static_cast<double>(line->number("call_ps").value_or(0)) / kPsPerNs;
  answer.call_spread = static_cast<double>(line->number("spread_ps").value_or(0)) / kPsPerNs;
  answer.hooks = line->text("hooks").value_or("tracepoints");
  answer.fault_returns = line->flag("fault_returns").value_or(true);
  answer.unseen = line->texts("unseen").value_or(std::vector<std::string>());
  answer.lacking = line->texts("lacking").value_or(std::vector<std::string>());
  KUTRACE_TRY(take_clock(*line, answer));
  return answer;
}

std::optional<Piece> parse_piece(std::string_view text) {
  const auto line = JsonLine::parse(text);
  if (!line) return std::nullopt;
  const auto cpu = line->number("cpu");
  const auto block = line->number("block");
  const auto at = line->number("at");
  const auto words = line->number("words");
  const auto until = line->number("until");
  if (!cpu || !block || !at || !words || !until || *cpu >= kMostCpus || *words == 0 ||
      *at >= KUTRACE_BLOCK_WORDS || *words > KUTRACE_BLOCK_WORDS - *at)
    return std::nullopt;
  return Piece{static_cast<CpuId>(*cpu), *block, static_cast<std::uint32_t>(*at),
               static_cast<std::uint32_t>(*words), *until};
}

std::optional<ServedEnd> parse_end(std::string_view text) {
  const auto line = JsonLine::parse(text);
  if (!line || !line->number("ended")) return std::nullopt;
  ServedEnd end;
  end.stop = *line->number("ended");
  end.missed = line->texts("missed").value_or(std::vector<std::string>());
  end.ended_by = line->text("by").value_or("");
  for (const auto& row : line->rows("lost").value_or(std::vector<std::vector<std::uint64_t>>())) {
    if (row.size() != 3 || row[0] >= kMostCpus) return std::nullopt;
    end.losses.push_back({static_cast<CpuId>(row[0]), row[1], row[2]});
  }
  const auto skipped = line->rows("skipped").value_or(std::vector<std::vector<std::uint64_t>>());
  const auto hooks = line->texts("skipped_hooks").value_or(std::vector<std::string>());
  if (skipped.size() != hooks.size()) return std::nullopt;
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    if (skipped[i].size() != 3) return std::nullopt;
    end.skipped.push_back({hooks[i], skipped[i][0], skipped[i][1], skipped[i][2]});
  }
  return end;
}

std::optional<Ticks> parse_begin(std::string_view text) {
  const auto line = JsonLine::parse(text);
  return line ? line->number("begun") : std::nullopt;
}

std::optional<Error> parse_refusal(std::string_view text) {
  const auto line = JsonLine::parse(text);
  const auto sentence = line ? line->text("error") : std::nullopt;
  if (!sentence) return std::nullopt;
  return host_error("the daemon: " + printable(*sentence))
      .with_hint(printable(line->text("hint").value_or("")));
}

}  // namespace kutrace::record
