// SPDX-License-Identifier: BSD-3-Clause
// Places of rows, see figure_layout.h.
#include "emit/figure/figure_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/thread_label.h"

namespace kutrace::emit {
namespace {

constexpr int kHeadingHeight = 22;
constexpr int kThreadHeight = 24;
constexpr int kLeastPlot = 100;

int cpu_height(std::size_t cpus) {
  return cpus <= 4 ? 50 : cpus <= 8 ? 38 : cpus <= 24 ? 28 : cpus <= 48 ? 18 : 12;
}

std::string label_of(Pid pid, const FigureSurvey& survey, const TraceInfo& info,
                     const NameTable& names) {
  const auto found = info.threads.find(pid);
  NameId name = found == info.threads.end() ? kNoName : found->second.name;
  if (name == kNoName) name = survey.user_name(pid);
  return thread_label(names.text(name), pid, info.facts);
}

}  // namespace

FigureLayout::FigureLayout(const FigureOptions& options, TimeWindow shown,
                           const FigureSurvey& survey, const TraceInfo& info,
                           const NameTable& names)
    : window(shown),
      plot_width(std::max(kLeastPlot, options.width - kPlotLeft - kMargin)),
      scale(plot_width / static_cast<double>(window.end - window.begin)),
      sample_lane(options.samples && survey.has(SpanKind::kSample)),
      lock_lane(survey.has(SpanKind::kLockHeld) || survey.has(SpanKind::kLockWanted)) {
  const auto length = static_cast<double>(window.end - window.begin);
  if (options.cpus) {
    add({.label = fmt::format("CPUs ({})", info.cpus.size())}, kHeadingHeight);
    for (const CpuId cpu : info.cpus) {
      add({.sort = FigurePlace::Sort::kCpu,
           .label = fmt::format("CPU {}", cpu),
           .busy = static_cast<double>(survey.busy(cpu)) / length,
           .cpu = cpu},
          cpu_height(info.cpus.size()));
    }
  }
  const auto threads = survey.busiest(options);
  if (threads.empty()) return;
  add({.label = threads.size() < survey.threads()
                    ? fmt::format("Threads ({} of {})", threads.size(), survey.threads())
                    : fmt::format("Threads ({})", threads.size())},
      kHeadingHeight);
  for (const auto& [pid, time] : threads) {
    add({.sort = FigurePlace::Sort::kThread,
         .label = label_of(pid, survey, info, names),
         .busy = static_cast<double>(time) / length,
         .pid = pid},
        kThreadHeight);
  }
}

void FigureLayout::add(FigurePlace place, int height) {
  place.top = plot_height;
  place.height = height;
  plot_height += height;
  places.push_back(std::move(place));
}

int FigureLayout::lanes_of(const FigurePlace& place) const {
  if (place.sort == FigurePlace::Sort::kHeading) return 0;
  return (sample_lane ? 1 : 0) + (lock_lane && place.sort == FigurePlace::Sort::kThread ? 1 : 0);
}

}  // namespace kutrace::emit
