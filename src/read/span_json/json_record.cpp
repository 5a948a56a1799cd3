// SPDX-License-Identifier: BSD-3-Clause
// Fields of a record.
#include "read/span_json/json_record.h"

#include <array>
#include <utility>

#include "base/most_cpus.h"
#include "format/event_table.h"

namespace kutrace::read {

namespace {

constexpr Ns kSentinelStart = 999'000'000'000;
constexpr Ns kLatestEnd = Ns{1} << 62;
constexpr std::size_t kNumbers = 7;  // between the times and the name

bool starts_number(char c) { return c == '-' || (c >= '0' && c <= '9'); }

// Leaves a record of another kind behind; its bracket and maybe some fields were read.
RecordShape skip_rest(JsonScanner& scanner) {
  while (!scanner.failed() && !scanner.take(']')) {
    if (!scanner.take(',')) scanner.skip_value();
  }
  return scanner.failed() ? RecordShape::kBroken : RecordShape::kOther;
}

}  // namespace

RecordShape read_record(JsonScanner& scanner, JsonRecord& record) {
  scanner.expect('[', "a record in brackets is expected");
  if (!starts_number(scanner.peek())) return skip_rest(scanner);
  record.start = scanner.seconds();
  if (!scanner.take(',') || !starts_number(scanner.peek())) return skip_rest(scanner);
  record.duration = scanner.seconds();
  std::array<std::int64_t, kNumbers> numbers{};
  std::size_t count = 0;
  while (count < kNumbers && scanner.take(',') && starts_number(scanner.peek())) {
    numbers[count++] = scanner.integer();
  }
  if (count == kNumbers) scanner.take(',');
  if (scanner.failed()) return RecordShape::kBroken;
  if (count + 1 < kNumbers || scanner.peek() != '"') return skip_rest(scanner);
  record.cpu = numbers[0];
  record.pid = numbers[1];
  record.rpc = numbers[2];
  record.event = numbers[3];
  record.arg = numbers[4];
  record.result = numbers[5];
  record.ipc = numbers[6];
  record.name = scanner.raw_string();
  scanner.expect(']', "a record of 10 fields must end after its name");
  return scanner.failed() ? RecordShape::kBroken : RecordShape::kUsable;
}

bool is_sentinel(const JsonRecord& record) {
  return record.start >= kSentinelStart && record.event == 0 && record.name.empty();
}

bool is_cpu_or_none(std::int64_t number) { return number < kMostCpus; }

// Times and lengths of time are 127 years at most (JsonScanner), so their sum fits, and so does the
// time from any begin to the latest end.
bool in_range(const JsonRecord& record) {
  return is_cpu_or_none(record.cpu) && std::in_range<Pid>(record.pid) &&
         std::in_range<Pid>(record.result) && record.start + record.duration <= kLatestEnd;
}

bool is_cpu_record(const JsonRecord& record) {
  if (!in_range(record) || record.cpu < 0 || record.duration < 0) return false;
  const std::int64_t event = record.event;
  return (event >= 0x400 && event < 0x1000) || (event >= ev::kUSER && event <= ev::kHIDDEN_SPAN);
}

bool is_wait_record(const JsonRecord& record) {
  constexpr std::int64_t kWaitLast = 0x31f;
  return record.event >= ev::kWAIT_FIRST && record.event <= kWaitLast;
}

}  // namespace kutrace::read
