// SPDX-License-Identifier: BSD-3-Clause
// Where time went of a process that the kernel kept count of, too: /proc, read as its last act,
// says the same of its switches and of its time on a CPU, but for what it does afterwards.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "live/live_support.h"

namespace kutrace::live {

namespace {

// Sleeps, and uses the CPU in between; at its end, what /proc has of it.
constexpr const char* kProgram =
    "python3 -c '"
    "import time, os\n"
    "for i in range(100):\n"
    "    time.sleep(0.001)\n"
    "    sum(range(20000))\n"
    "status = open(\"/proc/self/status\").read().split()\n"
    "told = open(\"/proc/self/schedstat\").read().split()\n"
    "print(\"pid=%d\" % os.getpid())\n"
    "print(\"voluntary=\" + status[status.index(\"voluntary_ctxt_switches:\") + 1])\n"
    "print(\"involuntary=\" + status[status.index(\"nonvoluntary_ctxt_switches:\") + 1])\n"
    "print(\"run=\" + told[0])'";

const std::string kHidden = "repair: unseen_switch ";

constexpr std::size_t kName = 1;  // columns
constexpr std::size_t kNumber = 2;

// Fields of the line that has this in that column, by the names in the head.
std::map<std::string, std::string> line_of(const std::string& csv, std::size_t column,
                                           const std::string& value) {
  std::istringstream lines(csv);
  std::vector<std::string> head;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
    if (head.empty()) head = fields;
    if (fields.size() <= kNumber || fields[column] != value) continue;
    std::map<std::string, std::string> found;
    for (std::size_t i = 0; i < fields.size(); ++i) found[head[i]] = fields[i];
    return found;
  }
  return {};
}

// Of a whole column.
std::int64_t column_sum(const std::string& csv, const std::string& name) {
  std::istringstream lines(csv);
  std::string head;
  std::getline(lines, head);
  const auto place = std::ranges::count(head.substr(0, head.find("," + name + ",") + 1), ',');
  std::int64_t sum = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string field;
    for (std::int64_t i = 0; i <= place; ++i) std::getline(in, field, ',');
    sum += std::stoll(field);
  }
  return sum;
}

// Two processes in a control group of their own, made for them and named as docker names that of a
// container: they wait for a word, work, and stay until the end. What the kernel charged the group
// is read while they wait, before and after.
constexpr const char* kInGroup = R"sh(
group=$(printf docker-%012x%052d.scope $$ 0)
if [ -d /sys/fs/cgroup/cpuacct ]; then
  places="/sys/fs/cgroup/cpu/$group /sys/fs/cgroup/cpuacct/$group"
  charged() { cat /sys/fs/cgroup/cpuacct/$group/cpuacct.usage; }
else
  places=/sys/fs/cgroup/$group
  charged() { sed -n 's/^usage_usec \(.*\)/\1000/p' $places/cpu.stat; }
fi
mkdir $places || { echo "refused=1"; exit 0; }
mkfifo $FOLDER/go1 $FOLDER/go2
work='for place in '"$places"'; do echo $$ > $place/cgroup.procs; done
  read word < '$FOLDER'/go$1; i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; exec sleep 30'
sh -c "$work" sh 1 & one=$!
sh -c "$work" sh 2 & two=$!
sleep 0.5
before=$(charged)
$KUTRACE record -q -o $FOLDER/group.raw -- sh -c "echo > $FOLDER/go1; echo > $FOLDER/go2; sleep 2"
after=$(charged)
kill $one $two
wait
rmdir $places
echo "charged=$((after - before))"
echo "$group" > $FOLDER/name
)sh";

// A loop that moves from one control group to another while it is recorded.
constexpr const char* kMoves = R"sh(
top=/sys/fs/cgroup
if [ -d $top/cpuacct ]; then top=$top/cpu; fi
first=kutrace-first-$$ last=kutrace-last-$$
mkdir $top/$first $top/$last || { echo "refused=1"; exit 0; }
sh -c 'echo $$ > '$top/$first'/cgroup.procs; while :; do :; done' & loop=$!
sleep 0.3
$KUTRACE record -q -o $FOLDER/moves.raw -- \
  sh -c "sleep 0.3; echo $loop > $top/$last/cgroup.procs; sleep 0.3"
kill $loop
wait $loop
rmdir $top/$first $top/$last
echo "$first $last" > $FOLDER/name
echo "loop=$loop"
)sh";

// A loop in a control group that has a fifth of a CPU. What the kernel counted of its throttling is
// read before and after.
constexpr const char* kThrottled = R"sh(
group=kutrace-throttled-$$
if [ -d /sys/fs/cgroup/cpuacct ]; then
  place=/sys/fs/cgroup/cpu/$group
  limit() { echo 100000 > $place/cpu.cfs_period_us && echo 20000 > $place/cpu.cfs_quota_us; }
  throttled() { sed -n 's/^throttled_time //p' $place/cpu.stat; }
else
  place=/sys/fs/cgroup/$group
  limit() { echo 20000 100000 > $place/cpu.max; }
  throttled() { sed -n 's/^throttled_usec \(.*\)/\1000/p' $place/cpu.stat; }
fi
mkdir $place && limit || { rmdir $place; echo "refused=1"; exit 0; }
sh -c 'echo $$ > '$place'/cgroup.procs; while :; do :; done' & loop=$!
sleep 0.5
before=$(throttled)
$KUTRACE record -q -o $FOLDER/throttled.raw -- sleep 1
after=$(throttled)
kill $loop
wait
rmdir $place
echo "throttled=$((after - before))"
echo "loop=$loop"
echo "/$group" > $FOLDER/name
)sh";

// Switches that the kernel hid from the recorder and the reader found missing: some virtual
// machines keep threads of their own out of every tracer's sight.
std::int64_t hidden_switches(const std::string& trace) {
  const std::string found = shell("$KUTRACE check " + trace).out;
  const std::size_t at = found.find(kHidden);
  return at == std::string::npos ? 0 : std::stoll(found.substr(at + kHidden.size()));
}

}  // namespace

TEST_CASE("switches and time on a CPU are those that the kernel counted", "[stat]") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("stat.raw");
  const Outcome outcome = shell("$KUTRACE record -o " + trace + " -- " + kProgram);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto told = values(outcome.out);
  const std::string pid = std::to_string(told.at("pid"));
  const Outcome summed = shell("$KUTRACE stat --by thread --format csv --pid " + pid + " " + trace);
  REQUIRE(summed.status == 0);
  auto row = line_of(summed.out, kNumber, pid);
  REQUIRE_FALSE(row.empty());
  // Switches between the reading and the end, on a busy machine.
  constexpr std::int64_t kAfterwards = 30;
  const std::int64_t hidden = hidden_switches(trace);
  const std::int64_t voluntary = std::stoll(row["voluntary"]);
  const std::int64_t involuntary = std::stoll(row["involuntary"]);
  CHECK(told.at("voluntary") >= 100);
  CHECK(voluntary >= told.at("voluntary") - hidden);
  CHECK(voluntary <= told.at("voluntary") + kAfterwards);
  CHECK(involuntary >= told.at("involuntary") - hidden);
  CHECK(involuntary <= told.at("involuntary") + kAfterwards);
  const Outcome by_cpu = shell("$KUTRACE stat --by cpu --format csv --pid " + pid + " " + trace);
  REQUIRE(by_cpu.status == 0);
  CHECK(column_sum(by_cpu.out, "switches") == std::stoll(row["switches"]));
  const std::int64_t executing = std::stoll(row["executing_ns"]);
  CHECK(executing >= told.at("run"));
  CHECK(executing == std::stoll(row["user_ns"]) + std::stoll(row["kernel_ns"]) +
                         std::stoll(row["interrupts_ns"]));
}

TEST_CASE("a control group's time is what the kernel charged it", "[stat]") {
  if (!can_record()) return;
  const Folder folder;
  const Outcome outcome = shell("FOLDER=" + folder.file(".") + "; " + kInGroup);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto told = values(outcome.out);
  if (told.contains("refused")) return skip("no control group can be made here");
  const std::string group = read_file(folder.file("name"));
  const std::string path = "/" + group.substr(0, group.find('\n'));
  const std::string trace = folder.file("group.raw");
  const Outcome summed = shell("$KUTRACE stat --by cgroup --format csv " + trace);
  REQUIRE(summed.status == 0);
  auto row = line_of(summed.out, kName, path);
  REQUIRE_FALSE(row.empty());
  CHECK(row["id"] == "2");  // threads
  // Interrupts on top of it, and what it does before and after the recording, are charged to it.
  const std::int64_t executing = std::stoll(row["executing_ns"]);
  const Outcome profiled = shell("$KUTRACE profile --by cgroups --format csv " + trace);
  REQUIRE(profiled.status == 0);
  CHECK(std::stoll(line_of(profiled.out, 2, path)["executing_ns"]) == executing);
  CHECK(executing > told.at("charged") * 9 / 10);
  CHECK(executing < told.at("charged") * 11 / 10);
  const Outcome chosen =
      shell("$KUTRACE stat --by process --format csv --cgroup " + path + " " + trace);
  REQUIRE(chosen.status == 0);
  // Both have become sleep; the recorded command's own is in no such group.
  const auto members = [&chosen](const std::string& name) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = chosen.out.find(name, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  CHECK(members("process,sleep.") == 2);
  CHECK(members("process,kutrace.") == 0);
  // Its container is all of it.
  const std::string container = path.substr(std::string("/docker-").size(), 12);
  const auto of_container = [&](const std::string& command, std::size_t column) {
    const Outcome told_by = shell("$KUTRACE " + command + " --format csv " + trace);
    REQUIRE(told_by.status == 0);
    auto found = line_of(told_by.out, column, container);
    return found.empty() ? -1 : std::stoll(found["executing_ns"]);
  };
  CHECK(of_container("stat --by container", kName) == executing);
  CHECK(of_container("profile --by containers", 2) == executing);
  CHECK(of_container("profile --by containers --cgroup " + container, 2) == executing);
  CHECK(shell("$KUTRACE profile --cgroup 'docker-*ffff' " + trace).status == 3);
  // What its threads waited for is what SQL says of their waits, and all groups are all waits.
  const auto blamed = [&trace](const std::string& options, const std::string& cgroup) {
    std::int64_t sum = 0;
    const Outcome summed_up = shell("$KUTRACE blame --format csv " + options + " " + trace);
    REQUIRE(summed_up.status == 0);
    std::istringstream lines(summed_up.out);
    std::string line;
    for (std::getline(lines, line); std::getline(lines, line);) {
      const std::size_t last = line.rfind(',');
      const bool is_wanted = cgroup.empty() || line.substr(last + 1) == cgroup;
      if (!is_wanted) continue;
      // ...,total_ns,longest_ns,cgroup
      const std::size_t longest = line.rfind(',', last - 1);
      sum += std::stoll(line.substr(line.rfind(',', longest - 1) + 1));
    }
    return sum;
  };
  const auto in_sql = [&trace](const std::string& where) {
    const Outcome answered = shell("$KUTRACE query --format csv " + trace +
                                   " \"select sum(dur_ns) from waits " + where + "\"");
    REQUIRE(answered.status == 0);
    return std::stoll(answered.out.substr(answered.out.find('\n') + 1));
  };
  std::string pids;
  std::istringstream rows(chosen.out);
  for (std::string line; std::getline(rows, line);) {
    const std::size_t at = line.find("process,sleep.");
    if (at == std::string::npos) continue;
    pids += (pids.empty() ? "" : ",") + line.substr(at + 14, line.find(',', at + 14) - at - 14);
  }
  const std::int64_t of_group = blamed("--by cgroup", path);
  CHECK(of_group > 0);
  CHECK(of_group == in_sql("where pid in (" + pids + ")"));
  CHECK(blamed("--by cgroup", "") == in_sql(""));
  CHECK(blamed("--by container", container) == of_group);
  CHECK(of_group == in_sql("where container = '" + container + "'"));
  CHECK(of_group == in_sql("where cgroup = '" + path + "'"));
  CHECK(blamed("--by pod", "-") + blamed("--by pod", "?") == in_sql("where pod is null"));
}

TEST_CASE("a control group that used up its quota is said to have been throttled", "[stat]") {
  if (!can_record()) return;
  const Folder folder;
  const Outcome outcome = shell("FOLDER=" + folder.file(".") + "; " + kThrottled);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto told = values(outcome.out);
  if (told.contains("refused")) return skip("no control group can be given a quota here");
  std::string path = read_file(folder.file("name"));
  path.resize(path.find('\n'));
  const std::string trace = folder.file("throttled.raw");
  const std::string summed = shell("$KUTRACE stat --by cgroup --format csv " + trace).out;
  auto row = line_of(summed, kName, path);
  REQUIRE_FALSE(row.empty());
  // What the kernel counts comes to it when a period ends, so either may know of one more.
  const std::int64_t throttled = std::stoll(row["throttled_ns"]);
  CHECK(throttled > 100'000'000);
  CHECK(throttled <= told.at("throttled"));
  CHECK(std::stoll(row["throttled_periods"]) <= std::stoll(row["periods"]));
  CHECK(std::stoll(row["throttled_periods"]) >= 2);
  // The loop could have run all the time.
  const std::string of_threads = shell("$KUTRACE stat --by thread --format csv " + trace).out;
  auto loop = line_of(of_threads, kNumber, std::to_string(told.at("loop")));
  CHECK(std::stoll(loop["ready_ns"]) > throttled / 2);
  const Outcome why = shell("$KUTRACE why --format csv " + trace);
  CHECK(why.out.find("throttled,") != std::string::npos);
  CHECK(why.out.find("the control group " + path + " had used up its quota") != std::string::npos);
  CHECK(shell("$KUTRACE stat --by cgroup " + trace).out.find("throttled ") != std::string::npos);
}

TEST_CASE("a process that is moved counts for each control group as long as it is there") {
  if (!can_record()) return;
  const Folder folder;
  const Outcome outcome = shell("FOLDER=" + folder.file(".") + "; " + kMoves);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto told = values(outcome.out);
  if (told.contains("refused")) return skip("no control group can be made here");
  std::istringstream groups(read_file(folder.file("name")));
  std::string first;
  std::string last;
  groups >> first >> last;
  const std::string trace = folder.file("moves.raw");
  const Outcome summed = shell("$KUTRACE stat --by cgroup --format csv " + trace);
  CHECK(summed.err.find("moved to another") == std::string::npos);
  const std::string threads = shell("$KUTRACE stat --by thread --format csv " + trace).out;
  const std::string loop = std::to_string(told.at("loop"));
  const std::int64_t all = std::stoll(line_of(threads, kNumber, loop)["executing_ns"]);
  std::int64_t in_groups = 0;
  for (const std::string& group : {first, last}) {
    const std::int64_t executing =
        std::stoll(line_of(summed.out, kName, "/" + group)["executing_ns"]);
    CHECK(executing > all / 5);
    in_groups += executing;
    const Outcome chosen =
        shell("$KUTRACE stat --by thread --format csv --cgroup " + group + " " + trace);
    CHECK(std::stoll(line_of(chosen.out, kNumber, loop)["executing_ns"]) == executing);
  }
  CHECK(in_groups == all);
}

}  // namespace kutrace::live
