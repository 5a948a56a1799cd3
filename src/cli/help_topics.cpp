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
  kutrace why --call fsync trace.raw                the slowest call: its causes add up to its time
  kutrace why --mark query --slowest 1% trace.raw   what the slow ones have that others do not
  kutrace why --request recvfrom..sendto trace.raw  a request without marks
  kutrace why --at 1234@1.5s trace.raw              what this thread did, or waited for, then
  kutrace align web.raw db.raw -o both.raw          it went to another machine: both on one clock

Who had what I wanted?
  kutrace blame --wait ready trace.raw              who ran while others wanted the CPU
  kutrace locks trace.raw                           which, and who held them (--events +locks)

How often, how long?
  kutrace syscalls --name postgres trace.raw        calls, errors, percentiles, waits
  kutrace syscalls --text trace.raw                 call by call, as strace shows them
  kutrace profile trace.raw                         time by CPU, thread and name
  kutrace count 'syscall:read, by comm'             counted in the kernel, without a trace
  kutrace query trace.raw 'select * from threads'   anything else, in SQL

What changed? What does it cost? Can I believe it?
  kutrace diff before.raw after.raw                 more calls, or slower calls
  kutrace overhead -- ./program                     what recording costs this program
  kutrace check trace.raw                           does every nanosecond add up?
)";

constexpr std::string_view kTimes = R"(How times and windows of time are written

A number alone is seconds: 1.5. Or it carries a unit: 1.5s, 20ms, 300us, 250ns. Moments are counted
from the start of the recording.

  --from 1.2 --to 1.25       a window; each may stand alone
  --first 100ms, --last 2s   the first, or the last, so much of the recording
  --label query              from each mark "query" to the next mark "/query"
  --around query+-5ms        so much before and after each mark "query"

trim, export and all commands that answer questions take these:
  kutrace trim --from 1.2 --to 1.25 trace.raw -o slow.html
  kutrace stat --last 500ms trace.raw
  kutrace why --around query+-5ms trace.raw

Tables name the unit of every column. CSV and JSON have whole nanoseconds: executing_ns.
)";

constexpr std::string_view kFilters = R"(How CPUs, threads, processes and containers are chosen

Of a trace, in trim, export and all commands that answer; of several kinds all must be true:
  --cpu 0-3,8                these CPUs
  --pid 1234,1240            these threads, and all threads of these processes
  --name 'postgres*'         threads that had such a name
  --cgroup '*/nginx.service' processes in such a control group; or a container by its number, or the
                             first 12 digits of it; or a pod by its UID
  --children                 and the processes that the chosen ones started

* and ? stand for anything. Execution of others becomes "hidden": the sums still add up.
  kutrace stat --by container --name 'nginx*' trace.raw
  kutrace trim --pid 1234 --children trace.raw -o server.html

While it is recorded, so that the file stays small and others cost next to nothing:
  kutrace record --pid 1234 --duration 5s
  kutrace record --unit nginx --duration 5s
  kutrace record --follow -- make -j4

Which events are recorded:
  kutrace record --events +locks,+disk -- ./program   these groups, too
  kutrace record --events syscalls -- ./program       only these, and context switches
)";

constexpr std::string_view kFormats = R"(What is read, what is written

Read by content, whatever the name says, packed with gzip or zstd or not, - for standard input:
  raw traces of kutrace and of KUtrace, KUtrace's span JSON and pages, kutrace's pages, containers,
  and of other tools trace.dat (trace-cmd), perf.data (perf), Perfetto traces, text of events,
  and folders of CTF (LTTng, perf data convert)

Written, by the suffix of -o:
  .raw .trace                a raw trace (trim, raw cut): all that was recorded
  .html                      a page, which opens in any browser without a network
  .kux                       a container: the page's data alone, of any size; drop it on a page
  .json                      span JSON, for KUtrace's tools
  .svg                       a picture of a window
  .pftrace .chrome.json .folded .speedscope.json .pb.gz .parquet .csv .otlp.json
                             for other tools: kutrace export --help says which

  kutrace report trace.raw -o out.html
  kutrace export trace.raw -o out.pftrace
  kutrace svg --from 1.2 --to 1.21 trace.raw -o slow.svg

Tables are text for people; --format json and --format csv are for programs.
A file appears whole or not at all, and no command replaces what it reads.
)";

constexpr std::string_view kExitCodes = R"(What the exit status means

    0   done
    1   done, and something was found: check, what does not add up; diff --fail-over, more than
        was allowed
    2   usage: an unknown command or option, an argument that makes no sense
    3   the input cannot be used: no trace, damaged, nothing in it that fits
    4   this machine cannot do it: no permission, no kernel feature
    5   the output cannot be written, or not where it was to be
    6   there is too little memory
   70   a bug in kutrace
  130   interrupted

kutrace record -- COMMAND exits with the status of COMMAND; 127 or 126 where it cannot be run.

An error is one line on standard error. "because:" lines say what lies behind it, a "hint:" line the
next step. Results go to standard output, everything else to standard error. Of
record and check, -q leaves only warnings and errors.

  kutrace check -q trace.raw || echo "does not add up, or is no trace"
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
