// SPDX-License-Identifier: BSD-3-Clause
// A software event that never counts carries these records, through one ring per CPU.
#include "record/proc/map_events.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "base/text.h"

namespace kutrace::record {

namespace {

constexpr std::size_t kRingPages = 64;

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
std::size_t data_bytes() { return kRingPages * page_bytes(); }

int open_event(CpuId cpu, bool build_ids) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.sample_type = PERF_SAMPLE_TIME;
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.mmap = 1;
  attr.mmap2 = 1;
  attr.comm = 1;
  attr.comm_exec = 1;
  attr.task = 1;
  attr.build_id = build_ids;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attr, -1, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC));
}

// A record's fields, read one behind the other; zeros behind its end.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  T take() {
    T value{};
    if (bytes_.size() >= sizeof value) {
      std::memcpy(&value, bytes_.data(), sizeof value);
      bytes_ = bytes_.subspan(sizeof value);
    }
    return value;
  }
  std::string_view text() const {
    const auto* begin = reinterpret_cast<const char*>(bytes_.data());
    return {begin, strnlen(begin, bytes_.size())};
  }

 private:
  std::span<const std::byte> bytes_;
};

std::string take_build_id(Reader& reader) {
  const std::size_t size = reader.take<std::uint8_t>();
  reader.take<std::uint8_t>();
  reader.take<std::uint16_t>();
  const auto bytes = reader.take<std::array<std::byte, 20>>();
  return hexadecimal(std::span(bytes).first(std::min(size, bytes.size())));
}

std::optional<MapEvent> read_mapping(Reader& reader, bool has_build_id) {
  MapEvent event;
  event.process = reader.take<Pid>();
  reader.take<Pid>();
  ProcMapping& mapping = event.mapping;
  mapping.start = reader.take<std::uint64_t>();
  mapping.end = mapping.start + reader.take<std::uint64_t>();
  mapping.offset = reader.take<std::uint64_t>();
  if (has_build_id) {
    event.build_id = take_build_id(reader);
  } else {
    const std::uint64_t major = reader.take<std::uint32_t>();
    mapping.device = major << 32 | reader.take<std::uint32_t>();
    mapping.inode = reader.take<std::uint64_t>();
    reader.take<std::uint64_t>();  // the inode's generation
  }
  reader.take<std::uint32_t>();  // protection
  reader.take<std::uint32_t>();  // flags
  mapping.path = reader.text();
  if (mapping.path.starts_with("//")) mapping.path.clear();  // "//anon": no file
  if (event.process <= 0 || mapping.start >= mapping.end) return std::nullopt;
  return event;
}

std::optional<MapEvent> read_task(Reader& reader, MapEvent::Kind kind) {
  MapEvent event;
  event.kind = kind;
  event.process = reader.take<Pid>();
  event.parent = reader.take<Pid>();
  const Pid thread = reader.take<Pid>();
  if (event.process != thread) return std::nullopt;  // one thread of a process
  return event;
}

std::optional<MapEvent> read_event(const perf_event_header& header,
                                   std::span<const std::byte> bytes) {
  Reader reader(bytes);
  switch (header.type) {
    case PERF_RECORD_MMAP2:
      return read_mapping(reader, (header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0);
    case PERF_RECORD_FORK:
      return read_task(reader, MapEvent::Kind::kCopied);
    case PERF_RECORD_EXIT:
      return read_task(reader, MapEvent::Kind::kEnded);
    case PERF_RECORD_COMM: {
      if ((header.misc & PERF_RECORD_MISC_COMM_EXEC) == 0) return std::nullopt;
      MapEvent event;
      event.kind = MapEvent::Kind::kReplaced;
      event.process = reader.take<Pid>();
      return event;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

MapEvents::~MapEvents() {
  for (const Ring& ring : rings_) {
    if (ring.memory != nullptr) munmap(ring.memory, page_bytes() + data_bytes());
    close(ring.fd);
  }
}

Status MapEvents::start(const std::vector<CpuId>& cpus) {
  for (const CpuId cpu : cpus) {
    int fd = open_event(cpu, true);
    if (fd < 0 && errno == EINVAL) fd = open_event(cpu, false);  // before Linux 5.12
    if (fd < 0)
      return fail(host_error("memory maps cannot be followed: " + errno_text(errno)).with_cpu(cpu));
    Ring& ring = rings_.emplace_back();
    ring.fd = fd;
    ring.cpu = cpu;
    void* memory =
        mmap(nullptr, page_bytes() + data_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
      return fail(host_error("memory maps cannot be followed: " + errno_text(errno)).with_cpu(cpu));
    ring.memory = memory;
  }
  return {};
}

void MapEvents::drain(const Ring& ring) {
  auto* page = static_cast<perf_event_mmap_page*>(ring.memory);
  const auto* data = static_cast<const std::byte*>(ring.memory) + page_bytes();
  const std::uint64_t head = std::atomic_ref(page->data_head).load(std::memory_order_acquire);
  std::uint64_t at = page->data_tail;
  std::vector<std::byte> record;
  const std::size_t room = data_bytes();
  const auto copy = [&](std::uint64_t from, std::size_t size) {
    record.resize(size);
    const std::size_t first = std::min(size, room - from % room);
    std::memcpy(record.data(), data + from % room, first);
    std::memcpy(record.data() + first, data, size - first);
  };
  while (at < head) {
    perf_event_header header{};
    copy(at, sizeof header);
    std::memcpy(&header, record.data(), sizeof header);
    if (header.size < sizeof header) break;
    copy(at + sizeof header, header.size - sizeof header);
    at += header.size;
    Reader reader(record);
    if (header.type == PERF_RECORD_LOST) {
      reader.take<std::uint64_t>();
      lost_ += reader.take<std::uint64_t>();
    } else if (record.size() > sizeof(std::uint64_t)) {
      const std::span<const std::byte> all = record;
      const std::size_t fields = all.size() - sizeof(std::uint64_t);  // the time stands behind
      if (auto event = read_event(header, all.first(fields))) {
        event->time_ns = Reader(all.subspan(fields)).take<std::uint64_t>();
        events_.push_back(std::move(*event));
      }
    }
  }
  std::atomic_ref(page->data_tail).store(at, std::memory_order_release);
}

void MapEvents::poll() {
  for (const Ring& ring : rings_) {
    if (ring.memory != nullptr) drain(ring);
  }
}

std::vector<MapEvent> MapEvents::take() {
  poll();
  std::stable_sort(events_.begin(), events_.end(),
                   [](const MapEvent& a, const MapEvent& b) { return a.time_ns < b.time_ns; });
  return std::move(events_);
}

}  // namespace kutrace::record
