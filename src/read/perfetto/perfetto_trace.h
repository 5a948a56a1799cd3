// SPDX-License-Identifier: BSD-3-Clause
// What a Perfetto trace holds of the kernel's events. In: the file's bytes; out: where each event
// stands, sorted by time, and facts of the machine, its clocks and its threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "read/import/kernel_event.h"
#include "read/perfetto/ftrace_rows.h"
#include "read/perfetto/packed_packets.h"

namespace kutrace::read {

// 40 bytes: a trace has many.
struct FoundEvent {
  enum class Kind : std::uint8_t { kMessage, kSwitch, kWaking, kLoss, kDamage };

  Ns time = 0;                       // CLOCK_BOOTTIME, unless the trace's clocks are unknown
  std::span<const std::byte> bytes;  // the message; of a compact event the thread's name
  Pid pid = kNoPid;                  // of a compact event: next or woken thread
  std::int32_t state = 0;            // of a compact switch: of the previous thread
  CpuId cpu = 0;
  Kind kind = Kind::kMessage;
};

class PerfettoTrace {
 public:
  struct Thread {
    Pid process = kNoPid;
    Pid parent = kNoPid;  // of a process
    std::string name;
  };
  struct Clocks {
    std::optional<Ns> boot, monotonic, raw, wall;
  };

  // Events and unpacked packets must not need more than `most` bytes each.
  explicit PerfettoTrace(std::uint64_t most);

  Status read(const MappedFile& file);

  const std::vector<FoundEvent>& events() const { return events_; }
  const FtraceRows& rows() const { return rows_; }
  const std::set<CpuId>& cpus() const { return cpus_; }
  bool holds(What what) const { return holds_[static_cast<std::size_t>(what)]; }
  const std::map<Pid, Thread>& threads() const { return threads_; }
  // At one moment, the first that was told.
  const Clocks& clocks() const { return clocks_; }
  bool has_unknown_clock() const { return has_unknown_clock_; }
  const std::string& machine() const { return machine_; }
  const std::string& release() const { return release_; }
  const std::string& service() const { return service_; }

  bool cut() const { return cut_; }
  std::uint64_t unreadable() const { return unreadable_; }
  std::uint64_t of_other_machines() const { return of_other_machines_; }

 private:
  struct Packet;
  struct Bundle;

  Status packets(std::span<const std::byte> bytes, bool are_packed);
  Status packet(std::span<const std::byte> bytes, bool is_packed);
  Status take(const Packet& packet, bool is_packed);
  Status unpack(std::span<const std::byte> piece);
  bool fits() const;
  Status must_fit() const;
  Status bundle(const Packet& packet);
  void find_losses(const Packet& packet, Bundle& bundle);
  void describe(std::span<const std::byte> bytes);
  Bundle bundle_head(std::span<const std::byte> bytes);
  Ns shift_of(const Bundle& bundle);
  void message(Bundle& bundle, std::span<const std::byte> bytes);
  Status compact(Bundle& bundle, std::span<const std::byte> bytes);
  void error(Bundle& bundle, std::span<const std::byte> bytes);
  void damage(Bundle& bundle);
  void put_loss(const Bundle& bundle);
  void put_last_losses();
  void add(const Bundle& bundle, FoundEvent event);
  Thread* thread_of(Pid pid);
  void clock_snapshot(std::span<const std::byte> bytes);
  void process_tree(std::span<const std::byte> bytes);
  void process_stats(std::span<const std::byte> bytes);
  void system_info(std::span<const std::byte> bytes);

  std::uint64_t most_;
  PackedPackets packed_;
  std::vector<FoundEvent> events_;
  FtraceRows rows_;
  std::set<CpuId> cpus_;
  std::array<bool, static_cast<std::size_t>(What::kCount)> holds_{};
  std::map<Pid, Thread> threads_;
  Clocks clocks_;
  std::unordered_map<unsigned, Ns> shifts_;  // to CLOCK_BOOTTIME, by the bundle's clock
  bool has_unknown_clock_ = false;
  std::string machine_;
  std::string release_;
  std::string service_;
  // Packets that were dropped, by sequence, and how many of these each CPU's bundles of it know of.
  std::unordered_map<std::uint32_t, std::uint64_t> dropped_;
  std::map<std::pair<std::uint32_t, CpuId>, std::uint64_t> known_dropped_;
  // Damage that may have hit any CPU, and how much of it each CPU's bundles know of.
  std::uint64_t damages_ = 0;
  std::map<CpuId, std::uint64_t> known_damages_;
  std::map<CpuId, FoundEvent::Kind> lost_;  // something, before their next event
  bool cut_ = false;
  std::uint64_t unreadable_ = 0;
  std::uint64_t of_other_machines_ = 0;
};

// Whether a file that begins like this is one.
bool is_perfetto_trace(std::string_view bytes);

}  // namespace kutrace::read
