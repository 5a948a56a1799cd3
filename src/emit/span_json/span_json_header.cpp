// SPDX-License-Identifier: BSD-3-Clause
// Header keys in byte order, one a line, for upstream's tools sort and compare lines.
#include "emit/span_json/span_json_header.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

#include "base/append_format.h"
#include "emit/span_json/drawn_array.h"
#include "emit/span_json/span_json_record.h"
#include "format/span_json_keys.h"
#include "kutrace/abi.h"
#include "model/cgroups.h"

namespace kutrace::emit {

namespace {

constexpr std::uint64_t kUsecPerMinute = 60'000'000;
constexpr Ns kNsPerMinute = 60'000'000'000;
constexpr std::size_t kLongestFact = 200;  // upstream's tools read lines of up to 255 bytes
constexpr std::string_view kSentinel = "[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]\n";
// Facts of a file that was span JSON itself; they have keys of their own.
constexpr std::array<std::string_view, 8> kOtherwiseWritten = {
    fact::kTitle.text,     fact::kWallClock.text, fact::kLinkSpeed.text,    fact::kExtra.text,
    fact::kSavedView.text, fact::kCallouts.text,  fact::kFirstBadByte.text, fact::kSaved.text};

// What of the facts survives a line that upstream's tools may paste into a script.
bool is_plain(std::string_view text) {
  return text.size() <= kLongestFact && text.find_first_of("\"\\'<\n\r\t") == text.npos;
}

std::vector<std::string> facts(const TraceInfo& info) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : info.facts) {
    const bool other = std::find(kOtherwiseWritten.begin(), kOtherwiseWritten.end(), key) !=
                       kOtherwiseWritten.end();
    std::string line = fmt::format("{}={}", key, value);
    if (!other && is_plain(line)) lines.push_back(std::move(line));
  }
  for (const CgroupFact& told : inherited_cgroups(info)) {
    std::string line = fmt::format("{}={}", fact::kCgroup.text, text_of(told));
    if (is_plain(line)) lines.push_back(std::move(line));
  }
  for (const Severity severity : {Severity::kNote, Severity::kRepair, Severity::kDamage}) {
    for (const auto& [name, count] : info.counters.named(severity)) {
      lines.push_back(
          fmt::format("{}{}.{}={}", kCountedFact, severity_name(severity), name, count));
    }
  }
  const std::string start = fmt::format("{}=", kKernelThreadsFact);
  std::string line = start;
  for (const auto& [pid, thread] : info.threads) {
    if (!thread.kernel_thread) continue;
    if (line.size() + 12 > kLongestFact) lines.push_back(std::exchange(line, start));
    append_format(line, "{}{}", line == start ? "" : " ", pid);
  }
  if (line != start) lines.push_back(std::move(line));
  return lines;
}

std::string minute_text(std::uint64_t minute) {
  const auto second = static_cast<std::time_t>(minute * 60);
  std::tm utc{};
  if (gmtime_r(&second, &utc) == nullptr) return "1970-01-01_00:00:00";
  return fmt::format("{:%Y-%m-%d_%H:%M:%S}", utc);
}

// Two arrays as one; either may be missing.
std::string joined_arrays(const std::string& first, const std::string& second) {
  if (first.empty() || second.empty()) return first + second;
  return first.substr(0, first.rfind(']')) + "," + second.substr(second.find('[') + 1);
}

}  // namespace

JsonTimeBase json_time_base(const TraceInfo& info) {
  JsonTimeBase base;
  base.minute = info.wall_usec / kUsecPerMinute;
  base.offset = static_cast<Ns>(info.wall_usec % kUsecPerMinute) * 1000;
  while (info.begin + base.offset < 0 && base.minute > 0) {
    --base.minute;
    base.offset += kNsPerMinute;
  }
  return base;
}

std::string span_json_head(const SpanJsonHead& head, const TraceInfo& info) {
  std::string text = "  {\n";
  const auto put = [&text](std::string_view key, std::string_view value) {
    append_format(text, " \"{}\" : {},\n", key, value);
  };
  const auto put_text = [&put](std::string_view key, std::string_view value) {
    if (!value.empty()) put(key, fmt::format("\"{}\"", page_safe(value)));
  };
  const unsigned flags = info.flags & ~KUTRACE_FLAG_VERSION_MASK;
  put_text("Comment", "V2 with IPC field");
  put_text("axisLabelX", "Time (sec)");
  put_text("axisLabelY", "CPU Number");
  put_text("cpuModelName", info.cpu_model);
  put("flags", std::to_string(flags | KUTRACE_FORMAT_VERSION));
  put_text("hostName", info.host_name);
  put_text("kernelVersion", info.kernel_version);
  std::size_t number = 0;
  std::vector<std::string> lines = facts(info);
  if (head.base.offset != 0)
    lines.push_back(fmt::format("{}={}", kJsonTimeZeroFact, head.base.offset));
  for (const std::string& fact : lines) {
    put_text(fmt::format("{}{:05}", kJsonFactKey, number++), fact);
  }
  if (const auto speed = info.facts.get(fact::kLinkSpeed)) put("mbit_sec", fact::to_text(*speed));
  put("randomid", std::to_string(head.random_id));
  put("shortMulX", "1");
  put_text("shortUnitsX", "s");
  put("thousandsX", "1000");
  put("title", fmt::format("\"{}\"", page_safe(head.title)));
  put_text("tracebase", minute_text(head.base.minute));
  if (head.unsorted) put("unsorted", "1");
  put("version", "3");
  return text + "\"events\" : [\n";
}

std::string span_json_tail(const TraceInfo& info) {
  std::string text(kSentinel);
  const auto array = [&info](fact::Key<fact::Text> key) {
    return drawn_array(info.facts.get(key).value_or(""));
  };
  const std::string extra = joined_arrays(array(fact::kExtra), array(fact::kCallouts));
  const std::string views = array(fact::kSavedView);
  if (extra.empty() && views.empty()) return text + "]}\n";
  text += "]";
  if (!extra.empty()) text += ",\n\"extra\" : " + extra;
  if (!views.empty()) text += ",\n\"savedview\" : " + views;
  return text + "}\n";
}

}  // namespace kutrace::emit
