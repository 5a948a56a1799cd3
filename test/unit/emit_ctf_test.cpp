// SPDX-License-Identifier: BSD-3-Clause
// What is exported as CTF and read again: a part of a trace tells of the part, and of nothing else.
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "emit/ctf/ctf.h"
#include "filters/part.h"
#include "format/event_table.h"
#include "read/ctf/ctf_import.h"
#include "support/foreign_traces.h"
#include "support/lines.h"
#include "support/spans_of.h"

namespace kutrace::test {
namespace {

class Folder : public emit::ExportFolder {
 public:
  bool append(const std::string& file, std::string_view bytes) override {
    files[file] += bytes;
    return true;
  }
  bool overwrite(const std::string& file, std::uint64_t offset, std::string_view bytes) override {
    files.at(file).replace(offset, bytes.size(), bytes);
    return true;
  }
  std::map<std::string, std::string> files;
};

// A trace of two CPUs, 100 ns long, exported and read again.
class Exported {
 public:
  Exported(std::vector<TimeWindow> windows, filters::Selection selection)
      : part_(std::move(windows), std::move(selection), names_, sink_,
              filters::Part::Use::kTimeline) {
    info_.end = 100;
    info_.cpus = {0, 1};
    info_.facts.add(fact::kUname, std::string("Linux h 6.1 #1 x86_64"));
    part_.begin(info_);
  }
  Exported& runs(CpuId cpu, Ns start, Ns end, Pid pid, CallId call = CallId::kNone) {
    Span span;
    span.start = start;
    span.duration = end - start;
    span.cpu = cpu;
    span.pid = pid;
    span.kind = call == CallId::kNone ? SpanKind::kUser : SpanKind::kSyscall;
    span.event = call == CallId::kNone ? ev::kUSER : syscall_event(0);
    span.name = names_.intern(call == CallId::kNone ? "program" : "read");
    span.call = call;
    part_.push(span);
    return *this;
  }
  Exported& hides(CpuId cpu, Ns start, Ns end) {
    part_.push(hidden_span(cpu, start, end, names_.intern(kHiddenName)));
    return *this;
  }
  Exported& calls(CpuId cpu, Ns begin, Ns end, Pid pid, CallId id) {
    Call call;
    call.id = id;
    call.pid = pid;
    call.cpu = cpu;
    call.event = syscall_event(0);
    call.name = names_.intern("read");
    call.begin = begin;
    call.end = end;
    call.has_result = true;
    part_.call(call);
    return *this;
  }
  Replay again() {
    part_.end(info_);
    REQUIRE(sink_.finish(info_));
    std::vector<MappedFile> streams;
    for (const auto& [name, bytes] : folder_.files)
      if (name != "metadata") streams.push_back(MappedFile::from_bytes(bytes_of(bytes), name));
    auto reader =
        read::import_ctf(MappedFile::from_bytes(bytes_of(folder_.files.at("metadata")), "metadata"),
                         std::move(streams));
    if (!reader) FAIL(describe(reader.error()));
    Replay r;
    replay(*(*reader)->raw(), r);
    return r;
  }

 private:
  NameTable names_;
  Folder folder_;
  emit::CtfSink sink_{names_, folder_};
  filters::Part part_;
  TraceInfo info_;
};

TEST_CASE("a call from a CPU that is not exported began on none of the others") {
  constexpr CallId kRead{1};
  filters::Selection one_cpu;
  one_cpu.cpus = {0};
  one_cpu.threads_of_cpus = {{10, 20}, {}};
  Exported trace({}, one_cpu);
  trace.runs(0, 0, 60, 20).runs(1, 0, 20, 10).runs(1, 20, 60, 10, kRead);
  SECTION("and has time on this one") { trace.runs(0, 60, 80, 10, kRead); }
  SECTION("and ended there at once") { trace.runs(0, 60, 80, 10); }
  trace.calls(0, 20, 80, 10, kRead).runs(0, 80, 100, 10);
  const Replay r = trace.again();
  CHECK(r.info.losses.empty());
  CHECK(r.timeline(0).front() == "user 0+60 program");
}

TEST_CASE("a call in which nobody is known to run begins and ends on no CPU") {
  Exported trace({}, {});
  trace.runs(1, 0, 100, 20).runs(0, 0, 20, 10).hides(0, 20, 60);
  const Replay r = trace.calls(0, 20, 60, 10, CallId{1}).runs(0, 60, 100, 10).again();
  CHECK(r.calls.empty());
  CHECK(r.timeline(0).front() == "user 0+20 program");
  CHECK(r.timeline(0).back() == "user 60+40 program");
}

TEST_CASE("a window of time begins where it begins, not where the recording does") {
  const auto windows =
      GENERATE(std::vector<TimeWindow>{{30, 60}}, std::vector<TimeWindow>{{30, 40}, {50, 60}});
  const Replay r = Exported(windows, {}).runs(0, 0, 100, 20).runs(1, 0, 100, 10).again();
  CHECK(r.info.end - r.info.begin == 30);
  CHECK(r.timeline(1).front().starts_with("user 0+"));
}

}  // namespace
}  // namespace kutrace::test
