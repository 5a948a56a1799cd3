// SPDX-License-Identifier: BSD-3-Clause
// Frames are numbered as they appear; a stack is a list of such numbers.
#include "emit/speedscope/speedscope.h"

#include <fmt/format.h>

#include <span>
#include <string>

#include "base/text.h"
#include "emit/stream/decimal.h"
#include "emit/stream/stack_frames.h"
#include "emit/stream/text_buffer.h"
#include "model/default_title.h"

namespace kutrace::emit {

namespace {

struct Profile {
  std::string samples;
  std::string weights;
  Ns total = 0;

  void add(std::span<const std::uint32_t> stack, Ns time) {
    if (!samples.empty()) {
      samples += ',';
      weights += ',';
    }
    samples += "\n[";
    for (const std::uint32_t& frame : stack) {
      if (&frame != stack.data()) samples += ',';
      append_decimal(samples, frame);
    }
    samples += ']';
    append_decimal(weights, time);
    total += time;
  }
  void write(const char* name, TextBuffer& to) const {
    to.text("\n{\"type\":\"sampled\",\"name\":\"").text(name);
    to.text(R"(","unit":"nanoseconds","startValue":0,"endValue":)").number(total);
    to.text(",\n\"samples\":[").text(samples).text("],\n\"weights\":[").text(weights).text("]}");
  }
};

}  // namespace

Status SpeedscopeSink::finish(const TraceInfo& info) {
  StackFrames frames(sums());
  Profile running;
  Profile waiting;
  for (std::size_t node = 0; node < sums().nodes().size(); ++node) {
    const StackSums::Node& stack = sums().nodes()[node];
    if (stack.time != 0) (stack.wait ? waiting : running).add(frames.of(node), stack.time);
  }
  TextBuffer json([this](std::string_view bytes) { return take(bytes); });
  json.text(
      fmt::format("{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                  "\"exporter\":\"kutrace\",\"name\":\"{}\",\n\"shared\":{{\"frames\":[",
                  json_printable(default_title(info))));
  for (const std::string& name : frames.texts()) {
    if (&name != frames.texts().data()) json.byte(',');
    json.text("\n{\"name\":\"").text(json_printable(name)).text("\"}");
  }
  json.text("]},\n\"profiles\":[");
  running.write("CPUs", json);
  if (waiting.total != 0) waiting.write("waits of threads", json.byte(','));
  json.text("],\n\"activeProfileIndex\":0}\n");
  json.hand_over();
  return {};
}

}  // namespace kutrace::emit
