// SPDX-License-Identifier: BSD-3-Clause
// The picture of `kutrace svg`: what is short is seen, density is told, text is no markup, and the
// axis says what the page's says.
#include <catch2/catch.hpp>
#include <string>

#include "emit/figure/figure.h"
#include "emit/figure/figure_names.h"
#include "emit/figure/figure_raster.h"
#include "emit/figure/figure_row.h"
#include "emit/figure/svg_text.h"
#include "emit/figure/time_axis.h"
#include "format/event_table.h"
#include "support/span_generator.h"

using namespace kutrace;

namespace {

constexpr emit::FigureBand kBand{0, 40};
const emit::FigurePalette kPalette =
    emit::make_palette(emit::FigureTheme::kLight, emit::FigureScheme::kFull);

Span execution(SpanKind kind) {
  Span span;
  span.kind = kind;
  span.cpu = 0;
  span.pid = kind == SpanKind::kIdle ? 0 : 7;
  return span;
}

std::string painted(const emit::FigureRow& row, int width) {
  emit::FigureRaster raster(width, kBand.height, kPalette.back);
  row.paint_bars(raster, kBand, kPalette, true);
  const auto paths = raster.paths();
  std::string out;
  for (const auto& [colour, data] : paths) out += emit::css_text(colour) + data + "\n";
  return out;
}

bool shows(const std::string& picture, emit::Colour colour) {
  return picture.find(emit::css_text(colour)) != picture.npos;
}

std::size_t body(SpanKind kind) { return static_cast<std::size_t>(kind); }

std::string picture_of(emit::FigureOptions options, TimeWindow window,
                       const std::string& thread_name) {
  NameTable names;
  emit::FigureSurvey survey(window);
  TraceInfo info = test::generate_spans({.spans = 20'000, .threads = 8}, names, survey);
  for (auto& [pid, thread] : info.threads) thread.name = names.intern(thread_name);
  emit::Figure figure(std::move(options), window, survey, info, names);
  test::generate_spans({.spans = 20'000, .threads = 8}, names, figure);
  return figure.finish();
}

}  // namespace

TEST_CASE("an interrupt of a microsecond shows in a second of idle, at any zoom") {
  for (const int width : {10, 100, 2000}) {
    const double second = width - 1e-6;
    emit::FigureRow row(width, 2);
    row.add_span(execution(SpanKind::kIdle), {0, second / 2}, 0);
    row.add_span(execution(SpanKind::kIrq), {second / 2, second / 2 + second * 1e-6}, 0);
    row.add_span(execution(SpanKind::kIdle), {second / 2 + second * 1e-6, second}, 0);
    const std::string picture = painted(row, width);
    CHECK(shows(picture, kPalette.body[body(SpanKind::kIrq)]));
    CHECK(shows(picture, kPalette.idle));
  }
}

TEST_CASE("a column of a thousand spans differs from a column of one") {
  emit::FigureRow one(1, 1);
  one.add_span(execution(SpanKind::kSyscall), {0, 0.999}, 0);
  emit::FigureRow thousand(1, 1);
  for (int i = 0; i < 1000; i++) {
    thousand.add_span(execution(SpanKind::kSyscall), {i * 0.000999, (i + 1) * 0.000999}, 0);
  }
  CHECK_FALSE(shows(painted(one, 1), kPalette.density));
  CHECK(shows(painted(thousand, 1), kPalette.density));
}

TEST_CASE("loss hides no work that is known, and no work hides loss") {
  emit::FigureRow row(1, 1);
  row.add_span(execution(SpanKind::kLoss), {0, 0.5}, 0);
  row.add_span(execution(SpanKind::kSyscall), {0.5, 0.99}, 0);
  const std::string picture = painted(row, 1);
  CHECK(shows(picture, kPalette.loss_a));
  CHECK(shows(picture, kPalette.body[body(SpanKind::kSyscall)]));
}

TEST_CASE("equal neighbours leave a raster as one rectangle") {
  emit::FigureRaster raster(10, 10, kPalette.back);
  raster.fill(2, 5, 3, 7, 0x112233);
  CHECK(raster.paths().at(0x112233) == "M2 3h3v4h-3z");
  raster.fill(3, 4, 5, 6, kPalette.back);
  CHECK(raster.paths().at(0x112233) == "M2 3h3v2h-3zM2 5h1v1h-1zM4 5h1v1h-1zM2 6h3v1h-3z");
}

TEST_CASE("waits are thin and pale, but for ready threads and locks that somebody else holds") {
  for (std::size_t reason = 0; reason < emit::kWaitReasons; ++reason) {
    const emit::WaitStyle& style = kPalette.waits[reason];
    const bool strong = reason == 'c' - 'a' || reason == emit::kContended;
    CHECK(style.pale == !strong);
    CHECK((style.lines.size() == 1) == !strong);
  }
  CHECK(kPalette.waits['l' - 'a'].colour != kPalette.waits[emit::kContended].colour);
}

namespace {

// A thread that waits for a lock from 10 to 90 of 100, and what its row shows.
std::string waiting(Pid holder, bool wants) {
  NameTable names;
  const TimeWindow window{0, 100};
  emit::FigureSurvey survey(window);
  const auto span = [](SpanKind kind, Pid pid, Ns start, Ns duration) {
    Span out;
    out.kind = kind;
    out.pid = pid;
    out.start = start;
    out.duration = duration;
    out.arg = 5;
    if (kind == SpanKind::kWait) out.event = 0x300 + 'l' - 'a';
    return out;
  };
  std::vector<Span> spans = {span(SpanKind::kWait, 7, 10, 80),
                             span(SpanKind::kLockHeld, holder, 0, 95)};
  if (wants) spans.push_back(span(SpanKind::kLockWanted, 7, 8, 84));
  for (const Span& one : spans) survey.push(one);
  TraceInfo info;
  info.end = 100;
  emit::Figure figure({.only = {{7}}, .legend = false}, window, survey, info, names);
  for (const Span& one : spans) figure.push(one);
  return figure.finish();
}

}  // namespace

TEST_CASE("a thread in futex is drawn strongly only if its lock was held by another one") {
  const std::string pale = "fill=\"" + emit::css_text(kPalette.waits['l' - 'a'].colour) + "\"";
  const std::string contended = waiting(8, true);
  CHECK(contended.find("lock that another holds") != contended.npos);
  CHECK(contended.find(pale) == contended.npos);
  for (const std::string& idle : {waiting(8, false), waiting(7, true)}) {
    CHECK(idle.find(pale) != idle.npos);
    CHECK(idle.find("lock that another holds") == idle.npos);
  }
}

namespace {

// Two marks close to each other, in a wait and before a C-state's end.
std::string marked() {
  NameTable names;
  const TimeWindow window{0, 1000};
  const auto span = [](SpanKind kind, Ns start, Ns duration) {
    Span out = execution(kind);
    out.pid = is_idle(kind) || kind == SpanKind::kCExit ? 0 : 7;
    out.start = start;
    out.duration = duration;
    return out;
  };
  std::vector<Span> spans = {span(SpanKind::kUser, 0, 100), span(SpanKind::kKernelThread, 100, 100),
                             span(SpanKind::kCExit, 200, 800), span(SpanKind::kWait, 200, 800)};
  spans.back().cpu = kNoCpu;
  spans.back().event = 0x300 + 'd' - 'a';
  for (const Ns start : {210, 230}) {
    spans.push_back(span(SpanKind::kMark, start, 0));
    spans.back().event = ev::kMARK_A;
    spans.back().name = names.intern("mark_a=work");
  }
  emit::FigureSurvey survey(window);
  for (const Span& one : spans) survey.push(one);
  TraceInfo info;
  info.end = 1000;
  emit::Figure figure({.cpus = true}, window, survey, info, names);
  for (const Span& one : spans) figure.push(one);
  return figure.finish();
}

// Where a text begins.
double place_of(const std::string& picture, const std::string& text) {
  const std::size_t end = picture.find(">" + text + "<");
  REQUIRE(end != picture.npos);
  const std::size_t begin = picture.rfind("<text x=\"", end) + 9;
  return std::stod(picture.substr(begin));
}

}  // namespace

TEST_CASE("the legend has what is drawn, once each") {
  const std::string picture = marked();
  const std::string legend = picture.substr(picture.find("id=\"legend\""));
  for (const char* text : {">user, kernel thread<", ">C-state exit<", ">mark<", ">waits: disk<"}) {
    INFO(text);
    CHECK(legend.find(text) != legend.npos);
  }
  CHECK(legend.find(">kernel thread<") == legend.npos);
  const std::string exit = emit::css_text(kPalette.body[body(SpanKind::kCExit)]);
  CHECK(legend.find("stroke=\"" + exit) != legend.npos);
  CHECK(legend.find("fill=\"" + exit) == legend.npos);
}

TEST_CASE("names of waits stand beside flags of marks") {
  const std::string picture = marked();
  CHECK(place_of(picture, "waits: disk") >
        place_of(picture, "work") + emit::svg_flag_width("work"));
}

TEST_CASE("a row's name that is cut keeps its number") {
  CHECK(emit::svg_fitting_label("server.12", 12, 200) == "server.12");
  const std::string cut = emit::svg_fitting_label("a_very_long_name.1234", 12, 100);
  CHECK(cut.ends_with("….1234"));
  CHECK(cut.starts_with("a_v"));
}

TEST_CASE("arcs are drawn unasked where they are few, else only the longest ones") {
  const auto curves = [](const std::string& picture) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = picture.find("stroke-width=\"", at + 1)) != picture.npos;) {
      count += picture.compare(at + 14, 3, "0.8") == 0 || picture.compare(at + 14, 4, "1.25") == 0;
    }
    return count;
  };
  const TimeWindow many{0, 20'000'000};
  CHECK(curves(picture_of({}, many, "worker")) == 0);
  CHECK(curves(picture_of({.all_arcs = true}, many, "worker")) > 60);
  CHECK(curves(picture_of({}, {0, 300'000}, "worker")) > 0);
  CHECK(curves(picture_of({.arcs = false}, {0, 300'000}, "worker")) == 0);
}

TEST_CASE("names and titles of a picture are text") {
  const std::string picture =
      picture_of({.title = "<script>alert(1)</script>"}, {0, 2'000'000}, "<b>\x01\xff&\"");
  CHECK(picture.find("<script") == picture.npos);
  CHECK(picture.find("&lt;script&gt;alert(1)") != picture.npos);
  CHECK(picture.find("&lt;b&gt;\\1\\377&amp;&quot;") != picture.npos);
  CHECK(emit::svg_escaped("\xef\xbf\xbf") == "\xef\xbf\xbd");
}

TEST_CASE("rows of a picture are those that were asked for") {
  const TimeWindow window{0, 5'000'000};
  const std::string all = picture_of({.threads = 3}, window, "worker");
  CHECK(all.find("Threads (3 of ") != all.npos);
  CHECK(all.find("CPU 0") != all.npos);
  const std::string threads = picture_of({.threads = 3, .cpus = false}, window, "worker");
  CHECK(threads.find("CPU 0") == threads.npos);
  const std::string cpus = picture_of({.threads = 0}, window, "worker");
  CHECK(cpus.find("Threads") == cpus.npos);
  const std::string one = picture_of({.only = {{1207}}}, window, "worker");
  CHECK(one.find("Threads (1 of ") != one.npos);
  CHECK(one.find("worker.1207") != one.npos);
  CHECK(one.find("worker.1200") == one.npos);
}

TEST_CASE("a thread that only waits has a row where it was asked for") {
  emit::FigureSurvey survey({0, 100});
  Span wait;
  wait.kind = SpanKind::kWait;
  wait.pid = 9;
  wait.duration = 50;
  survey.push(wait);
  CHECK(survey.busiest({}).empty());
  CHECK(survey.busiest({.only = {{9, 10}}}) == std::vector<std::pair<Pid, Ns>>{{9, 0}});
}

TEST_CASE("a system call's name has its argument and what it returned") {
  NameTable names;
  Span span = execution(SpanKind::kSyscall);
  span.name = names.intern("read");
  span.arg = 3;
  CHECK(emit::full_name(span, names) == "read(3)");
  span.has_result = true;
  span.result = {13, false};
  CHECK(emit::full_name(span, names) == "read(3) = 13");
  span.arg = 0xffff;
  span.result = {-11, false};
  CHECK(emit::full_name(span, names) == "read(-1) = EAGAIN");
}

TEST_CASE("ticks of an axis share a base, and lengths have four digits") {
  const emit::TimeAxis axis = emit::time_axis(39'540'000'000, 39'540'010'000, 5);
  CHECK(axis.base == 39'540'000'000);
  REQUIRE(axis.ticks.size() == 6);
  CHECK(axis.ticks[1].label == "2 µs");
  CHECK(emit::time_axis(0, 3'000'000'000, 3).ticks.at(2).label == "2 s");
  // Later than a double can tell single nanoseconds.
  const Ns late = 10'000'000'000'000'101;
  const emit::TimeAxis of_late = emit::time_axis(late, late + 3, 4);
  REQUIRE(of_late.ticks.size() == 4);
  CHECK(of_late.ticks[1].label == "102 ns");
  CHECK(emit::duration_text(12'400) == "12.40 µs");
  CHECK(emit::duration_text(999) == "999.0 ns");
  CHECK(emit::exact_time(1'234'567'890) == "1.234\u202f567\u202f890 s");
}

TEST_CASE("colours differ by theme and scheme, and grey has no hue") {
  const emit::FigurePalette grey =
      emit::make_palette(emit::FigureTheme::kDark, emit::FigureScheme::kGrey);
  for (const emit::Colour colour : grey.body) {
    CHECK((colour & 0xff) == (colour >> 16));
    CHECK((colour & 0xff) == ((colour >> 8) & 0xff));
  }
  CHECK(emit::make_palette(emit::FigureTheme::kDark, emit::FigureScheme::kFull).back !=
        kPalette.back);
  CHECK(emit::make_palette(emit::FigureTheme::kLight, emit::FigureScheme::kSafe).user !=
        kPalette.user);
}
