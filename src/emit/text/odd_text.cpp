// SPDX-License-Identifier: BSD-3-Clause
// Formatting what is odd.
#include "emit/text/odd_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/counted.h"
#include "base/json_text.h"
#include "base/shell_word.h"
#include "emit/stream/csv_field.h"
#include "emit/text/table_numbers.h"
#include "emit/text/wrapped_lines.h"
#include "odd/unseen.h"

namespace kutrace::emit {

namespace {

// Of one detector; CSV and JSON have all.
constexpr std::size_t kMostShown = 3;

std::string command_of(const OddFinding& one, const OddAnswer& answer) {
  return fmt::format("kutrace {} {}", one.finding.command, shell_word(answer.file));
}

// What stands behind a page's address to open it there: a tenth of the time before and behind the
// range, which is selected.
std::string page_of(const OddFinding& one) {
  const auto& [begin, end] = one.finding.when;
  const Ns margin = (end - begin) / 10;
  return fmt::format("#t={},{}&range={},{}", std::max<Ns>(0, begin - margin), end + margin, begin,
                     end);
}

void story_of(const OddFinding& one, std::size_t number, const OddAnswer& answer,
              const LineSink& line) {
  const odd::Finding& finding = one.finding;
  line("");
  line(fmt::format("{}. {}: {} lost", number, finding.kind->name, odd::lasting(finding.cost)));
  wrapped(finding.words + ".", 3, answer.width, line);
  line("   " + command_of(one, answer));
  line(fmt::format("   page: {:.9f} s to {:.9f} s{}, {}", seconds(finding.when.begin),
                   seconds(finding.when.end), one.subject.empty() ? "" : ", row " + one.subject,
                   page_of(one)));
}

// Of what it needs. That a detector found something shows that it could look.
odd::Unseen unseen_by(const odd::DetectorKind& kind, const OddAnswer& answer) {
  const auto kind_of = [](const OddFinding& one) { return one.finding.kind; };
  if (std::ranges::find(answer.findings, &kind, kind_of) != answer.findings.end()) return {};
  return odd::unseen_by(kind, answer.facts, answer.frequencies);
}

// What detectors look for, by what keeps them from finding it; the first of several counts.
struct LookedFor {
  std::vector<std::string> seen;
  std::vector<std::string> of_threads;
  std::vector<std::string> of_groups;
  std::vector<std::string> of_frequencies;
  std::vector<std::string> of_quotas;
  std::vector<std::string> of_ended_groups;
  std::vector<std::string> of_recorder;
  EventGroups groups;  // that are missing

  explicit LookedFor(const OddAnswer& answer) {
    for (const odd::DetectorKind* kind : odd::detectors()) {
      const odd::Unseen unseen = unseen_by(*kind, answer);
      list_for(unseen).emplace_back(kind->looks_for);
      if (!unseen.threads) groups = groups.with(unseen.groups);
    }
  }

 private:
  std::vector<std::string>& list_for(const odd::Unseen& unseen) {
    if (unseen.threads) return of_threads;
    if (!unseen.groups.empty()) return of_groups;
    if (unseen.frequencies) return of_frequencies;
    if (unseen.quotas) return of_quotas;
    if (unseen.ended_groups) return of_ended_groups;
    return unseen.recorder ? of_recorder : seen;
  }
};

// "Looked for threads that ...; lock convoys."
void list(const std::string& words, const std::vector<std::string>& what, const OddAnswer& answer,
          const LineSink& line) {
  if (what.empty()) return;
  wrapped(fmt::format("{} {}.", words, fmt::join(what, "; ")), 0, answer.width, line);
}

void not_looked_for(const LookedFor& looked_for, const OddAnswer& answer, const LineSink& line) {
  list("The trace has only some threads, so these cannot be found:", looked_for.of_threads, answer,
       line);
  list(fmt::format("Not recorded: {} (kutrace record has them), so few or none of these can be "
                   "found:",
                   fmt::join(looked_for.groups.names(), ", ")),
       looked_for.of_groups, answer, line);
  list(
      "The trace tells no frequencies of CPUs (kutrace record has them where the kernel tells "
      "them), so these cannot be found:",
      looked_for.of_frequencies, answer, line);
  list(
      "The trace does not tell control groups (kutrace record has them), so these cannot be found:",
      looked_for.of_quotas, answer, line);
  list(
      "A control group with a quota of CPU time ended during the recording (kutrace record "
      "--events +counters reads it until then), so these may be missed:",
      looked_for.of_ended_groups, answer, line);
  list("The trace does not tell who recorded it (kutrace record does), so this cannot be found:",
       looked_for.of_recorder, answer, line);
}

std::string looked_at(const OddAnswer& answer) {
  return fmt::format("{:.6f} s on {}", seconds(answer.recorded),
                     counted(answer.cpus, "CPU", "CPUs"));
}

void findings_of(const OddAnswer& answer, const LineSink& line) {
  line(fmt::format("{} in {}, most costly first.",
                   counted(answer.findings.size(), "odd thing", "odd things"), looked_at(answer)));
  std::map<std::string, std::size_t> shown;
  std::size_t number = 0;
  for (const OddFinding& one : answer.findings) {
    if (++shown[one.finding.kind->name] <= kMostShown) story_of(one, ++number, answer, line);
  }
  for (const auto& [name, count] : shown) {
    if (count <= kMostShown) continue;
    line("");
    line(fmt::format("And {} more of {}, which --format csv has.", grouped(count - kMostShown),
                     name));
  }
}

}  // namespace

void odd_story(const OddAnswer& answer, const LineSink& line) {
  const LookedFor looked_for(answer);
  if (answer.findings.empty()) {
    list(fmt::format("Found nothing odd in {}. Looked for", looked_at(answer)), looked_for.seen,
         answer, line);
  } else {
    findings_of(answer, line);
    if (looked_for.seen.size() < odd::detectors().size()) line("");
  }
  not_looked_for(looked_for, answer, line);
}

void odd_csv(const OddAnswer& answer, const LineSink& line) {
  line("detector,cost_ns,begin_ns,end_ns,subject,pid,cpu,text,command,page");
  for (const OddFinding& one : answer.findings) {
    const odd::Finding& finding = one.finding;
    line(fmt::format("{},{},{},{},{},{},{},{},{},{}", finding.kind->name, finding.cost,
                     finding.when.begin, finding.when.end, csv_field(one.subject),
                     one.pid == kNoPid ? "" : fmt::format("{}", one.pid),
                     finding.cpu == kNoCpu ? "" : fmt::format("{}", finding.cpu),
                     csv_field(finding.words), csv_field(command_of(one, answer)),
                     csv_field(page_of(one))));
  }
}

std::string odd_json(const OddAnswer& answer) {
  JsonText json;
  json.begin_answer("odd/1").key("recorded_ns").value(answer.recorded);
  json.key("cpus").value(static_cast<std::uint64_t>(answer.cpus));
  json.key("looked_for").begin_array();
  for (const odd::DetectorKind* kind : odd::detectors()) {
    if (!unseen_by(*kind, answer).any()) json.value(kind->name);
  }
  json.end_array().key("not_looked_for").begin_array();
  for (const odd::DetectorKind* kind : odd::detectors()) {
    const odd::Unseen unseen = unseen_by(*kind, answer);
    if (!unseen.any()) continue;
    json.begin_object().key("detector").value(kind->name).key("lacks").begin_array();
    if (unseen.threads) json.value("threads");
    for (const std::string& group : unseen.groups.names()) json.value(group);
    if (unseen.frequencies) json.value("frequencies");
    if (unseen.quotas || unseen.ended_groups) json.value("quotas");
    if (unseen.recorder) json.value("recorder");
    json.end_array().end_object();
  }
  json.end_array().key("findings").begin_array();
  for (const OddFinding& one : answer.findings) {
    const odd::Finding& finding = one.finding;
    json.begin_object().key("detector").value(finding.kind->name);
    json.key("cost_ns").value(finding.cost);
    json.key("begin_ns").value(finding.when.begin);
    json.key("end_ns").value(finding.when.end);
    if (!one.subject.empty()) json.key("subject").value(one.subject);
    if (one.pid != kNoPid) json.key("pid").value(one.pid);
    if (finding.cpu != kNoCpu) json.key("cpu").value(finding.cpu);
    json.key("text").value(finding.words);
    json.key("command").value(command_of(one, answer));
    json.key("page").value(page_of(one)).end_object();
  }
  json.end_array().end_object();
  return json.text();
}

void odd_list(const LineSink& line) {
  for (const odd::DetectorKind* kind : odd::detectors()) {
    line(fmt::format("{}: {}", kind->name, kind->looks_for));
    wrapped(kind->trigger(), 4, kTextWidth, line);
  }
}

void odd_list_csv(const LineSink& line) {
  line("detector,looks_for,trigger");
  for (const odd::DetectorKind* kind : odd::detectors()) {
    line(fmt::format("{},{},{}", kind->name, csv_field(kind->looks_for),
                     csv_field(kind->trigger())));
  }
}

std::string odd_list_json() {
  JsonText json;
  json.begin_array();
  for (const odd::DetectorKind* kind : odd::detectors()) {
    json.begin_object().key("detector").value(kind->name);
    json.key("looks_for").value(kind->looks_for);
    json.key("trigger").value(kind->trigger()).end_object();
  }
  json.end_array();
  return json.text();
}

}  // namespace kutrace::emit
