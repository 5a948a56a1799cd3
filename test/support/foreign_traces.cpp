// SPDX-License-Identifier: BSD-3-Clause
// Bytes as the kernel, trace-cmd and perf write them.
#include "support/foreign_traces.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "kutrace/abi.h"

namespace kutrace::test {

namespace {

using enum ForeignId;

struct Format {
  ForeignId id;
  std::string_view system;
  std::string_view name;
  std::string_view fields;
  std::string_view print;  // how the kernel prints it; what it lacks here is as it mostly is
};

constexpr std::string_view kCommon =
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

constexpr Format kFormats[] = {
    {kSwitch, "sched", "sched_switch",
     "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
     "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
     "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
     "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
     "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
     "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
     "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n",
     "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s next_pid=%d "
     "next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & 255) ? "
     "__print_flags(REC->prev_state & 255, \"|\", { 1, \"S\" }, { 2, \"D\" }) : \"R\", "
     "REC->next_comm, REC->next_pid, REC->next_prio"},
    {kWaking, "sched", "sched_waking",
     "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
     "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n",
     "\"comm=%s pid=%d prio=120\", REC->comm, REC->pid"},
    {kFork, "sched", "sched_process_fork",
     "\tfield:__data_loc char[] parent_comm;\toffset:8;\tsize:4;\tsigned:0;\n"
     "\tfield:pid_t parent_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
     "\tfield:__data_loc char[] child_comm;\toffset:16;\tsize:4;\tsigned:0;\n"
     "\tfield:pid_t child_pid;\toffset:20;\tsize:4;\tsigned:1;\n",
     "\"comm=%s pid=%d child_comm=%s child_pid=%d\", __get_str(parent_comm), REC->parent_pid, "
     "__get_str(child_comm), REC->child_pid"},
    {kEnter, "raw_syscalls", "sys_enter",
     "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
     "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n",
     "\"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], REC->args[1], "
     "REC->args[2], REC->args[3], REC->args[4], REC->args[5]"},
    {kExit, "raw_syscalls", "sys_exit",
     "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
     "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n",
     "\"NR %ld = %ld\", REC->id, REC->ret"},
    {kIrq, "irq", "irq_handler_entry",
     "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
     "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n",
     "\"irq=%d name=%s\", REC->irq, __get_str(name)"},
    {kIrqEnd, "irq", "irq_handler_exit",
     "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
     "\tfield:int ret;\toffset:12;\tsize:4;\tsigned:1;\n",
     "\"irq=%d ret=%s\", REC->irq, REC->ret ? \"handled\" : \"unhandled\""},
    {kSoftirq, "irq", "softirq_entry", "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n",
     "\"vec=%u [action=TIMER]\", REC->vec"},
    {kSoftirqEnd, "irq", "softirq_exit",
     "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n",
     "\"vec=%u [action=TIMER]\", REC->vec"},
    {kFault, "exceptions", "page_fault_user",
     "\tfield:unsigned long address;\toffset:8;\tsize:8;\tsigned:0;\n"
     "\tfield:unsigned long ip;\toffset:16;\tsize:8;\tsigned:0;\n"
     "\tfield:unsigned long error_code;\toffset:24;\tsize:8;\tsigned:0;\n",
     "\"address=0x%lx ip=0x%lx error_code=0x%lx\", REC->address, REC->ip, REC->error_code"},
};

std::uint64_t number_of(ForeignId id) { return std::to_underlying(id); }

template <typename Number>
void put(std::string& out, Number value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_text(std::string& out, std::string_view text, std::size_t room) {
  out.append(text.substr(0, room - 1));
  out.append(room - std::min(text.size(), room - 1), '\0');
}

void put_z(std::string& out, std::string_view text) { (out += text) += '\0'; }

std::string format_text(const Format& format) {
  std::string text = "name: " + std::string(format.name) +
                     "\nID: " + std::to_string(std::to_underlying(format.id));
  text.append("\nformat:\n").append(kCommon).append(format.fields).append("\nprint fmt: ");
  return text.append(format.print).append("\n");
}

// All formats of a kernel, as tracing data have them.
std::string systems_text() {
  std::map<std::string_view, std::vector<const Format*>> systems;
  for (const Format& format : kFormats) systems[format.system].push_back(&format);
  std::string out;
  put(out, static_cast<std::uint32_t>(systems.size()));
  for (const auto& [name, formats] : systems) {
    put_z(out, name);
    put(out, static_cast<std::uint32_t>(formats.size()));
    for (const Format* format : formats) {
      const std::string text = format_text(*format);
      put(out, static_cast<std::uint64_t>(text.size()));
      out += text;
    }
  }
  return out;
}

constexpr std::string_view kPageFormat =
    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
    "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

std::string page_formats() {
  std::string out;
  for (const std::string_view part : {"header_page", "header_event"}) {
    put_z(out, part);
    put(out, static_cast<std::uint64_t>(kPageFormat.size()));
    out += kPageFormat;
  }
  return out;
}

std::string tracing_data() {
  std::string out = page_formats();
  put(out, std::uint32_t{0});
  out += systems_text();
  put(out, std::uint32_t{0});
  put(out, std::uint32_t{0});
  return out;
}

// A CPU's ring buffer, in pages.
class Ring {
 public:
  explicit Ring(std::size_t page_bytes) : page_bytes_(page_bytes) {}

  void add(const ForeignEvent& event) {
    const bool needs_more_delta = event.time - last_ >= Ns{1} << kDeltaBits;
    const std::size_t size = event.bytes.size() + 8 + (needs_more_delta ? 8 : 0);
    if (page_.empty() || event.lost != 0 || kHead + page_.size() + size > page_bytes_) {
      close();
      begin_ = last_ = event.time;
      lost_ = event.lost;
    }
    auto delta = static_cast<std::uint64_t>(event.time - last_);
    last_ = event.time;
    if (delta >> kDeltaBits != 0) {
      put(page_, static_cast<std::uint32_t>(30U | (delta & kDeltaMask) << 5));
      put(page_, static_cast<std::uint32_t>(delta >> kDeltaBits));
      delta = 0;
    }
    const std::size_t words = (event.bytes.size() + 3) / 4;
    const bool is_long = words > 28;
    put(page_, static_cast<std::uint32_t>((is_long ? 0 : words) | delta << 5));
    if (is_long) put(page_, static_cast<std::uint32_t>(4 * words + 4));
    page_ += event.bytes;
    page_.append(4 * words - event.bytes.size(), '\0');
  }

  std::string finish() {
    close();
    return std::move(pages_);
  }

 private:
  static constexpr std::size_t kHead = 16;
  static constexpr int kDeltaBits = 27;
  static constexpr std::uint64_t kDeltaMask = (1U << kDeltaBits) - 1;

  void close() {
    if (page_.empty()) return;
    const std::size_t before = pages_.size();
    put(pages_, static_cast<std::uint64_t>(begin_));
    put(pages_, page_.size() | (lost_ != 0 ? std::uint64_t{3} << 30 : 0));
    pages_ += page_;
    if (lost_ != 0 && kHead + page_.size() + 8 <= page_bytes_) put(pages_, lost_);
    pages_.resize(before + page_bytes_);
    page_.clear();
  }

  std::size_t page_bytes_;
  std::string pages_;
  std::string page_;
  Ns begin_ = 0;
  Ns last_ = 0;
  std::uint64_t lost_ = 0;
};

std::vector<std::string> rings(const ForeignTrace& trace, std::size_t page_bytes) {
  std::vector<Ring> rings;
  for (const ForeignEvent& event : trace.events()) {
    while (rings.size() <= event.cpu) rings.emplace_back(page_bytes);
    rings[event.cpu].add(event);
  }
  std::vector<std::string> pages;
  for (Ring& ring : rings) pages.push_back(ring.finish());
  return pages;
}

std::string packed(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

// `u32 packed bytes, u32 bytes, data`
std::string packed_piece(std::string_view text) {
  const std::string data = packed(text);
  std::string out;
  put(out, static_cast<std::uint32_t>(data.size()));
  put(out, static_cast<std::uint32_t>(text.size()));
  return out + data;
}

void put_option(std::string& out, std::uint16_t id, std::string_view value) {
  put(out, id);
  put(out, static_cast<std::uint32_t>(value.size()));
  out += value;
}

std::string as_u64(std::uint64_t value) {
  std::string out;
  put(out, value);
  return out;
}

constexpr std::string_view kUname = "Linux host 6.1.0 x86_64";
constexpr std::string_view kLastNames = "10 server\n20 client\n";

std::string dat_front(const DatOptions& options) {
  std::string out = "\x17\x08\x44tracing";
  put_z(out, std::to_string(options.version));
  out += '\0';
  out += '\x08';
  put(out, static_cast<std::uint32_t>(options.page_bytes));
  return out;
}

std::string dat_in_order(const ForeignTrace& trace, const DatOptions& options) {
  std::string out = dat_front(options) + tracing_data();
  put(out, static_cast<std::uint64_t>(kLastNames.size()));
  out += kLastNames;
  const std::vector<std::string> pages = rings(trace, options.page_bytes);
  put(out, static_cast<std::uint32_t>(pages.size()));
  out.append("options  ").append(1, '\0');
  put_option(out, 4, "local [" + options.clock + "]");
  put_option(out, 5, kUname);
  put(out, std::uint16_t{0});
  out.append("flyrecord").append(1, '\0');
  std::uint64_t place = (out.size() + 16 * pages.size() + 4095) / 4096 * 4096;
  const std::uint64_t first = place;
  for (const std::string& of_cpu : pages) {
    put(out, place);
    put(out, static_cast<std::uint64_t>(of_cpu.size()));
    place += of_cpu.size();
  }
  out.resize(first);
  for (const std::string& of_cpu : pages) out += of_cpu;
  return out;
}

class Sections {
 public:
  Sections(std::string front, bool packed) : out_(std::move(front)), packed_(packed) {
    put_z(out_, packed ? "zstd" : "none");
    put_z(out_, packed ? "1.5.4" : "");
    place_of_options_ = out_.size();
    put(out_, std::uint64_t{0});
  }

  // Where it stands.
  std::uint64_t add(std::uint16_t id, std::string_view text) {
    const std::uint64_t place = out_.size();
    const std::string data = packed_ ? packed_piece(text) : std::string(text);
    put(out_, id);
    put(out_, static_cast<std::uint16_t>(packed_));
    put(out_, std::uint32_t{0});
    put(out_, static_cast<std::uint64_t>(data.size()));
    out_ += data;
    return place;
  }
  std::uint64_t size() const { return out_.size(); }
  // trace-cmd maps events by pages of the machine.
  void align() { out_.resize((out_.size() + 4095) / 4096 * 4096); }
  void append(std::string_view bytes) { out_ += bytes; }
  std::string finish(std::string_view options) {
    const std::uint64_t place = add(0, options);
    std::memcpy(out_.data() + place_of_options_, &place, sizeof place);
    return std::move(out_);
  }

 private:
  std::string out_;
  bool packed_;
  std::size_t place_of_options_ = 0;
};

std::string dat_in_sections(const ForeignTrace& trace, const DatOptions& options) {
  Sections sections(dat_front(options), options.packed);
  std::string said;
  put_option(said, 16, as_u64(sections.add(16, page_formats())));
  put_option(said, 18, as_u64(sections.add(18, systems_text())));
  put_option(said, 21,
             as_u64(sections.add(21, as_u64(kLastNames.size()) + std::string(kLastNames))));
  put_option(said, 5, kUname);
  std::string buffer = as_u64(sections.add(3, ""));
  put_z(buffer, "");
  put_z(buffer, options.clock);
  put(buffer, static_cast<std::uint32_t>(options.page_bytes));
  const std::vector<std::string> pages = rings(trace, options.page_bytes);
  put(buffer, static_cast<std::uint32_t>(pages.size()));
  for (std::uint32_t cpu = 0; cpu < pages.size(); ++cpu) {
    std::string data = pages[cpu];
    if (options.packed) {
      std::string chunks;
      const std::size_t count = (data.size() + options.page_bytes - 1) / options.page_bytes;
      put(chunks, static_cast<std::uint32_t>(count));
      for (std::size_t at = 0; at < data.size(); at += options.page_bytes)
        chunks += packed_piece(std::string_view(data).substr(at, options.page_bytes));
      data = chunks;
    }
    sections.align();
    put(buffer, cpu);
    put(buffer, sections.size());
    // trace-cmd does not count the number of chunks.
    put(buffer, static_cast<std::uint64_t>(data.size() - (options.packed ? 4 : 0)));
    sections.append(data);
  }
  std::string cpus;
  put(cpus, static_cast<std::uint32_t>(pages.size()));
  put_option(said, 8, cpus);
  put_option(said, 3, buffer);
  put_option(said, 0, as_u64(0));
  return sections.finish(said);
}

// ---- perf ----

constexpr std::uint64_t kSampleType = 0x10000 | 1 | 2 | 4 | 0x80 | 0x100 | 0x400;
constexpr std::size_t kAttrBytes = 64;

std::string perf_attr(ForeignId id) {
  std::string out;
  put(out, std::uint32_t{2});
  put(out, std::uint32_t{kAttrBytes});
  put(out, number_of(id));
  put(out, std::uint64_t{1});
  put(out, kSampleType);
  put(out, std::uint64_t{0});
  put(out, std::uint64_t{1} << 18);
  out.resize(kAttrBytes);
  return out;
}

void put_record(std::string& out, std::uint32_t type, std::string_view body) {
  put(out, type);
  put(out, std::uint16_t{1});
  put(out, static_cast<std::uint16_t>(8 + body.size()));
  out += body;
}

// Who, when and where, behind records that are no samples.
std::string perf_tail(Pid pid, Ns time, CpuId cpu, std::uint64_t id) {
  std::string out;
  put(out, pid);
  put(out, pid);
  put(out, time);
  put(out, cpu);
  put(out, std::uint32_t{0});
  put(out, id);
  return out;
}

std::string perf_sample(const ForeignEvent& event) {
  std::uint16_t id = 0;
  Pid pid = 0;
  std::memcpy(&id, event.bytes.data(), sizeof id);
  std::memcpy(&pid, event.bytes.data() + 4, sizeof pid);
  std::string out;
  put(out, std::uint64_t{id});
  put(out, std::uint64_t{0xffffffff81000000});
  put(out, pid);
  put(out, pid);
  put(out, event.time);
  put(out, event.cpu);
  put(out, std::uint32_t{0});
  put(out, std::uint64_t{1});
  put(out, static_cast<std::uint32_t>(event.bytes.size()));
  out += event.bytes;
  out.resize((out.size() + 7) / 8 * 8);
  return out;
}

std::string perf_name(Pid pid, std::string_view name) {
  std::string body;
  put(body, pid);
  put(body, pid);
  put_text(body, name, 16);
  return body + perf_tail(0, 0, 0, number_of(kSwitch));
}

std::string perf_thread(Pid pid, Pid parent) {
  std::string body;
  for (const Pid number : {pid, parent, pid, parent}) put(body, number);
  put(body, std::uint64_t{0});
  return body + perf_tail(0, 0, 0, number_of(kSwitch));
}

std::string perf_loss(const ForeignEvent& event) {
  std::string body;
  put(body, number_of(kSwitch));
  put(body, event.lost);
  return body + perf_tail(0, event.time, event.cpu, number_of(kSwitch));
}

// One zstd stream, in pieces that end anywhere.
std::string packed_records(std::string_view records) {
  constexpr std::size_t kPiece = 700;
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> stream(ZSTD_createCCtx(),
                                                                    &ZSTD_freeCCtx);
  std::string out;
  for (std::size_t at = 0; at < records.size(); at += kPiece) {
    const std::string_view piece = records.substr(at, kPiece);
    std::string room(2 * kPiece, '\0');
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    ZSTD_outBuffer packed{room.data(), room.size(), 0};
    ZSTD_compressStream2(stream.get(), &packed, &in, ZSTD_e_flush);
    put_record(out, 81, std::string_view(room).substr(0, packed.pos));
  }
  return out;
}

std::string perf_records(const ForeignTrace& trace, const PerfOptions& options) {
  std::string out;
  for (const auto& [pid, name] : {std::pair(10, "server"), std::pair(20, "client")}) {
    put_record(out, 7, perf_thread(pid, 1));
    put_record(out, 3, perf_name(pid, name));
  }
  for (std::size_t i = 0; i < options.threads; ++i) put_record(out, 3, perf_name(30, "idle"));
  // One CPU after the other in each round.
  std::vector<ForeignEvent> sorted = trace.events();
  std::ranges::stable_sort(sorted, {}, &ForeignEvent::time);
  for (std::size_t begin = 0; begin < sorted.size(); begin += options.round) {
    const auto first = sorted.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = sorted.begin() +
                      static_cast<std::ptrdiff_t>(std::min(begin + options.round, sorted.size()));
    std::ranges::stable_sort(first, last, std::greater(), &ForeignEvent::cpu);
    for (auto event = first; event != last; ++event) {
      if (event->lost != 0) put_record(out, 2, perf_loss(*event));
      put_record(out, 9, perf_sample(*event));
    }
    put_record(out, 68, "");
  }
  return options.packed ? packed_records(out) : out;
}

std::string perf_text(std::string_view text) {
  std::string out;
  const std::size_t room = (text.size() + 64) / 64 * 64;
  put(out, static_cast<std::uint32_t>(room));
  put_text(out, text, room);
  return out;
}

std::string perf_tracing_data() {
  std::string out = "\x17\x08\x44tracing";
  put_z(out, "0.5");
  out += '\0';
  out += '\x08';
  put(out, std::uint32_t{4096});
  return out + tracing_data();
}

std::string perf_stream(const ForeignTrace& trace, const PerfOptions& options) {
  std::string out = "PERFILE2" + as_u64(16);
  for (const Format& format : kFormats)
    put_record(out, 64, perf_attr(format.id) + as_u64(number_of(format.id)));
  put_record(out, 80, as_u64(6) + perf_text("x86_64"));
  std::string data = perf_tracing_data();
  data.resize((data.size() + 7) / 8 * 8);
  std::string size;
  put(size, static_cast<std::uint32_t>(data.size()));
  size.resize(8);
  put_record(out, 66, size);
  return out + data + perf_records(trace, options);
}

}  // namespace

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

std::string dat_file(const ForeignTrace& trace, const DatOptions& options) {
  return options.version == 6 ? dat_in_order(trace, options) : dat_in_sections(trace, options);
}

std::string perf_file(const ForeignTrace& trace, const PerfOptions& options) {
  if (options.stream) return perf_stream(trace, options);
  constexpr std::uint64_t kHeader = 104;
  const std::uint64_t attrs_at = kHeader;
  const std::uint64_t attr_bytes = kAttrBytes + 16;
  const std::uint64_t ids_at = attrs_at + std::size(kFormats) * attr_bytes;
  const std::uint64_t records_at = ids_at + 8 * std::size(kFormats);
  const std::string records = perf_records(trace, options);
  std::string out = "PERFILE2";
  for (const std::uint64_t number :
       {kHeader, attr_bytes, attrs_at, std::size(kFormats) * attr_bytes, records_at,
        static_cast<std::uint64_t>(records.size()), std::uint64_t{0}, std::uint64_t{0},
        std::uint64_t{1U << 1 | 1U << 3 | 1U << 6 | (options.clock ? 1U << 29 : 0U)},
        std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0}}) {
    put(out, number);
  }
  std::uint64_t id_at = ids_at;
  for (const Format& format : kFormats) {
    out += perf_attr(format.id) + as_u64(id_at) + as_u64(8);
    id_at += 8;
  }
  for (const Format& format : kFormats) put(out, number_of(format.id));
  out += records;
  std::vector<std::string> features = {perf_tracing_data(), perf_text("host"), perf_text("x86_64")};
  if (options.clock) {
    const auto [wall, clock] = *options.clock;
    features.push_back(as_u64(std::uint64_t{1} << 32 | 1) + as_u64(wall) + as_u64(clock));
  }
  std::uint64_t place = out.size() + 16 * std::size(features);
  for (const std::string& feature : features) {
    put(out, place);
    put(out, static_cast<std::uint64_t>(feature.size()));
    place += feature.size();
  }
  for (const std::string& feature : features) out += feature;
  return out;
}

// ---- events ----

ForeignTrace& ForeignTrace::on(CpuId cpu, Pid pid) {
  cpu_ = cpu;
  pid_ = pid;
  return *this;
}

std::string ForeignTrace::head(ForeignId id) const {
  std::string bytes;
  put(bytes, std::to_underlying(id));
  put(bytes, std::uint16_t{0});
  put(bytes, pid_);
  return bytes;
}

ForeignTrace& ForeignTrace::add(Ns time, std::string bytes) {
  events_.push_back({time, cpu_, std::move(bytes), std::exchange(lost_, 0)});
  return *this;
}

ForeignTrace& ForeignTrace::loses(std::uint64_t events) {
  lost_ = events;
  return *this;
}

ForeignTrace& ForeignTrace::switches(Ns time, std::string_view from, std::int64_t state, Pid to,
                                     std::string_view to_name) {
  std::string bytes = head(kSwitch);
  put_text(bytes, from, 16);
  put(bytes, pid_);
  put(bytes, std::int32_t{120});
  put(bytes, state);
  put_text(bytes, to_name, 16);
  put(bytes, to);
  put(bytes, std::int32_t{120});
  pid_ = to;
  return add(time, bytes);
}

ForeignTrace& ForeignTrace::wakes(Ns time, Pid pid, std::string_view name) {
  std::string bytes = head(kWaking);
  put_text(bytes, name, 16);
  put(bytes, pid);
  return add(time, bytes);
}

ForeignTrace& ForeignTrace::forks(Ns time, std::string_view name, Pid child,
                                  std::string_view child_name) {
  std::string bytes = head(kFork);
  const auto text_at = [](std::size_t place, std::string_view text) {
    return static_cast<std::uint32_t>(place | (text.size() + 1) << 16);
  };
  constexpr std::size_t kFields = 24;
  put(bytes, text_at(kFields, name));
  put(bytes, pid_);
  put(bytes, text_at(kFields + name.size() + 1, child_name));
  put(bytes, child);
  put_z(bytes, name);
  put_z(bytes, child_name);
  return add(time, bytes);
}

ForeignTrace& ForeignTrace::calls(Ns time, std::int64_t number, std::int64_t argument) {
  std::string bytes = head(kEnter);
  put(bytes, number);
  put(bytes, argument);
  for (int i = 1; i < 6; ++i) put(bytes, std::int64_t{i});
  return add(time, bytes);
}

ForeignTrace& ForeignTrace::calls_with(Ns time, std::int64_t number, std::int64_t first,
                                       std::int64_t second) {
  std::string bytes = head(kEnter);
  put(bytes, number);
  put(bytes, first);
  put(bytes, second);
  for (int i = 2; i < 6; ++i) put(bytes, std::int64_t{0});
  return add(time, bytes);
}

ForeignTrace& ForeignTrace::inserts(Ns time, std::int64_t word) {
  return calls_with(time, KUTRACE_SYSCALL, KUTRACE_CMD_INSERT1, word);
}

ForeignTrace& ForeignTrace::writes_mark(Ns time, std::int64_t word) {
  constexpr std::int64_t kWrite = 1;
  return calls_with(time, kWrite, KUTRACE_WORD_FD, word).returns(time + 100, kWrite, -EBADF);
}

ForeignTrace& ForeignTrace::returns(Ns time, std::int64_t number, std::int64_t result) {
  std::string bytes = head(kExit);
  put(bytes, number);
  put(bytes, result);
  return add(time, bytes);
}

ForeignTrace& ForeignTrace::interrupted(Ns begin, Ns end, std::int32_t irq, std::string_view name) {
  std::string bytes = head(kIrq);
  put(bytes, irq);
  put(bytes, static_cast<std::uint32_t>(16 | (name.size() + 1) << 16));
  put_z(bytes, name);
  add(begin, bytes);
  bytes = head(kIrqEnd);
  put(bytes, irq);
  put(bytes, std::int32_t{1});
  return add(end, bytes);
}

ForeignTrace& ForeignTrace::softirq(Ns begin, Ns end, std::uint32_t kind) {
  for (const auto& [time, id] : {std::pair(begin, kSoftirq), std::pair(end, kSoftirqEnd)}) {
    std::string bytes = head(id);
    put(bytes, kind);
    add(time, bytes);
  }
  return *this;
}

ForeignTrace& ForeignTrace::faults(Ns time) {
  std::string bytes = head(kFault);
  for (const auto number : std::array<std::uint64_t, 3>{0x7f0000001000, 0x401000, 0x14})
    put(bytes, number);
  return add(time, bytes);
}

// On CPU 0 the server reads from a pipe that the client, on CPU 1, writes to.
ForeignTrace foreign_story() {
  constexpr Ns kStart = 5'000'000'000;
  constexpr std::int64_t kRead = 0;
  constexpr std::int64_t kWrite = 1;
  ForeignTrace t;
  t.on(0, 10).calls(kStart, kRead, 3);
  t.switches(kStart + 1'000, "server", 1, 0, "swapper/0");
  t.on(1, 20).calls(kStart + 500, kWrite, 4).wakes(kStart + 3'000, 10, "server");
  t.returns(kStart + 3'500, kWrite, 5);
  t.on(0, 0).interrupted(kStart + 3'200, kStart + 3'300, 24, "eth0");
  t.switches(kStart + 4'000, "swapper/0", 0, 10, "server");
  t.returns(kStart + 4'500, kRead, 5).faults(kStart + 5'000);
  t.softirq(kStart + 6'000, kStart + 6'200, 1);
  t.on(1, 20).forks(kStart + 200'000'000, "client", 30, "client");
  t.on(1, 20).switches(kStart + 200'001'000, "client", 0, 30, "client");
  t.on(0, 10).calls(kStart + 200'002'000, kRead, 3);
  return t;
}

ForeignTrace foreign_mix(unsigned seed) {
  ForeignTrace trace;
  const auto step = static_cast<Ns>(10 + 7 * seed);
  for (CpuId cpu = 0; cpu < 1 + seed % 3; ++cpu) {
    trace.on(cpu, static_cast<Pid>(10 + cpu));
    Ns now = 1'000 + static_cast<Ns>(cpu);
    for (unsigned i = 0; i < 4 + seed % 5; ++i, now += 50 * step) {
      trace.calls(now, i * seed % 1100, i).faults(now + step);
      trace.interrupted(now + 2 * step, now + 3 * step, static_cast<std::int32_t>(i), "disk");
      trace.returns(now + 4 * step, i * seed % 1100, static_cast<std::int64_t>(i) << 20);
      trace.switches(now + 5 * step, "one", i % 2, static_cast<Pid>(40 + i), "two");
      trace.wakes(now + 6 * step, static_cast<Pid>(41 + i), "two");
      if (i % 3 == 1) trace.loses(seed).forks(now + 7 * step, "two", 60, "three");
      trace.switches(now + 8 * step, "two", 1, static_cast<Pid>(10 + cpu), "one");
    }
  }
  return trace;
}

}  // namespace kutrace::test
