// SPDX-License-Identifier: BSD-3-Clause
// Header keys to facts.
#include "read/span_json/json_header.h"

#include <array>
#include <charconv>
#include <chrono>

#include "base/number_text.h"
#include "base/text.h"
#include "kutrace/abi.h"

namespace kutrace::read {

namespace {

constexpr Ns kLatestTimeZero = 3'600'000'000'000;  // an hour; writers need a few minutes

// A number as such or, in files edited by hand, in quotes.
std::uint64_t unsigned_value(JsonScanner& scanner) {
  const bool quoted = scanner.peek() == '"';
  const std::string_view text = quoted ? scanner.raw_string() : scanner.skip_value();
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string text_value(JsonScanner& scanner) {
  if (scanner.peek() != '"') return std::string(scanner.skip_value());
  return printable(json_unescaped(scanner.raw_string()));
}

void mark_kernel_threads(std::string_view pids, TraceInfo& info) {
  const char* at = pids.data();
  const char* end = at + pids.size();
  while (at < end) {
    Pid pid = 0;
    const auto parsed = std::from_chars(at, end, pid);
    if (parsed.ec != std::errc()) return;
    info.threads[pid].kernel_thread = true;
    at = parsed.ptr + (parsed.ptr < end ? 1 : 0);
  }
}

// "damage.file_cut" and how often.
void add_counted(std::string_view name, std::string_view times, Counters& counters) {
  const auto count = parse_number<std::uint64_t>(times);
  for (const Severity severity : {Severity::kNote, Severity::kRepair, Severity::kDamage}) {
    const std::string start = std::string(severity_name(severity)) + ".";
    if (count && name.starts_with(start)) {
      counters.add(name.substr(start.size()), severity, *count);
    }
  }
}

}  // namespace

std::optional<std::uint64_t> tracebase_usec(std::string_view text) {
  // year month day hour minute second, whatever stands between them
  std::array<int, 6> parts{};
  const char* at = text.data();
  const char* end = at + text.size();
  for (int& part : parts) {
    const auto parsed = std::from_chars(at, end, part);
    if (parsed.ec != std::errc() || part < 0) return std::nullopt;
    at = parsed.ptr + (parsed.ptr < end ? 1 : 0);
  }
  namespace chrono = std::chrono;
  const chrono::year_month_day date{chrono::year{parts[0]},
                                    chrono::month{static_cast<unsigned>(parts[1])},
                                    chrono::day{static_cast<unsigned>(parts[2])}};
  if (!date.ok() || parts[0] < 1970 || parts[3] > 23 || parts[4] > 59 || parts[5] > 60) {
    return std::nullopt;
  }
  const auto time = chrono::sys_days{date} + chrono::hours{parts[3]} + chrono::minutes{parts[4]} +
                    chrono::seconds{parts[5]};
  return static_cast<std::uint64_t>(
      chrono::duration_cast<chrono::microseconds>(time.time_since_epoch()).count());
}

void JsonHeader::read_value(std::string_view key, JsonScanner& scanner) {
  if (key == "title") {
    title = text_value(scanner);
  } else if (key == "tracebase") {
    tracebase = text_value(scanner);
  } else if (key == "kernelVersion") {
    kernel_version = text_value(scanner);
  } else if (key == "cpuModelName") {
    cpu_model = text_value(scanner);
  } else if (key == "hostName") {
    host_name = text_value(scanner);
  } else if (key == "flags") {
    flags = unsigned_value(scanner);
  } else if (key == "version") {
    version = unsigned_value(scanner);
  } else if (key == "mbit_sec") {
    mbit_sec = unsigned_value(scanner);
  } else if (key == "presorted") {
    presorted = unsigned_value(scanner) != 0;
  } else if (key == "extra") {
    extra = scanner.skip_value();
  } else if (key == "savedview") {
    savedview = scanner.skip_value();
  } else if (key.starts_with(kJsonFactKey)) {
    take_fact(text_value(scanner));
  } else {
    scanner.skip_value();
  }
}

void JsonHeader::take_fact(std::string fact) {
  if (!std::string_view(fact).starts_with(std::string(kJsonTimeZeroFact) + "=")) {
    facts.push_back(std::move(fact));
    return;
  }
  const char* begin = fact.data() + kJsonTimeZeroFact.size() + 1;
  Ns zero = 0;
  const auto parsed = std::from_chars(begin, fact.data() + fact.size(), zero);
  if (parsed.ec == std::errc() && zero >= 0 && zero < kLatestTimeZero) time_zero = zero;
}

void JsonHeader::apply(TraceInfo& info) const {
  info.kernel_version = kernel_version;
  info.cpu_model = cpu_model;
  info.host_name = host_name;
  info.flags = static_cast<unsigned>(flags & 0xff);
  if (const unsigned raw = info.flags & KUTRACE_FLAG_VERSION_MASK; raw != 0) info.version = raw;
  const auto add = [&info](fact::Key<fact::Text> key, std::string_view value) {
    if (!value.empty()) info.facts.add(key, std::string(value));
  };
  add(fact::kTitle, title);
  const bool ours = !facts.empty() || time_zero != 0;
  if (const auto usec = tracebase_usec(tracebase)) {
    info.wall_usec = *usec + static_cast<std::uint64_t>(time_zero / 1000);
    if (!ours) add(fact::kWallClock, "the traced machine's local time, shown as if it were UTC");
  } else {
    add(fact::kWallClock, "not known: the file has no usable tracebase");
  }
  if (mbit_sec != 0) info.facts.add(fact::kLinkSpeed, mbit_sec);
  const auto add_array = [&add](fact::Key<fact::Text> key, std::string_view array) {
    if (array.find_first_not_of("[] \n\r\t") != std::string_view::npos) add(key, array);
  };
  add_array(fact::kExtra, extra);
  add_array(fact::kSavedView, savedview);
  for (const std::string& fact : facts) {
    const std::size_t equals = fact.find('=');
    if (equals == std::string::npos) continue;
    const std::string_view key = std::string_view(fact).substr(0, equals);
    const std::string_view value = std::string_view(fact).substr(equals + 1);
    if (key == kKernelThreadsFact) {
      mark_kernel_threads(value, info);
    } else if (key.starts_with(kCountedFact)) {
      add_counted(key.substr(kCountedFact.size()), value, info.counters);
    } else if (key != fact::kTitle.text && key != fact::kWallClock.text && !value.empty()) {
      info.facts.add(std::string(key), std::string(value));
    }
  }
}

}  // namespace kutrace::read
