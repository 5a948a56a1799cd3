// SPDX-License-Identifier: BSD-3-Clause
// Several machines in one model. In: each machine's stream, one after the other; out: one stream in
// which their CPUs, threads and calls are apart, on one time.
//
// The numbers of each machine are moved, so that all stages treat machines as they treat CPUs:
// numbers of CPUs, ids of threads and calls follow one another, numbers of threads (and processes)
// of the n-th machine begin at n x 2^22, above which Linux gives none. A CPU's time before and
// after its machine's recording is a declared loss. Numbers that programs choose (locks, queues,
// RPCs) stay: an RPC has one number on both its ends.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "model/span_sink.h"

namespace kutrace {

struct Machine {
  std::string host_name;
  std::string kernel_version;
  std::string cpu_model;
  Facts facts;
  std::vector<CpuId> cpus;  // as the model numbers them
  // What was added to the machine's own numbers and times.
  CpuId first_cpu = 0;
  Pid first_pid = 0;
  Ns shift = 0;
};

class Machines {
 public:
  struct Part {
    TraceInfo known;  // as the machine's stream begins: times, CPUs
    Ns shift = 0;     // from its times to those of the model
  };

  // At most 511 machines. Begins the stream.
  Machines(const std::vector<Part>& parts, SpanSink& next);
  ~Machines();

  // Takes the stream of a machine, which is over before the next machine's begins.
  SpanSink& stream(std::size_t number);
  // After the last one: ends the stream, and says all that is known.
  TraceInfo finish();

  const std::vector<Machine>& all() const { return machines_; }

 private:
  class Stream;
  void add(const Machine& of, const TraceInfo& info);
  void fill(CpuId cpu, Ns begin, Ns end);

  SpanSink& next_;
  std::vector<Machine> machines_;
  std::vector<std::unique_ptr<Stream>> streams_;
  TraceInfo info_;
  std::vector<Ns> ends_;  // of the machines' recordings
  // The highest ids so far.
  std::uint32_t last_thread_ = 0;
  std::uint32_t last_call_ = 0;
};

}  // namespace kutrace
