// SPDX-License-Identifier: BSD-3-Clause
// The texts, see help_topics.h.
#include "cli/help_topics.h"

#include <algorithm>
#include <array>

namespace kutrace::cli {

namespace {

struct Topic {
  std::string_view name;
  std::string_view text;
};

constexpr std::string_view kQuestions = R"(Which command answers which question

First look:
  kutrace why trace.raw                             what is odd, most costly first
  kutrace report trace.raw -o out.html              the picture
  kutrace stat trace.raw                            CPUs and programs: time, delays, switches

Why was it slow?
  kutrace why --call fsync trace.raw                the slowest call: causes that add up to its time
  kutrace why --mark query --slowest 1% trace.raw   how slow ones differ from the others
  kutrace why --request recvfrom..sendto trace.raw  a request without marks
  kutrace why --at 1234@1.5s trace.raw              what this thread did or waited for then
  kutrace align web.raw db.raw -o both.raw          several machines on one clock

Who had the CPU or the lock?
  kutrace blame --wait ready trace.raw              who ran while others wanted the CPU
  kutrace locks trace.raw                           which locks, and who held them (--events +locks)

How often, how long?
  kutrace syscalls --name postgres trace.raw        system calls: errors, percentiles, waits
  kutrace syscalls --text trace.raw                 call by call, as strace shows them
  kutrace profile trace.raw                         time by CPU, thread and name
  kutrace count 'syscall:read, by comm'             counted in the kernel, without a trace
  kutrace query trace.raw 'select * from threads'   anything else, in SQL

What changed? What does recording cost? Is the trace complete?
  kutrace diff before.raw after.raw                 more calls, or slower ones
  kutrace overhead -- ./program                     the cost of recording this program
  kutrace check trace.raw                           does every nanosecond add up?
)";

constexpr std::string_view kTimes = R"(How to write times and windows of time

A time without a unit is in seconds: 1.5. Units are h, m, s, ms, us and ns: 1.5s,
20ms, 300us, 250ns, 5m.
Times count from the start of the recording.

  --from 1.2 --to 1.25       a window; either may be omitted
  --first 100ms, --last 2s   the first or last part of the recording
  --label query              from each mark "query" to the next mark "/query"
  --around query+-5ms        this much before and after each mark "query"

trim, export, stat, syscalls, blame, locks, why, profile and diff take these; svg takes --from, --to
and --around:
  kutrace trim --from 1.2 --to 1.25 trace.raw -o slow.html
  kutrace stat --last 500ms trace.raw
  kutrace why --around query+-5ms trace.raw

Tables name the unit of every column. CSV and JSON have integer nanoseconds: executing_ns.
)";

constexpr std::string_view kFilters = R"(How to select CPUs, threads, processes and containers

In a trace, with trim, export, stat, syscalls, blame, locks, why, profile and diff; all conditions
must hold. svg takes --pid and --name. For other commands, trim the trace first:
  --cpu 0-3,8                these CPUs
  --pid 1234,1240            these threads, and all threads of these processes
  --name 'postgres*'         threads that had such a name
  --cgroup '*/nginx.service' processes in such a control group; or in a container, by its ID or the
                             first 12 digits of it; or in a pod, by its UID
  --children                 also the processes that the selected ones started

* and ? match any characters; a backslash before *, ?, [, a comma or a backslash takes it as it is:
--name 'w\*' is the name w*. --name and --cgroup take one pattern each time they are given.
Execution of others becomes "hidden", so sums still add up.
  kutrace stat --by container --name 'nginx*' trace.raw
  kutrace trim --pid 1234 --children trace.raw -o server.html

While recording, so that the file stays small and other threads cost next to nothing:
  kutrace record --pid 1234 --duration 5s
  kutrace record --unit nginx --duration 5s
  kutrace record --follow -- make -j4
  kutrace record --comm 'nginx,worker*,a\,b' --duration 5s

--comm takes a list: a comma divides it, "\," is one in a name. Only a * at its end matches more.

Which events are recorded:
  kutrace record --events +locks,+disk -- ./program   also these groups
  kutrace record --events syscalls -- ./program       only these, and context switches
)";

constexpr std::string_view kFormats = R"(Input and output formats

Input, recognised by content, compressed with gzip or zstd or not; - is standard input:
  raw traces of kutrace and of KUtrace, KUtrace's span JSON and pages, kutrace's pages, containers,
  and files of other tools: trace.dat (trace-cmd), perf.data (perf), Perfetto traces, CTF folders
  (LTTng, perf data convert), Chrome's JSON, text of events

Output, chosen by the suffix of -o:
  .raw .trace                a raw trace (trim, raw cut), with everything that was recorded
  .html                      a page, which opens in any browser without a network
  .kux                       a container: only the data of a page, of any size; drop it on a page
  .json                      span JSON, for KUtrace's tools
  .svg                       a picture of a window
  .pftrace .chrome.json .folded .speedscope.json .pb.gz .parquet .csv .otlp.json
                             for other tools: see kutrace export --help

  kutrace report trace.raw -o out.html
  kutrace export trace.raw -o out.pftrace
  kutrace svg --from 1.2 --to 1.21 trace.raw -o slow.svg

Tables are for people; --format json and --format csv are for programs.
A file appears whole or not at all, and no command overwrites its input.
)";

constexpr std::string_view kExitCodes = R"(Exit codes

    0   done
    1   done, with findings: for example check found something that does not add up, or
        diff --fail-over a growth beyond the limit
    2   usage: an unknown command or option, an argument that makes no sense
    3   the input cannot be used: not a trace, damaged, nothing matches
    4   this machine cannot do it: no permission, no kernel feature
    5   the output cannot be written, or not at its destination
    6   not enough memory
   70   a bug in kutrace
  130   interrupted

kutrace record -- COMMAND exits with the status of COMMAND; 127 or 126 if it cannot be run.

An error is one line on standard error; "because:" lines give its causes, a "hint:" line the next
step. Results go to standard output, everything else to standard error. With -q, record and flight
print only warnings and errors, check prints nothing.

  kutrace check -q trace.raw || echo "does not add up, or is not a trace"
  kutrace diff --fail-over 5% before.raw after.raw
)";

constexpr std::array<Topic, 5> kTopics = {{{"questions", kQuestions},
                                           {"times", kTimes},
                                           {"filters", kFilters},
                                           {"formats", kFormats},
                                           {"exit-codes", kExitCodes}}};

}  // namespace

std::string_view help_topic(std::string_view name) {
  const auto* const found = std::ranges::find(kTopics, name, &Topic::name);
  return found == kTopics.end() ? std::string_view() : found->text;
}

std::vector<std::string_view> help_topic_names() {
  std::vector<std::string_view> names;
  for (const Topic& topic : kTopics) names.push_back(topic.name);
  return names;
}

}  // namespace kutrace::cli
