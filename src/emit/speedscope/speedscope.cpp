// SPDX-License-Identifier: BSD-3-Clause
// Frames are numbered as they appear; a stack is a list of such numbers.
#include "emit/speedscope/speedscope.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "model/default_title.h"

namespace kutrace::emit {

namespace {

class Frames {
 public:
  std::size_t number(const std::string& name) {
    const auto [at, is_new] = numbers_.emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return at->second;
  }
  std::string json() const {
    std::string text;
    for (const std::string& name : names_) {
      text += fmt::format("{}\n{{\"name\":\"{}\"}}", text.empty() ? "" : ",", json_printable(name));
    }
    return text;
  }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
};

struct Profile {
  std::string samples;
  std::string weights;
  Ns total = 0;

  void add(const std::vector<std::size_t>& stack, Ns time) {
    const char* const between = samples.empty() ? "" : ",";
    samples += fmt::format("{}\n[{}]", between, fmt::join(stack, ","));
    weights += fmt::format("{}{}", between, time);
    total += time;
  }
  std::string json(const char* name) const {
    return fmt::format(
        "\n{{\"type\":\"sampled\",\"name\":\"{}\",\"unit\":\"nanoseconds\",\"startValue\":0,"
        "\"endValue\":{},\n\"samples\":[{}],\n\"weights\":[{}]}}",
        name, total, samples, weights);
  }
};

}  // namespace

Status SpeedscopeSink::finish(const TraceInfo& info) {
  Frames frames;
  Profile running;
  Profile waiting;
  for (std::size_t node = 0; node < sums().nodes().size(); ++node) {
    const StackSums::Node& stack = sums().nodes()[node];
    if (stack.time == 0) continue;
    std::vector<std::size_t> numbers;
    for (const std::string& frame : sums().frames(node)) numbers.push_back(frames.number(frame));
    (stack.wait ? waiting : running).add(numbers, stack.time);
  }
  take(fmt::format(
      "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
      "\"exporter\":\"kutrace\",\"name\":\"{}\",\n\"shared\":{{\"frames\":[{}]}},\n\"profiles\":[{"
      "}",
      json_printable(default_title(info)), frames.json(), running.json("CPUs")));
  if (waiting.total != 0) take("," + waiting.json("waits of threads"));
  take("],\n\"activeProfileIndex\":0}\n");
  return {};
}

}  // namespace kutrace::emit
