// SPDX-License-Identifier: BSD-3-Clause
// The kernel's bytes to packets, and what they hold in TSDL and in JSON.
#include "support/ctf_files.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "format/syscall_arguments.h"
#include "format/syscall_names.h"
#include "support/bit_writer.h"
#include "support/kernel_bytes.h"

namespace kutrace::test {

namespace {

constexpr std::string_view kMachine = "x86_64";
constexpr std::string_view kUuid = "0123456789abcdef";
constexpr std::string_view kUuidText = "30313233-3435-3637-3839-616263646566";
constexpr std::size_t kArguments = 6;
constexpr std::uint64_t kFirstCallId = 100;  // LTTng numbers all calls of a machine

struct Field {
  std::string name;
  std::string type;        // int32_t, string, char16 (as many characters), args
  std::size_t offset = 0;  // in the kernel's bytes
  std::size_t size = 0;    // likewise; 0: a text that stands elsewhere
};

struct EventType {
  std::string name;
  std::vector<Field> fields;
};

const EventType& simple_type(ForeignId id) {
  static const std::map<ForeignId, EventType> types = {
      {ForeignId::kSwitch,
       {"sched_switch",
        {{"prev_comm", "char16", 8, 16},
         {"prev_tid", "int32_t", 24, 4},
         {"prev_prio", "int32_t", 28, 4},
         {"prev_state", "int64_t", 32, 8},
         {"next_comm", "char16", 40, 16},
         {"next_tid", "int32_t", 56, 4},
         {"next_prio", "int32_t", 60, 4}}}},
      {ForeignId::kWaking,
       {"sched_waking", {{"comm", "char16", 8, 16}, {"tid", "int32_t", 24, 4}}}},
      {ForeignId::kFork,
       {"sched_process_fork",
        {{"parent_comm", "string", 8, 0},
         {"parent_tid", "int32_t", 12, 4},
         {"parent_pid", "int32_t", 12, 4},
         {"child_comm", "string", 16, 0},
         {"child_tid", "int32_t", 20, 4},
         {"child_pid", "int32_t", 20, 4}}}},
      {ForeignId::kIrq,
       {"irq_handler_entry", {{"irq", "int32_t", 8, 4}, {"name", "string", 12, 0}}}},
      {ForeignId::kIrqEnd,
       {"irq_handler_exit", {{"irq", "int32_t", 8, 4}, {"ret", "int32_t", 12, 4}}}},
      {ForeignId::kSoftirq, {"irq_softirq_entry", {{"vec", "uint32_t", 8, 4}}}},
      {ForeignId::kSoftirqEnd, {"irq_softirq_exit", {{"vec", "uint32_t", 8, 4}}}},
      {ForeignId::kFault,
       {"x86_exceptions_page_fault_user",
        {{"address", "uint64_t", 8, 8},
         {"ip", "uint64_t", 16, 8},
         {"error_code", "uint64_t", 24, 8}}}},
  };
  return types.at(id);
}

EventType call_type(bool is_entry, std::int64_t number) {
  const std::string begin = is_entry ? "syscall_entry_" : "syscall_exit_";
  std::string_view name;
  for (const auto& [known, text] : syscall_names(kMachine))
    if (std::int64_t{known} == number) name = text;
  const auto* const arguments = arguments_of(name);
  EventType type;
  if (arguments == nullptr) {
    type = {begin + "unknown", {{"id", "int64_t", 8, 8}}};
    if (is_entry) type.fields.push_back({"args", "args", 16, 8 * kArguments});
  } else {
    type.name = begin + std::string(name);
    for (std::size_t i = 0; is_entry && i < arguments->size(); ++i)
      type.fields.push_back({std::string((*arguments)[i].name), "uint64_t", 16 + 8 * i, 8});
  }
  if (!is_entry) type.fields.push_back({"ret", "int64_t", 16, 8});
  return type;
}

EventType type_of(const ForeignEvent& event) {
  const ForeignId id = id_of(event);
  if (id == ForeignId::kEnter || id == ForeignId::kExit)
    return call_type(id == ForeignId::kEnter, number_at<std::int64_t>(event.bytes, 8));
  return simple_type(id);
}

struct Types {
  std::map<std::string, std::uint64_t> ids;
  std::map<std::uint64_t, EventType> types;

  std::uint64_t id(const EventType& type) {
    const bool is_call = type.name.starts_with("syscall_");
    const auto [found, is_new] =
        ids.try_emplace(type.name, (is_call ? kFirstCallId : 0) + ids.size());
    if (is_new) types[found->second] = type;
    return found->second;
  }
};

// Numbers of both languages: name, bits, whether signed, whether a time.
struct Number {
  std::string_view name;
  unsigned bits;
  bool is_signed = false;
  bool is_time = false;
};

constexpr Number kNumbers[] = {
    {"uint5_t", 5},
    {"uint8_t", 8},
    {"uint16_t", 16},
    {"uint32_t", 32},
    {"uint64_t", 64},
    {"int32_t", 32, true},
    {"int64_t", 64, true},
    {"uint27_clock_t", 27, false, true},
    {"uint32_clock_t", 32, false, true},
    {"uint64_clock_t", 64, false, true},
};

constexpr std::pair<std::string_view, std::string_view> kContext[] = {
    {"timestamp_begin", "default-clock-timestamp"},
    {"timestamp_end", "packet-end-default-clock-timestamp"},
    {"content_size", "packet-content-length"},
    {"packet_size", "packet-total-length"},
    {"packet_seq_num", "packet-sequence-number"},
    {"events_discarded", "discarded-event-record-counter-snapshot"},
};

class Tsdl {
 public:
  explicit Tsdl(const CtfOptions& options) : options_(options) {}

  std::string text(const Types& types) {
    text_ = "/* CTF 1.8 */\n\n";
    for (const Number& number : kNumbers) {
      if (number.is_time) continue;
      add(number, "");
    }
    add("trace {{\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"{}\";\n\tbyte_order = {};\n"
        "\tpacket.header := struct {{\n\t\tuint32_t magic;\n\t\tuint8_t  uuid[16];\n"
        "\t\tuint32_t stream_id;\n\t\tuint64_t stream_instance_id;\n\t}};\n}};\n\n",
        kUuidText, options_.is_big_endian ? "be" : "le");
    add("env {{\n\thostname = \"made\";\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n"
        "\tkernel_release = \"6.1.0\";\n\ttracer_name = \"lttng-modules\";\n\ttracer_major = 2;\n"
        "\ttracer_minor = 13;\n\ttracer_patchlevel = 8;\n}};\n\n");
    add("clock {{\n\tname = \"monotonic\";\n\tuuid = \"{}\";\n"
        "\tdescription = \"Monotonic Clock\";\n\tfreq = 1000000000; /* Frequency, in Hz */\n"
        "\t/* clock value offset from Epoch is: offset * (1/freq) */\n"
        "\toffset = 1700000000000000000;\n}};\n\n",
        kUuidText);
    for (const Number& number : kNumbers)
      if (number.is_time) add(number, " map = clock.monotonic.value;");
    add("struct packet_context {{\n\tuint64_clock_t timestamp_begin;\n"
        "\tuint64_clock_t timestamp_end;\n\tuint64_t content_size;\n\tuint64_t packet_size;\n"
        "\tuint64_t packet_seq_num;\n\tunsigned long events_discarded;\n\tuint32_t "
        "cpu_id;\n}};\n\n");
    const unsigned last = options_.is_large ? 65534 : 30;
    add("struct event_header {{\n\tenum : {} {{ compact = 0 ... {}, extended = {} }} id;\n"
        "\tvariant <id> {{\n\t\tstruct {{\n\t\t\t{} timestamp;\n\t\t}} compact;\n\t\tstruct {{\n"
        "\t\t\tuint32_t id;\n\t\t\tuint64_clock_t timestamp;\n\t\t}} extended;\n\t}} v;\n"
        "}} align(8);\n\n",
        options_.is_large ? "uint16_t" : "uint5_t", last, last + 1,
        options_.is_large ? "uint32_clock_t" : "uint27_clock_t");
    add("stream {{\n\tid = 0;\n\tevent.header := struct event_header;\n"
        "\tpacket.context := struct packet_context;\n");
    if (options_.has_thread) add("\tevent.context := struct {{\n\t\tint32_t _tid;\n\t}};\n");
    add("}};\n\n");
    for (const auto& [id, type] : types.types) event(id, type);
    return text_;
  }

 private:
  template <typename... Values>
  void add(fmt::format_string<Values...> text, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), text, std::forward<Values>(values)...);
  }
  void add(const Number& number, std::string_view more) {
    add("typealias integer {{ size = {}; align = {}; signed = {};{} }} := {};\n", number.bits,
        number.bits % 8 == 0 ? 8 : 1, number.is_signed, more, number.name);
    if (number.name == "uint64_t")
      add("typealias integer {{ size = 64; align = 8; signed = false; }} := unsigned long;\n");
  }
  void event(std::uint64_t id, const EventType& type) {
    add("event {{\n\tname = \"{}\";\n\tid = {};\n\tstream_id = 0;\n\tfields := struct {{\n",
        type.name, id);
    for (const Field& field : type.fields) {
      if (field.type == "char16") {
        add("\t\tinteger {{ size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; }} "
            "_{}[16];\n",
            field.name);
      } else if (field.type == "args") {
        add("\t\tuint64_t _{}[{}];\n", field.name, kArguments);
      } else {
        add("\t\t{} _{};\n", field.type, field.name);
      }
    }
    add("\t}};\n}};\n\n");
  }

  const CtfOptions& options_;
  std::string text_;
};

class Ctf2 {
 public:
  explicit Ctf2(const CtfOptions& options) : options_(options) {}

  std::string text(const Types& types) {
    fragment("\"preamble\",\"version\":2");
    for (const Number& number : kNumbers) {
      if (number.is_time) continue;
      fragment(fmt::format(R"("field-class-alias","name":"{}","field-class":{})", number.name,
                           number_class(number, "")));
    }
    fragment(fmt::format(
        R"("trace-class","environment":{{"hostname":"made","domain":"kernel","kernel_release":"6.1.0",)"
        R"("tracer_name":"lttng-modules","tracer_major":2,"tracer_minor":14,"tracer_patchlevel":0}},)"
        R"("packet-header-field-class":{{"type":"structure","member-classes":[{},)"
        R"({{"name":"uuid","field-class":{{"type":"static-length-blob","length":16,)"
        R"("roles":["metadata-stream-uuid"]}}}},{},{}]}})",
        member("magic", role("uint32_t", "packet-magic-number")),
        member("stream_id", role("uint32_t", "data-stream-class-id")),
        member("stream_instance_id", role("uint64_t", "data-stream-id"))));
    fragment(R"("clock-class","id":"c","name":"monotonic","frequency":1000000000,)"
             R"("origin":"unix-epoch","offset-from-origin":{"seconds":1700000000,"cycles":0})");
    std::string context;
    for (const auto& [name, meaning] : kContext)
      context += member(name, role("uint64_t", meaning)) + ",";
    const std::string thread =
        R"(,"event-record-common-context-field-class":{"type":"structure","member-classes":[)" +
        member("tid", "\"int32_t\"") + "]}";
    fragment(fmt::format(
        R"("data-stream-class","id":0,"default-clock-class-id":"c","packet-context-field-class":)"
        R"({{"type":"structure","member-classes":[{}{}]}},"event-record-header-field-class":{}{})",
        context, member("cpu_id", "\"uint32_t\""), header(), options_.has_thread ? thread : ""));
    for (const auto& [id, type] : types.types) event(id, type);
    return text_;
  }

 private:
  void fragment(std::string_view text) {
    text_.append("\x1e{\"type\":").append(text).append("}\n");
  }

  static const Number& number(std::string_view name) {
    for (const Number& one : kNumbers)
      if (one.name == name) return one;
    return kNumbers[0];
  }
  std::string number_class(const Number& number, std::string_view more) const {
    return fmt::format(
        R"({{"type":"fixed-length-{}-integer","length":{},"alignment":{},"byte-order":"{}-endian"{}}})",
        number.is_signed ? "signed" : "unsigned", number.bits, number.bits % 8 == 0 ? 8 : 1,
        options_.is_big_endian ? "big" : "little", more);
  }
  std::string role(std::string_view name, std::string_view role) const {
    return number_class(number(name), fmt::format(R"(,"roles":["{}"])", role));
  }
  static std::string member(std::string_view name, std::string_view field_class) {
    return fmt::format(R"({{"name":"{}","field-class":{}}})", name, field_class);
  }
  std::string header() const {
    const unsigned last = options_.is_large ? 65534 : 30;
    return fmt::format(
        R"({{"type":"structure","minimum-alignment":8,"member-classes":[{},{}]}})",
        member("id", role(options_.is_large ? "uint16_t" : "uint5_t", "event-record-class-id")),
        member("v",
               fmt::format(
                   R"({{"type":"variant","selector-field-location":{{"path":["id"]}},"options":[)"
                   R"({{"name":"compact","selector-field-ranges":[[0,{}]],"field-class":)"
                   R"({{"type":"structure","member-classes":[{}]}}}},)"
                   R"({{"name":"extended","selector-field-ranges":[[{},{}]],"field-class":)"
                   R"({{"type":"structure","member-classes":[{},{}]}}}}]}})",
                   last,
                   member("timestamp", role(options_.is_large ? "uint32_clock_t" : "uint27_clock_t",
                                            "default-clock-timestamp")),
                   last + 1, last + 1, member("id", role("uint32_t", "event-record-class-id")),
                   member("timestamp", role("uint64_clock_t", "default-clock-timestamp")))));
  }
  void event(std::uint64_t id, const EventType& type) {
    std::string members;
    for (const Field& field : type.fields) {
      std::string field_class = fmt::format("\"{}\"", field.type);
      if (field.type == "char16") field_class = R"({"type":"static-length-string","length":16})";
      if (field.type == "string") field_class = R"({"type":"null-terminated-string"})";
      if (field.type == "args")
        field_class =
            R"({"type":"static-length-array","length":6,"element-field-class":"uint64_t"})";
      members += (members.empty() ? "" : ",") + member(field.name, field_class);
    }
    fragment(fmt::format(R"("event-record-class","data-stream-class-id":0,"id":{},"name":"{}",)"
                         R"("payload-field-class":{{"type":"structure","member-classes":[{}]}})",
                         id, type.name, members));
  }

  const CtfOptions& options_;
  std::string text_;
};

// As LTTng cuts its TSDL into packets, each with unused bytes at its end.
std::string in_packets(std::string_view text, const CtfOptions& options) {
  constexpr std::size_t kHeader = 37;
  constexpr std::size_t kPacket = 512;
  std::string packets;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, kPacket - kHeader - 11);
    text.remove_prefix(piece.size());
    BitWriter out(options.is_big_endian);
    out.put(0x75d11d57, 32).text(kUuid, 16).put(0, 32);
    out.put((kHeader + piece.size()) * 8, 32).put(kPacket * 8, 32).put(0, 24).put(1, 8).put(8, 8);
    out.text(piece, piece.size()).text("", kPacket - kHeader - piece.size());
    packets += out.bytes();
  }
  return packets;
}

class Streams {
 public:
  Streams(const ForeignTrace& trace, const CtfOptions& options) : options_(options) {
    std::map<CpuId, std::vector<ForeignEvent>> cpus;
    for (const ForeignEvent& event : trace.events()) {
      auto& of_cpu = cpus[event.cpu];
      if (of_cpu.size() >= options.packet || event.lost != 0) flush(event.cpu, of_cpu);
      of_cpu.push_back(event);
    }
    for (auto& [cpu, events] : cpus) flush(cpu, events);
  }

  CtfFiles files() {
    CtfFiles files;
    files.metadata = options_.is_ctf2 ? Ctf2(options_).text(types_) : Tsdl(options_).text(types_);
    if (options_.is_in_packets) files.metadata = in_packets(files.metadata, options_);
    for (auto& [cpu, stream] : streams_) files.streams.push_back(std::move(stream.bytes));
    return files;
  }

 private:
  struct Stream {
    std::string bytes;
    std::uint64_t packets = 0;
    std::uint64_t discarded = 0;
  };

  void flush(CpuId cpu, std::vector<ForeignEvent>& events) {
    if (events.empty()) return;
    Stream& stream = streams_[cpu];
    stream.discarded += events.front().lost;
    // The context says how long the packet is, so it is made twice.
    BitWriter content = packet(cpu, stream, events, packet(cpu, stream, events, 0).bits());
    content.align(512);
    stream.bytes += content.bytes();
    ++stream.packets;
    events.clear();
  }

  BitWriter packet(CpuId cpu, const Stream& stream, const std::vector<ForeignEvent>& events,
                   std::size_t bits) {
    BitWriter out(options_.is_big_endian);
    out.put(0xc1fc1fc1, 32).text(kUuid, 16).put(0, 32).put(cpu, 64);
    const auto time = [](const ForeignEvent& event) {
      return static_cast<std::uint64_t>(event.time);
    };
    out.put(time(events.front()), 64).put(time(events.back()), 64).put(bits, 64);
    out.put((bits + 511) / 512 * 512, 64).put(stream.packets, 64).put(stream.discarded, 64);
    out.put(cpu, 32);
    std::uint64_t before = time(events.front());
    for (const ForeignEvent& event : events) put(out, event, std::exchange(before, time(event)));
    return out;
  }

  void put(BitWriter& out, const ForeignEvent& event, std::uint64_t before) {
    const EventType type = type_of(event);
    const std::uint64_t id = types_.id(type);
    const auto time = static_cast<std::uint64_t>(event.time);
    const unsigned id_bits = options_.is_large ? 16 : 5;
    const unsigned time_bits = options_.is_large ? 32 : 27;
    const std::uint64_t extended = (std::uint64_t{1} << id_bits) - 1;
    out.align(8);
    if (id < extended && time - before < std::uint64_t{1} << time_bits) {
      out.put(id, id_bits);
      if (options_.is_large) out.align(8);
      out.put(time, time_bits);
    } else {
      out.put(extended, id_bits).align(8).put(id, 32).put(time, 64);
    }
    if (options_.has_thread)
      out.align(8).put(static_cast<std::uint64_t>(number_at<std::int32_t>(event.bytes, 4)), 32);
    for (const Field& field : type.fields) put(out, field, event.bytes);
  }

  static void put(BitWriter& out, const Field& field, std::string_view bytes) {
    if (field.type == "char16") {
      out.align(8).text(text_at(bytes, field.offset, field.size), field.size);
    } else if (field.type == "string") {
      const std::string_view text = text_at(bytes, field.offset, field.size);
      out.align(8).text(text, text.size() + 1);
    } else if (field.type == "args") {
      for (std::size_t i = 0; i < kArguments; ++i)
        out.align(8).put(number_at<std::uint64_t>(bytes, field.offset + 8 * i), 64);
    } else if (field.size == 4) {
      out.align(8).put(number_at<std::uint32_t>(bytes, field.offset), 32);
    } else {
      out.align(8).put(number_at<std::uint64_t>(bytes, field.offset), 64);
    }
  }

  const CtfOptions& options_;
  Types types_;
  std::map<CpuId, Stream> streams_;
};

}  // namespace

CtfFiles ctf_files(const ForeignTrace& trace, const CtfOptions& options) {
  return Streams(trace, options).files();
}

std::string joined(const CtfFiles& files) {
  std::string all;
  const auto add = [&all](std::string_view file) {
    BitWriter length(false);
    all.append(length.put(file.size(), 32).bytes()).append(file);
  };
  add(files.metadata);
  for (const std::string& stream : files.streams) add(stream);
  return all;
}

}  // namespace kutrace::test
