// SPDX-License-Identifier: BSD-3-Clause
// Texts in the language of CTF 1.8. Readers know by the first line which that is.
#include "emit/ctf/metadata.h"

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "base/text.h"
#include "base/wall_clock.h"
#include "emit/stream/system_name.h"

namespace kutrace::emit {

namespace {

constexpr Ns kSecond = 1'000'000'000;

constexpr std::string_view kTypes = R"(
typealias integer { size = 8; align = 8; signed = false; } := byte_t;
typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := utf8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 64; align = 8; signed = false; base = 16; } := hex64_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = true; } := int64_t;
)";

constexpr std::string_view kStreams = R"(
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; }
  := time_t;

struct packet_context {
  time_t timestamp_begin;
  time_t timestamp_end;
  uint64_t content_size;
  uint64_t packet_size;
  uint64_t packet_seq_num;
  uint64_t events_discarded;
};

struct packet_context_of_cpu {
  time_t timestamp_begin;
  time_t timestamp_end;
  uint64_t content_size;
  uint64_t packet_size;
  uint64_t packet_seq_num;
  uint64_t events_discarded;
  uint32_t cpu_id;
};

struct event_header {
  uint32_t id;
  time_t timestamp;
};

struct event_context {
  int32_t _tid;
};

stream {
  id = 0;
  packet.context := struct packet_context_of_cpu;
  event.header := struct event_header;
  event.context := struct event_context;
};

stream {
  id = 1;
  packet.context := struct packet_context;
  event.header := struct event_header;
  event.context := struct event_context;
};

)";

std::string uuid_text(const std::string& uuid) {
  const std::string digits = hexadecimal(std::as_bytes(std::span(uuid)));
  return fmt::format("{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4),
                     digits.substr(12, 4), digits.substr(16, 4), digits.substr(20));
}

std::string surroundings(const TraceInfo& info) {
  const std::string uname = info.facts.get(fact::kUname).value_or("");
  const SystemName name = system_name(uname);
  std::string env = "env {\n";
  const auto say = [&env](std::string_view key, std::string_view value) {
    env += fmt::format("  {} = \"{}\";\n", key, quoted(value));
  };
  say("hostname", info.host_name);
  say("domain", "kernel");
  say("sysname", name.system.empty() ? "Linux" : name.system);
  say("kernel_release", name.release);
  say("kernel_version", name.version);
  say("architecture", name.machine);
  // Whose names and fields events have; readers choose by it.
  say("tracer_name", "lttng-modules");
  env += "  tracer_major = 2;\n  tracer_minor = 13;\n  tracer_patchlevel = 0;\n";
  std::size_t machines = 0;
  for (const auto& [key, value] : info.facts) {
    if (key.starts_with(fact::kMachine)) say(fmt::format("kutrace_machine_{}", machines++), value);
  }
  return env + "};\n\n";
}

// Where the wall clock is not known, times begin in 1970.
std::string clock(const TraceInfo& info, Ns base) {
  const Ns wall = wall_ns(info.wall_usec);
  const Ns offset = wall > base ? wall - base : 0;
  return fmt::format(
      "clock {{\n  name = \"monotonic\";\n  description = \"Monotonic Clock\";\n"
      "  freq = {};\n  offset_s = {};\n  offset = {};\n}};\n",
      kSecond, offset / kSecond, offset % kSecond);
}

}  // namespace

std::string ctf_metadata(const TraceInfo& info, const EventTypes& types, Ns base,
                         const std::string& uuid) {
  std::string text = "/* CTF 1.8 */\n";
  text += kTypes;
  text += fmt::format(
      "\ntrace {{\n  major = 1;\n  minor = 8;\n  uuid = \"{}\";\n  byte_order = le;\n"
      "  packet.header := struct {{\n    uint32_t magic;\n    byte_t uuid[16];\n"
      "    uint32_t stream_id;\n    uint64_t stream_instance_id;\n  }};\n}};\n\n",
      uuid_text(uuid));
  text += surroundings(info);
  text += clock(info, base);
  text += kStreams;
  return text + types.declarations();
}

}  // namespace kutrace::emit
