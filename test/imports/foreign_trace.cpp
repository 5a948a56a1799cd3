// SPDX-License-Identifier: BSD-3-Clause
// A file of another tool's form to standard output, with something of all that tracepoints tell.
//   kutrace-foreign-trace FORM   dat6, dat7, dat7-packed, perf, perf-stream, perfetto,
//                                perfetto-packed, perfetto-compact
//   kutrace-foreign-trace FORM FOLDER   ctf, ctf-packets, ctf-large, ctf-big, ctf2: files in a
//   folder
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include "support/ctf_files.h"
#include "support/foreign_traces.h"
#include "support/perfetto_file.h"

namespace kutrace::test {
namespace {

// Two CPUs, on which threads take turns, call, fault, wake each other and are interrupted.
ForeignTrace busy() {
  constexpr Ns kStep = 1'300;
  ForeignTrace trace;
  for (CpuId cpu = 0; cpu < 2; ++cpu) {
    const auto own = static_cast<Pid>(100 + 10 * cpu);
    trace.on(cpu, own);
    Ns now = 7'000'000'000 + 333 * static_cast<Ns>(cpu);
    for (int round = 0; round < 200; ++round, now += (10 + round % 7) * kStep) {
      const auto other = static_cast<Pid>(own + 1 + round % 3);
      trace.calls(now, round % 5, round).faults(now + kStep);
      trace.interrupted(now + 2 * kStep, now + 3 * kStep, 24, "disk");
      trace.returns(now + 4 * kStep, round % 5, round).wakes(now + 5 * kStep, other, "other");
      trace.switches(now + 6 * kStep, "own", round % 2, other, "other");
      trace.softirq(now + 7 * kStep, now + 8 * kStep, 1);
      trace.switches(now + 9 * kStep, "other", 1, own, "own");
    }
  }
  return trace;
}

std::string file(std::string_view form) {
  if (form == "dat6") return dat_file(busy());
  if (form == "dat7") return dat_file(busy(), {.version = 7});
  if (form == "dat7-packed") return dat_file(busy(), {.version = 7, .packed = true});
  if (form == "perf") return perf_file(busy());
  if (form == "perf-stream") return perf_file(busy(), {.stream = true});
  if (form == "perfetto") return perfetto_file(busy());
  if (form == "perfetto-packed") return perfetto_file(busy(), {.packed = true, .bundle = 50});
  if (form == "perfetto-compact") return perfetto_file(busy(), {.compact = true});
  return {};
}

CtfOptions ctf_options(std::string_view form) {
  CtfOptions options;
  options.packet = 50;
  options.is_ctf2 = form.starts_with("ctf2");
  options.is_in_packets = form == "ctf-packets";
  options.is_large = form == "ctf-large";
  options.is_big_endian = form == "ctf-big";
  options.has_thread = form == "ctf-large" || form == "ctf2";
  return options;
}

bool write_folder(std::string_view form, const std::string& folder) {
  const CtfFiles files = ctf_files(busy(), ctf_options(form));
  const auto write = [&folder](const std::string& name, const std::string& bytes) {
    std::ofstream file(folder + "/" + name, std::ios::binary);
    file << bytes;
    return file.good();
  };
  bool is_written = write("metadata", files.metadata);
  for (std::size_t i = 0; i < files.streams.size(); ++i)
    is_written = write("channel0_" + std::to_string(i), files.streams[i]) && is_written;
  return is_written;
}

}  // namespace
}  // namespace kutrace::test

int main(int argc, char** argv) {
  if (argc > 2) return kutrace::test::write_folder(argv[1], argv[2]) ? 0 : 2;
  const std::string file = kutrace::test::file(argc > 1 ? argv[1] : "");
  const bool is_written = std::fwrite(file.data(), 1, file.size(), stdout) == file.size();
  return is_written && !file.empty() ? 0 : 2;
}
