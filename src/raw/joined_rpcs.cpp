// SPDX-License-Identifier: BSD-3-Clause
// RPCs of each machine, packets that were sent for them, and who serves whom.
#include "raw/joined_rpcs.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "timeline/event_stream.h"

namespace kutrace::raw {

namespace {

constexpr Ns kForever = std::numeric_limits<Ns>::max();
// So much later by another machine's clock may an RPC seem to be served than it ends.
constexpr Ns kClockError = 1'000'000;
constexpr std::size_t kMostTried = 100;  // RPCs of one number that may have sent a packet
constexpr std::uint32_t kNumbers = 1u << 16;
constexpr std::uint32_t kNumberMask = kNumbers - 1;

using Number = std::uint16_t;
using RpcIndex = std::size_t;

// Times are the first machine's. All of them stand in the order of their machines, then of time.
struct Rpc {
  std::size_t machine = 0;
  Pid process = 0;
  Number number = 0;
  Ns begin = 0;
  Ns end = kForever;
  std::size_t asked_by = 0;              // the machine of the RPC that it serves in the end
  std::map<std::size_t, Pid> served_by;  // by machine: the process that began first
};

struct Sent {
  Ns time = 0;
  RpcIndex rpc = 0;
};

struct Received {
  Ns time = 0;
  std::uint32_t hash = 0;
  std::size_t machine = 0;
};

// What is read of all machines.
struct Happened {
  std::vector<Rpc> rpcs;
  std::vector<std::vector<std::optional<RpcIndex>>> points;   // by machine; nothing: of no RPC
  std::unordered_map<std::uint32_t, std::vector<Sent>> sent;  // by hash
  std::vector<Received> received;
};

class MachineReader {
 public:
  MachineReader(std::size_t machine, const MachineTrace& trace, Happened& happened)
      : machine_(machine), trace_(trace), happened_(happened), points_(happened.points[machine]) {}

  void read() {
    timeline::EventStream stream(*trace_.layout);
    stream.run([this](const timeline::Event& event) { take(event); });
  }

 private:
  void take(const timeline::Event& event) {
    const decode::Entry& entry = event.entry;
    if (event_class(entry.number) == EventClass::kName) {
      if (name_kind(entry.number) == kind::kTASK && entry.words >= KUTRACE_TASK_WORDS)
        processes_[static_cast<Pid>(entry.arg)] =
            static_cast<Pid>(static_cast<std::uint32_t>(entry.payload_word(1)));
      return;
    }
    if (event.cpu == kNoCpu) return;
    switch (entry.number) {
      case timeline::kBlockStart:
        running_[event.cpu] = static_cast<Pid>(entry.arg);
        break;
      case ev::kUSERPID:
        running_[event.cpu] = static_cast<Pid>(decode::switched_to(entry.arg));
        break;
      case ev::kRPC_REQUEST:
      case ev::kRPC_RESPONSE:
      case ev::kRPC_MIDDLE:
        point(running_[event.cpu], entry.number, static_cast<Number>(entry.arg & kNumberMask),
              trace_.time(event.time));
        break;
      case ev::kTX_PACKET:
        if (const auto works = working_.find(running_[event.cpu]); works != working_.end())
          happened_.sent[entry.arg].push_back({trace_.time(event.time), works->second});
        break;
      case ev::kRX_PACKET:
        happened_.received.push_back({trace_.time(event.time), entry.arg, machine_});
        break;
      default:
        break;
    }
  }

  void point(Pid thread, EventNum event, Number number, Ns now) {
    if (number == 0) {
      working_.erase(thread);
      points_.emplace_back();
      return;
    }
    const RpcIndex rpc =
        event == ev::kRPC_REQUEST ? begin(thread, number, now) : going_on(thread, number, now);
    if (event == ev::kRPC_RESPONSE) {
      happened_.rpcs[rpc].end = std::min(happened_.rpcs[rpc].end, now);
      of_thread_.erase({thread, number});
    }
    working_[thread] = rpc;
    points_.emplace_back(rpc);
  }

  RpcIndex begin(Pid thread, Number number, Ns now) {
    const RpcIndex rpc = happened_.rpcs.size();
    const auto process = processes_.find(thread);
    Rpc& begun = happened_.rpcs.emplace_back();
    begun.machine = machine_;
    begun.process = process == processes_.end() ? thread : process->second;
    begun.number = number;
    begun.begin = now;
    of_thread_[{thread, number}] = rpc;
    latest_[number] = rpc;
    return rpc;
  }

  // The thread's own, or else the one that the machine began last, if it has not ended; one whose
  // request was not seen begins here.
  RpcIndex going_on(Pid thread, Number number, Ns now) {
    if (const auto own = of_thread_.find({thread, number}); own != of_thread_.end())
      return own->second;
    const auto latest = latest_.find(number);
    if (latest != latest_.end() && happened_.rpcs[latest->second].end == kForever)
      return latest->second;
    return begin(thread, number, now);
  }

  std::size_t machine_;
  const MachineTrace& trace_;
  Happened& happened_;
  std::vector<std::optional<RpcIndex>>& points_;
  std::unordered_map<CpuId, Pid> running_;
  std::unordered_map<Pid, Pid> processes_;
  std::unordered_map<Pid, RpcIndex> working_;  // what a thread works for
  std::map<std::pair<Pid, Number>, RpcIndex> of_thread_;
  std::unordered_map<Number, RpcIndex> latest_;
};

// When the first packet for an RPC arrived at a machine.
struct Arrival {
  Ns time = 0;
  RpcIndex rpc = 0;
};

// By machine and number, in the order of time.
using Arrivals = std::map<std::pair<std::size_t, Number>, std::vector<Arrival>>;

// A packet is the one of its hash that was sent last before; what is sent behind the response is
// the answer.
Arrivals arrivals_of(Happened& happened) {
  for (auto& [hash, sent] : happened.sent) std::ranges::stable_sort(sent, {}, &Sent::time);
  std::ranges::stable_sort(happened.received, {}, &Received::time);
  Arrivals arrivals;
  std::set<std::pair<std::size_t, RpcIndex>> arrived;
  for (const Received& packet : happened.received) {
    const auto found = happened.sent.find(packet.hash);
    if (found == happened.sent.end()) continue;
    const auto after = std::ranges::upper_bound(found->second, packet.time, {}, &Sent::time);
    if (after == found->second.begin()) continue;
    const Sent& sent = *std::prev(after);
    const Rpc& rpc = happened.rpcs[sent.rpc];
    if (sent.time <= rpc.end && arrived.insert({packet.machine, sent.rpc}).second)
      arrivals[{packet.machine, rpc.number}].push_back({packet.time, sent.rpc});
  }
  return arrivals;
}

class Servers {
 public:
  explicit Servers(Happened& happened) : rpcs_(happened.rpcs), arrivals_(arrivals_of(happened)) {}

  // Those that begin first are asked first: of one machine one process serves an RPC.
  void find() {
    std::vector<RpcIndex> order(rpcs_.size());
    for (RpcIndex i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [this](RpcIndex i) { return begin_of(i); });
    for (const RpcIndex i : order) {
      const std::optional<RpcIndex> served = served_by(i);
      rpcs_[i].asked_by = served ? rpcs_[*served].asked_by : rpcs_[i].machine;
    }
  }

 private:
  // What is served begins before who serves it, also where times are equal: nobody serves himself.
  std::pair<Ns, RpcIndex> begin_of(RpcIndex i) const { return {rpcs_[i].begin, i}; }

  std::optional<RpcIndex> served_by(RpcIndex server) {
    const Rpc& own = rpcs_[server];
    const auto found = arrivals_.find({own.machine, own.number});
    if (found == arrivals_.end()) return std::nullopt;
    const std::vector<Arrival>& all = found->second;
    auto at = std::ranges::upper_bound(all, own.begin, {}, &Arrival::time);
    for (std::size_t tried = 0; at != all.begin() && tried < kMostTried; ++tried) {
      Rpc& asked = rpcs_[(--at)->rpc];
      const bool is_on = begin_of(at->rpc) < begin_of(server) &&
                         (asked.end == kForever || asked.end >= own.begin - kClockError);
      if (!is_on) continue;
      if (asked.machine == own.machine) return at->rpc;
      if (asked.served_by.try_emplace(own.machine, own.process).first->second == own.process)
        return at->rpc;
    }
    return std::nullopt;
  }

  std::vector<Rpc>& rpcs_;
  Arrivals arrivals_;
};

// Numbers in the trace of all: an RPC has that of the machine that asked first.
class Numbers {
 public:
  explicit Numbers(const std::vector<Rpc>& rpcs) : rpcs_(rpcs) {
    for (const Rpc& rpc : rpcs) {
      used_.insert(rpc.number);
      const auto [owner, is_new] = owners_.try_emplace(rpc.number, rpc.asked_by);
      if (!is_new) owner->second = std::min(owner->second, rpc.asked_by);
    }
  }

  Number of(RpcIndex i) {
    const Number number = rpcs_[i].number;
    const std::size_t machine = rpcs_[i].asked_by;
    if (owners_.at(number) == machine) return number;
    const auto [given, is_new] = given_.try_emplace({machine, number}, number);
    if (is_new) given->second = unused().value_or(number);
    return given->second;
  }

  std::uint64_t alike() const { return alike_; }

 private:
  // From the highest on: programs count from the lowest.
  std::optional<Number> unused() {
    while (next_ > 1 && used_.contains(static_cast<Number>(next_ - 1))) --next_;
    if (next_ == 1) {
      ++alike_;
      return std::nullopt;
    }
    return static_cast<Number>(--next_);
  }

  const std::vector<Rpc>& rpcs_;
  std::set<Number> used_;
  std::unordered_map<Number, std::size_t> owners_;
  std::map<std::pair<std::size_t, Number>, Number> given_;
  std::uint32_t next_ = kNumbers;
  std::uint64_t alike_ = 0;
};

}  // namespace

JoinedRpcs joined_rpcs(const std::vector<MachineTrace>& traces) {
  Happened happened;
  happened.points.resize(traces.size());
  for (std::size_t i = 0; i < traces.size(); ++i) MachineReader(i, traces[i], happened).read();
  Servers(happened).find();
  Numbers numbers(happened.rpcs);
  JoinedRpcs joined;
  for (const auto& points : happened.points) {
    MachineRpcs& machine = joined.machines.emplace_back();
    for (const std::optional<RpcIndex> rpc : points) {
      machine.points.push_back(rpc ? numbers.of(*rpc) : Number{0});
      if (rpc) machine.numbers[happened.rpcs[*rpc].number].insert(machine.points.back());
    }
  }
  joined.alike = numbers.alike();
  return joined;
}

}  // namespace kutrace::raw
