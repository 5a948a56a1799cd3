// SPDX-License-Identifier: BSD-3-Clause
// Keys of a page's header, see page_facts.h and doc/page-format.md.
#include "read/page/page_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "base/add_time.h"
#include "base/inflate.h"
#include "base/json_scanner.h"
#include "base/text.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "read/page/page_numbers.h"

namespace kutrace::read {

namespace {

constexpr std::size_t kMostSlabs = std::size_t{1} << 24;

std::string text_value(JsonScanner& scanner) {
  return printable(json_unescaped(scanner.raw_string()));
}

// As text_value, but line ends and tabs stay: saved views are whole texts of JSON.
std::string lines_value(JsonScanner& scanner) {
  const std::string text = json_unescaped(scanner.raw_string());
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = std::min(text.find_first_of("\n\t", at), text.size());
    out += printable(std::string_view(text).substr(at, stop - at));
    if (stop < text.size()) out += text[stop];
    at = stop + 1;
  }
  return out;
}

double real_value(JsonScanner& scanner) {
  const std::string_view text = scanner.skip_value();
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Reads the header key by key; the first number that cannot be ends it.
class FactsReader {
 public:
  explicit FactsReader(std::string_view json) : scanner_(json) {}

  Result<PageFacts> read() {
    each_key([this](std::string_view key) { read_key(key); });
    judge();
    if (scanner_.failed()) complain(scanner_.error());
    if (complaint_ != nullptr) {
      return fail(input_error("the page's header was not written by kutrace").because(complaint_));
    }
    if (format_ != kPageFormat && format_ != kPageFormatWithoutCalls) {
      return fail(
          input_error(fmt::format("the page's format is {}; this program reads formats {} and {}",
                                  format_, kPageFormatWithoutCalls, kPageFormat)));
    }
    if (format_ == kPageFormatWithoutCalls) facts_.calls = facts_.stacks = false;
    return std::move(facts_);
  }

 private:
  void complain(const char* what) {
    if (complaint_ == nullptr) complaint_ = what;
  }
  bool good() const { return complaint_ == nullptr && !scanner_.failed(); }

  template <typename Take>
  void each_key(Take take) {
    scanner_.expect('{', "an object is expected");
    while (good() && !scanner_.take('}')) {
      const std::string key = json_unescaped(scanner_.raw_string());
      scanner_.expect(':', "a colon is expected");
      if (!good()) return;
      take(key);
      if (scanner_.peek() != '}') scanner_.expect(',', "a comma is expected");
    }
  }

  template <typename Take>
  void each_of_array(Take take) {
    scanner_.expect('[', "an array is expected");
    while (good() && !scanner_.take(']')) {
      take();
      if (scanner_.peek() != ']') scanner_.expect(',', "a comma is expected");
    }
  }

  // The next field of a row.
  void comma() { scanner_.expect(',', "a row needs more fields"); }
  // Leaves out what is left of a row.
  void end_row() {
    while (good() && scanner_.take(',')) scanner_.skip_value();
    scanner_.expect(']', "a row does not end");
  }

  template <typename T>
  T number(std::int64_t least = 0, std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
    const std::int64_t value = scanner_.integer();
    if (value < least || value > most || !std::in_range<T>(value)) {
      complain("a number is out of range");
      return T{};
    }
    return static_cast<T>(value);
  }
  Ns time() { return number<Ns>(-kMostTime, kMostTime); }
  // Earlier versions let sums of what a damaged trace tells turn over.
  Ns sum() { return std::max<Ns>(0, number<Ns>(std::numeric_limits<std::int64_t>::min())); }
  CpuId cpu() { return number<CpuId>(0, kMostCpus - 1); }
  Pid pid() { return number<Pid>(kNoPid); }

  void read_key(std::string_view key) {
    TraceInfo& info = facts_.info;
    if (key == "format") {
      format_ = number<std::uint32_t>();
    } else if (key == "calls") {
      facts_.calls = number<unsigned>(0, 1) != 0;
    } else if (key == "stacks") {
      facts_.stacks = number<unsigned>(0, 1) != 0;
    } else if (key == "title") {
      facts_.title = text_value(scanner_);
    } else if (key == "begin") {
      info.begin = time();
    } else if (key == "end") {
      info.end = time();
    } else if (key == "wall_usec") {
      info.wall_usec = number<std::uint64_t>();
    } else if (key == "ns_per_tick") {
      info.ns_per_tick = real_value(scanner_);
    } else if (key == "flags") {
      info.flags = number<unsigned>();
      if (const unsigned raw = info.flags & KUTRACE_FLAG_VERSION_MASK; raw != 0) info.version = raw;
    } else if (key == "kernel") {
      info.kernel_version = text_value(scanner_);
    } else if (key == "cpu_model") {
      info.cpu_model = text_value(scanner_);
    } else if (key == "host") {
      info.host_name = text_value(scanner_);
    } else if (key == "blocks") {
      info.blocks = number<std::uint64_t>();
    } else if (key == "entries") {
      info.entries = number<std::uint64_t>();
    } else if (key == "events") {
      info.events = number<std::uint64_t>();
    } else {
      read_table(key);
    }
  }

  void read_table(std::string_view key) {
    TraceInfo& info = facts_.info;
    if (key == "cpus") {
      each_of_array([&] { info.cpus.push_back(cpu()); });
    } else if (key == "meta") {
      each_of_array([this] { meta(); });
    } else if (key == "names") {
      each_of_array([this] { facts_.names.push_back(text_value(scanner_)); });
    } else if (key == "kinds") {
      each_of_array([this] { kind(); });
    } else if (key == "threads") {
      each_of_array([this] { thread(facts_.threads); });
    } else if (key == "idle_threads") {
      each_of_array([this] { thread(facts_.idle_threads); });
    } else if (key == "losses") {
      each_of_array([this] { loss(); });
    } else if (key == "by_event") {
      each_of_array([this] { entries(); });
    } else if (key == "notes") {
      each_key([&](std::string_view name) { count(Severity::kNote, name); });
    } else if (key == "repairs") {
      each_key([&](std::string_view name) { count(Severity::kRepair, name); });
    } else if (key == "damage") {
      each_key([&](std::string_view name) { count(Severity::kDamage, name); });
    } else if (key == "overview") {
      facts_.overview = block();
    } else if (key == "long") {
      facts_.long_overlays = block();
    } else if (key == "far") {
      facts_.far = block();
    } else if (key == "sums") {
      facts_.sums = block();
    } else if (key == "files") {
      facts_.files = block();
    } else if (key == "slabs") {
      each_of_array([this] {
        if (facts_.slabs.size() >= kMostSlabs) complain("too many slabs");
        facts_.slabs.push_back(slab());
      });
    } else {
      scanner_.skip_value();
    }
  }

  void meta() {
    scanner_.expect('[', "a row is expected");
    std::string key = text_value(scanner_);
    comma();
    facts_.info.facts.add(std::move(key), lines_value(scanner_));
    end_row();
  }

  // kind, event, name, thread or -1; number of spans, their sum, the shortest, the longest
  void kind() {
    PageKindFacts kind;
    scanner_.expect('[', "a row is expected");
    kind.kind = static_cast<SpanKind>(number<std::uint8_t>(0, kSpanKinds - 1));
    comma();
    kind.event = number<EventNum>(0, ev::kHIDDEN_SPAN);
    comma();
    kind.name = number<std::uint32_t>();
    comma();
    const auto thread = number<std::int64_t>(-1, std::numeric_limits<ThreadIndex>::max());
    kind.names_thread = thread >= 0;
    if (kind.names_thread) kind.thread = static_cast<ThreadIndex>(thread);
    comma();
    kind.sums.spans = number<std::uint64_t>();
    comma();
    kind.sums.total = sum();
    comma();
    kind.sums.shortest = sum();
    comma();
    kind.sums.longest = sum();
    end_row();
    facts_.kinds.push_back(kind);
  }

  // pid, name, process, parent, flags; then, of threads that have spans, three sums; perhaps begin
  // and end of its life; how long it waited; the first row of the same thread
  void thread(std::vector<PageThreadFacts>& threads) {
    PageThreadFacts thread;
    scanner_.expect('[', "a row is expected");
    thread.pid = pid();
    comma();
    thread.name = number<std::uint32_t>();
    comma();
    thread.info.process = pid();
    comma();
    thread.info.parent = pid();
    comma();
    const auto flags = number<unsigned>();
    thread.known = (flags & kPageUnknown) == 0;
    thread.info.kernel_thread = (flags & kPageKernelThread) != 0;
    thread.info.recorder = (flags & kPageRecorder) != 0;
    thread.info.command = (flags & kPageCommand) != 0;
    if (good() && scanner_.take(',')) {
      thread.executing = sum();
      comma();
      add_time(thread.executing, sum());
      comma();
      scanner_.skip_value();
    }
    if (good() && scanner_.take(',')) {
      thread.begin = time();
      comma();
      thread.end = time();
    }
    if (good() && scanner_.take(',')) thread.waiting = sum();
    if (good() && scanner_.take(',')) thread.first = number<ThreadIndex>();
    end_row();
    threads.push_back(thread);
  }

  void loss() {
    LossRecord loss;
    scanner_.expect('[', "a row is expected");
    loss.cpu = cpu();
    comma();
    loss.begin = time();
    comma();
    loss.end = time();
    comma();
    // -1, not known, becomes all ones
    loss.entries = static_cast<std::uint64_t>(number<std::int64_t>(-1));
    comma();
    loss.reason = number<unsigned>();
    end_row();
    if (loss.end < loss.begin) complain("a loss ends before it begins");
    facts_.info.losses.push_back(loss);
  }

  void entries() {
    scanner_.expect('[', "a row is expected");
    const auto event = number<std::uint16_t>();
    comma();
    facts_.info.by_event[event] = number<std::uint64_t>();
    comma();
    facts_.info.event_names[event] = text_value(scanner_);
    end_row();
  }

  void count(Severity severity, std::string_view name) {
    const std::string safe = printable(name);
    facts_.info.counters.add(safe, severity, number<std::uint64_t>());
  }

  // Whether that key tells the size of a block.
  bool takes_size(std::string_view key, PageBlockSize& block) {
    if (key == "packed") {
      block.packed = number<std::uint32_t>();
    } else if (key == "raw") {
      block.raw = number<std::uint32_t>();
    } else if (key == "crc") {
      block.crc = number<std::uint32_t>();
    } else {
      return false;
    }
    return true;
  }

  PageBlockSize block() {
    PageBlockSize block;
    each_key([&](std::string_view key) {
      if (!takes_size(key, block)) scanner_.skip_value();
    });
    return block;
  }

  PageSlabFacts slab() {
    PageSlabFacts slab;
    each_key([&](std::string_view key) {
      if (key == "sections") {
        each_of_array([&] { section(slab.extent); });
      } else if (key == "parts") {
        each_of_array([&] { part(slab.parts); });
      } else if (!takes_size(key, slab)) {
        scanner_.skip_value();
      }
    });
    if (!slab.parts.empty()) judge_parts(slab);
    return slab;
  }

  // packed, raw, crc
  void part(std::vector<PageBlockSize>& parts) {
    PageBlockSize part;
    scanner_.expect('[', "a row is expected");
    part.packed = number<std::uint32_t>();
    comma();
    part.raw = number<std::uint32_t>();
    comma();
    part.crc = number<std::uint32_t>();
    end_row();
    if (parts.size() < kSlabParts) {
      parts.push_back(part);
    } else {
      complain("a slab has too many parts");
    }
  }

  void judge_parts(const PageSlabFacts& slab) {
    std::uint64_t packed = 0;
    std::uint64_t raw = 0;
    for (const PageBlockSize& part : slab.parts) {
      packed += part.packed;
      raw += part.raw;
    }
    if (slab.parts.size() != kSlabParts || packed != slab.packed || raw != slab.raw) {
      complain("the parts of a slab are not all of it");
    }
  }

  // CPU, spans, begin, end
  void section(SpanSlabs::Extent& extent) {
    SpanSlabs::Section section;
    scanner_.expect('[', "a row is expected");
    section.cpu = cpu();
    comma();
    section.spans = number<std::size_t>(0, static_cast<std::int64_t>(kSlabSpans));
    comma();
    section.begin = time();
    comma();
    section.end = time();
    end_row();
    const bool first = extent.spans == 0;
    extent.begin = first ? section.begin : std::min(extent.begin, section.begin);
    extent.end = first ? section.end : std::max(extent.end, section.end);
    extent.spans += section.spans;
    extent.sections.push_back(section);
    if (extent.spans > kSlabSpans) complain("a slab holds too many spans");
  }

  // Whether what refers to others refers to what there is.
  void judge() {
    if (!good()) return;
    if (facts_.info.end < facts_.info.begin) complain("the trace ends before it begins");
    if (!std::is_sorted(facts_.info.cpus.begin(), facts_.info.cpus.end())) {
      complain("the CPUs are not in order");
    }
    if (facts_.threads.size() <= kNoThread) complain("there is no table of threads");
    const auto unnamed = [this](const auto& row) { return row.name >= facts_.names.size(); };
    if (std::any_of(facts_.kinds.begin(), facts_.kinds.end(), unnamed) ||
        std::any_of(facts_.threads.begin(), facts_.threads.end(), unnamed) ||
        std::any_of(facts_.idle_threads.begin(), facts_.idle_threads.end(), unnamed)) {
      complain("a number stands for no name");
    }
    if (std::any_of(facts_.kinds.begin(), facts_.kinds.end(), [this](const PageKindFacts& kind) {
          return kind.thread >= facts_.threads.size();
        })) {
      complain("a number stands for no thread");
    }
    for (ThreadIndex i = 0; i < facts_.threads.size(); ++i) {
      const ThreadIndex first = facts_.threads[i].first;
      const bool is_first = first == kNoThread;
      if (!is_first && (first >= i || facts_.threads[first].first != kNoThread || first == 0)) {
        complain("a number stands for no thread");
      }
    }
  }

  JsonScanner scanner_;
  PageFacts facts_;
  std::uint32_t format_ = 0;
  const char* complaint_ = nullptr;
};

}  // namespace

bool PageFacts::tells_lives() const {
  return std::ranges::any_of(threads,
                             [](const PageThreadFacts& row) { return row.waiting.has_value(); });
}

Result<PageFacts> read_page_facts(std::string_view json) { return FactsReader(json).read(); }

bool header_is_whole(std::string_view json) {
  const std::string key = fmt::format(",\"{}\":", kHeaderChecksum);
  const std::size_t at = json.rfind(key);
  if (at == std::string_view::npos) return false;
  return json.substr(at + key.size()) == fmt::format("{}}}", checksum(json.substr(0, at)));
}

}  // namespace kutrace::read
