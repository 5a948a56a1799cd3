// SPDX-License-Identifier: BSD-3-Clause
// Writes a large page from a small real trace: four machines of its kind side by side, over and
// over, every duration changed by up to a third, so that repetition does not help the compressor.
// In: file name, number of spans, trace; out: the page.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include "emit/page/page_writer.h"
#include "read/trace/trace_input.h"

namespace {

using kutrace::Ns;
using kutrace::Span;

constexpr unsigned kMachines = 4;
constexpr kutrace::Pid kPidsApart = 100'000;

class Kept : public kutrace::SpanSink {
 public:
  void push(const Span& span) override { spans.push_back(span); }
  std::vector<Span> spans;
};

class Repeater {
 public:
  Repeater(const kutrace::TraceInfo& info, const std::vector<Span>& spans, kutrace::SpanSink& sink)
      : info_(info), spans_(spans), sink_(sink) {}

  kutrace::TraceInfo run(std::uint64_t wanted) {
    const Ns length = info_.end - info_.begin;
    for (Ns shift = 0; pushed_ < wanted; shift += length) once(shift);
    return finish();
  }

 private:
  void once(Ns shift) {
    for (const Span& span : spans_) {
      for (unsigned machine = 0; machine < kMachines; machine++) push(span, machine, shift);
    }
  }
  Ns changed(Ns duration) {
    const auto tenths = static_cast<Ns>(static_cast<double>(duration) * shape_(random_) / 10);
    return duration == 0 ? 0 : std::max<Ns>(10, tenths * 10);
  }
  void push(Span span, unsigned machine, Ns shift) {
    const auto cpus = static_cast<unsigned>(info_.cpus.size());
    if (span.cpu != kutrace::kNoCpu) span.cpu += machine * cpus;
    if (span.pid > 0) span.pid += static_cast<kutrace::Pid>(machine) * kPidsApart;
    if (span.other > 0) span.other += static_cast<kutrace::Pid>(machine) * kPidsApart;
    if (is_arc(span.kind)) span.arg += machine * cpus;
    span.start += shift;
    span.duration = changed(span.duration);
    if (is_execution(span.kind)) {
      Ns& clock = clocks_.try_emplace(span.cpu, info_.begin).first->second;
      span.start = clock;
      clock += span.duration;
    }
    sink_.push(span);
    pushed_++;
  }
  kutrace::TraceInfo finish() {
    kutrace::TraceInfo info = info_;
    info.cpus.clear();
    for (const auto& [cpu, clock] : clocks_) {
      info.cpus.push_back(cpu);
      info.end = std::max(info.end, clock);
    }
    for (const auto& [pid, thread] : info_.threads) {
      for (unsigned machine = 1; machine < kMachines; machine++) {
        info.threads[pid + static_cast<kutrace::Pid>(machine) * kPidsApart] = thread;
      }
    }
    return info;
  }

  const kutrace::TraceInfo& info_;
  const std::vector<Span>& spans_;
  kutrace::SpanSink& sink_;
  std::map<kutrace::CpuId, Ns> clocks_;
  std::mt19937_64 random_{1};
  std::uniform_real_distribution<double> shape_{0.67, 1.33};
  std::uint64_t pushed_ = 0;
};

int write(const char* output, std::uint64_t wanted, const char* trace) {
  auto input = kutrace::read::TraceInput::open(trace);
  if (!input) return 3;
  kutrace::NameTable names;
  Kept kept;
  const auto info = input->replay(names, kept, [](double) {});
  if (!info) return 3;
  kutrace::emit::PageWriter page({.title = fmt::format("{} spans", wanted)});
  const kutrace::TraceInfo all = Repeater(*info, kept.spans, page).run(wanted);
  std::FILE* file = std::fopen(output, "wb");
  if (file == nullptr) return 5;
  const auto done = page.write(all, names, [&](std::string_view piece) {
    return std::fwrite(piece.data(), 1, piece.size(), file) == piece.size();
  });
  return std::fclose(file) != 0 || !done ? 5 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  return write(argv[1], std::strtoull(argv[2], nullptr, 10), argv[3]);
}
