// SPDX-License-Identifier: BSD-3-Clause
// Writing the page.
#include "emit/text/diff_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/markup.h"
#include "base/text.h"
#include "emit/text/table_numbers.h"

namespace kutrace::emit {

namespace {

using reports::DiffBy;
using reports::DiffMeasure;
using reports::DiffRow;
using reports::DurationPowers;

constexpr std::string_view kHead = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; --back: #fff; --text: #16202b; --quiet: #566473; --line: #e3e8ed;
  --a: #98a6b5; --b: #3d8fd8; --more: #b3261e; --less: #1d7a3a; --head: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --back: #11151b; --text: #e6edf3; --quiet: #9aa8b7;
  --line: #262e3a; --a: #7b8a9a; --b: #58a6ee; --more: #ff8a80; --less: #7ee2a0; --head: #161b23; } }
body { margin: 0 auto; padding: 16px 24px 60px; background: var(--back); color: var(--text);
  font: 14px system-ui, sans-serif; max-width: 1700px; }
h1 { font-size: 20px; } h2 { font-size: 16px; margin: 28px 0 6px; }
.quiet, th { color: var(--quiet); font-weight: 500; }
.sides { border-collapse: collapse; } .sides td { padding: 2px 16px 2px 0; }
.key { display: inline-block; width: 26px; height: 11px; margin-right: 8px; }
table.rows { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums;
  font-size: 12.5px; }
.rows th, .rows td { text-align: right; padding: 3px 8px; border-bottom: 1px solid var(--line);
  white-space: nowrap; vertical-align: middle; }
.rows thead th { position: sticky; top: 0; background: var(--head); vertical-align: bottom; }
.rows th:first-child, .rows td:first-child { text-align: left; white-space: normal;
  overflow-wrap: anywhere; min-width: 130px; }
.rows td:first-child { font-weight: 600; }
.noise td { color: var(--quiet); } .noise td:first-child { font-weight: 400; }
.two { display: grid; grid-template-columns: 90px 1fr; gap: 1px 8px; align-items: center; }
.two i { display: block; height: 9px; min-width: 1px; } .two span { text-align: right; }
.pair span { display: block; line-height: 1.25; }
.a { background: var(--a); } .b { background: var(--b); }
.grew { color: var(--more); font-weight: 600; } .shrank { color: var(--less); font-weight: 600; }
svg { display: block; } svg .sa { fill: var(--a); opacity: 0.55; }
svg .sb { fill: none; stroke: var(--b); stroke-width: 1.6; }
svg text { fill: var(--quiet); font: 9px system-ui, sans-serif; }
summary { cursor: pointer; color: var(--quiet); margin: 6px 0; }
code { font-size: 12px; } a { color: var(--b); }
</style>
)html";

constexpr double kBar = 90;            // px, of the longest
constexpr double kWidth = 130;         // px, of all powers of two
constexpr std::size_t kFewPowers = 8;  // has room for so many
constexpr double kHeight = 30;         // px, of the tallest bucket
constexpr double kLegend = 11;         // px, below

std::string safe(std::string_view text) { return markup_escaped(printable(text)); }

std::string duration(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.4g} us", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.4g} ms", ns / 1e6);
  return fmt::format("{:.4g} s", ns / 1e9);
}

// "+3.1 %", "new", "gone".
std::string growth(const DiffMeasure& measure) {
  if (measure.before == 0 && measure.after == 0) return "";
  if (measure.before == 0) return "new";
  return measure.after == 0 ? "gone" : fmt::format("{:+.1f} %", measure.growth());
}

// Coloured where it is more than noise.
std::string growth_cell(const DiffMeasure& measure, bool noise) {
  const char* const style = !measure.changed ? "" : measure.change() > 0 ? "grew" : "shrank";
  const char* const mark = noise && measure.tested && !measure.changed ? " ~" : "";
  return fmt::format(R"(<td><span class="{}">{}{}</span></td>)", style, growth(measure), mark);
}

std::string pair_cell(const std::string& before, const std::string& after) {
  return fmt::format(R"(<td class="pair"><span>{}</span><span>{}</span></td>)", before, after);
}

// How many of a power of two there were, as a share of the most of either side.
class Shape {
 public:
  Shape(DurationPowers powers, double per) : powers_(std::move(powers)), per_(per) {}

  double at(std::size_t power) const {
    if (power < powers_.first || power - powers_.first >= powers_.counts.size()) return 0;
    return static_cast<double>(powers_.counts[power - powers_.first]) / per_;
  }
  std::size_t begin() const { return powers_.first; }
  std::size_t end() const { return powers_.first + powers_.counts.size(); }

 private:
  DurationPowers powers_;
  double per_;
};

Ns from_power(std::size_t power) { return power == 0 ? 0 : Ns{1} << (power - 1); }

// A as areas, B as a line over them.
std::string distribution(const DiffRow& row, const DiffTold& told) {
  const auto per = [&](const DiffSideTold& side) {
    return told.totals ? static_cast<double>(side.runs) : std::max(1e-9, seconds(side.recorded));
  };
  const Shape a(row.before.durations.powers(), per(told.before));
  const Shape b(row.after.durations.powers(), per(told.after));
  const bool has_a = row.before.count != 0;
  const bool has_b = row.after.count != 0;
  if (!has_a && !has_b) return "";
  const std::size_t first = !has_a   ? b.begin()
                            : !has_b ? a.begin()
                                     : std::min(a.begin(), b.begin());
  const std::size_t last = !has_a ? b.end() : !has_b ? a.end() : std::max(a.end(), b.end());
  double most = 0;
  for (std::size_t i = first; i < last; ++i) most = std::max({most, a.at(i), b.at(i)});
  if (most == 0) return "";
  const std::size_t powers = std::max(last - first, kFewPowers);
  const double bucket = kWidth / static_cast<double>(powers);
  std::string out = fmt::format(R"(<svg width="{0:.0f}" height="{1:.0f}" role="img">)", kWidth,
                                kHeight + kLegend);
  out += "<title>";
  std::string line = fmt::format("M0 {:.1f}", kHeight);
  std::string areas;
  for (std::size_t i = first; i < last; ++i) {
    const double x = bucket * static_cast<double>(i - first);
    const double high_a = kHeight * a.at(i) / most;
    const double high_b = kHeight * b.at(i) / most;
    out +=
        fmt::format("from {}: A {:.4g}, B {:.4g}{}\n", duration(static_cast<double>(from_power(i))),
                    a.at(i), b.at(i), told.totals ? "" : " per second");
    areas +=
        fmt::format(R"(<rect class="sa" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)", x,
                    kHeight - high_a, bucket - 1, high_a);
    line += fmt::format("V{:.1f}H{:.1f}", kHeight - high_b, x + bucket);
  }
  out += "</title>" + areas + fmt::format(R"(<path class="sb" d="{}V{:.1f}"/>)", line, kHeight);
  out += fmt::format(R"(<text x="0" y="{0}">{1}</text>)", kHeight + kLegend - 2,
                     duration(static_cast<double>(from_power(first))));
  out +=
      fmt::format(R"(<text x="{0:.0f}" y="{1}" text-anchor="end">{2}</text></svg>)", kWidth,
                  kHeight + kLegend - 2, duration(static_cast<double>(from_power(first + powers))));
  return out;
}

// What stands behind a page's address to find a call there.
std::string found_at(const std::string& link, const DiffSideTold& side, const std::string& name) {
  std::string word;
  for (const char c : "event:" + name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    word += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return fmt::format("{}#t=0,{}&amp;q={}", safe(link), side.recorded, word);
}

class Page {
 public:
  Page(const std::vector<DiffRow>& rows, const DiffTold& told, const DiffLinks& links,
       const LineSink& line)
      : rows_(rows), told_(told), links_(links), line_(line) {}

  void write() const {
    line_(kHead);
    line_(fmt::format("<title>{} against {}</title></head><body>", safe(told_.after.name),
                      safe(told_.before.name)));
    line_(R"(<h1>What changed</h1><table class="sides">)");
    side("A", "a", told_.before, links_.before);
    side("B", "b", told_.after, links_.after);
    line_("</table>");
    line_(fmt::format(R"(<p class="quiet">All is per {}. {}</p>)",
                      told_.totals ? "recording" : "second of recording",
                      told_.noise ? "Pale rows, and ~, are within noise: +- is half of the 95 % "
                                    "interval of the shift, Holm's method corrects for many rows."
                                  : "No verdict is possible: a side is too short, or was not "
                                    "ended in order."));
    if (told_.noise && !told_.between_runs()) {
      line_(R"(<p class="quiet">One run a side: other rows differ between these two recordings; )"
            "whether equal runs would, too, is not known.</p>");
    }
    if (const std::string lacks = diff_lacks(rows_, told_); !lacks.empty()) {
      line_(fmt::format(R"(<p class="quiet">{}: rows with ? have no verdict.</p>)",
                        markup_escaped(lacks)));
    }
    for (const DiffBy by :
         {DiffBy::kProgram, DiffBy::kThread, DiffBy::kCall, DiffBy::kWait, DiffBy::kKind}) {
      part(by);
    }
    line_("</body></html>");
  }

 private:
  void side(const char* which, const char* style, const DiffSideTold& side,
            const std::string& link) const {
    const std::string name = safe(side.name);
    line_(fmt::format(R"(<tr><td><span class="key {}"></span><b>{}</b></td><td>{}</td><td>{:.6f} s)"
                      "</td><td>{} CPU{}</td></tr>",
                      style, which,
                      link.empty() ? name : fmt::format(R"(<a href="{}">{}</a>)", safe(link), name),
                      seconds(side.recorded), side.cpus, side.cpus == 1 ? "" : "s"));
  }

  void part(DiffBy by) const {
    std::vector<const DiffRow*> of;
    for (const DiffRow& row : rows_) {
      if (row.key.by == by) of.push_back(&row);
    }
    if (of.empty()) return;
    double most = 1;
    for (const DiffRow* row : of) most = std::max({most, row->time.before, row->time.after});
    const bool all = told_.top == 0 || by == DiffBy::kWait || by == DiffBy::kKind;
    const auto shown =
        all ? of.end() : of.begin() + static_cast<std::ptrdiff_t>(std::min(told_.top, of.size()));
    line_(fmt::format("<h2>{}</h2>", heading(by)));
    table({of.begin(), shown}, most);
    if (shown == of.end()) return;
    line_(fmt::format("<details><summary>{} more</summary>", of.end() - shown));
    table({shown, of.end()}, most);
    line_("</details>");
  }

  static const char* heading(DiffBy by) {
    switch (by) {
      case DiffBy::kProgram:
        return "Programs: time on a CPU";
      case DiffBy::kThread:
        return "Threads by name: time on a CPU";
      case DiffBy::kCall:
        return "Calls: from entry to return";
      case DiffBy::kWait:
        return "Waits by reason";
      case DiffBy::kKind:
        return "Kinds of spans: time in themselves";
    }
    return "";
  }

  void table(const std::vector<const DiffRow*>& rows, double most) const {
    const std::string per = told_.totals ? "" : "/s";
    line_(R"(<table class="rows"><thead><tr>)");
    for (const std::string& head :
         {std::string("name"), "A and B, ms" + per, "shift, ms" + per, std::string("+-"),
          std::string("change"), "by more, ms" + per, "by slower, ms" + per, "number" + per,
          std::string("change"), std::string("mean"), std::string("change"), std::string("p50"),
          std::string("p99"), std::string("durations")}) {
      line_(fmt::format(R"(<th scope="col">{}</th>)", head));
    }
    line_("</tr></thead><tbody>");
    for (const DiffRow* row : rows) this->row(*row, most);
    line_("</tbody></table>");
  }

  void row(const DiffRow& row, double most) const {
    const bool pale = told_.noise && !row.changed();
    // What is not recorded is not none.
    const bool no_a = !row.before_lacks.empty() && row.before.count == 0;
    const bool no_b = !row.after_lacks.empty() && row.after.count == 0;
    const auto bar = [&](const char* style, double ns, bool is_none) {
      return fmt::format(R"(<i class="{}" style="width:{:.1f}px"></i><span>{}</span>)", style,
                         kBar * ns / most, is_none ? "-" : fmt::format("{:.3f}", ns / 1e6));
    };
    const auto number = [](double count, bool is_none) {
      return is_none ? "-" : fmt::format("{:.1f}", count);
    };
    const auto shift = [&](Ns time) {
      return row.lacks() ? "?" : fmt::format("{:+.3f}", ms(time));
    };
    const auto change = [&](const DiffMeasure& measure) {
      return row.lacks() ? "<td></td>" : growth_cell(measure, told_.noise);
    };
    line_(fmt::format(
        R"(<tr class="{}"><td>{}</td><td><div class="two">{}{}</div></td><td>{}</td>)"
        "<td>{}</td>{}<td>{}</td><td>{}</td>{}{}{}{}{}{}<td>{}</td></tr>",
        pale ? "noise" : "", name(row), bar("a", row.time.before, no_a),
        bar("b", row.time.after, no_b), shift(row.shift),
        row.time.tested ? fmt::format("{:.3f}", row.time.off / 1e6) : "", change(row.time),
        shift(row.more), shift(row.slower),
        pair_cell(number(row.count.before, no_a), number(row.count.after, no_b)), change(row.count),
        pair_cell(row.before.count == 0 ? "-" : duration(row.mean.before),
                  row.after.count == 0 ? "-" : duration(row.mean.after)),
        change(row.mean), quantiles(row, 0.5), quantiles(row, 0.99), distribution(row, told_)));
  }

  static std::string quantiles(const DiffRow& row, double part) {
    const auto of = [part](const reports::DiffSums& sums) {
      return sums.count == 0 ? std::string("-")
                             : duration(static_cast<double>(sums.durations.quantile(part)));
    };
    return pair_cell(of(row.before), of(row.after));
  }

  // Calls are searched for in the sides' own pages.
  std::string name(const DiffRow& row) const {
    std::string text = safe(diff_row_name(row.key));
    if (row.key.by != DiffBy::kCall) return text;
    const auto add = [&](const char* which, const std::string& link, const DiffSideTold& side) {
      if (!link.empty()) {
        text += fmt::format(R"( <a href="{}">{}</a>)", found_at(link, side, row.key.name), which);
      }
    };
    add("A", links_.before, told_.before);
    add("B", links_.after, told_.after);
    return text;
  }

  const std::vector<DiffRow>& rows_;
  const DiffTold& told_;
  const DiffLinks& links_;
  const LineSink& line_;
};

}  // namespace

void diff_page(const std::vector<DiffRow>& rows, const DiffTold& told, const DiffLinks& links,
               const LineSink& line) {
  Page(rows, told, links, line).write();
}

}  // namespace kutrace::emit
