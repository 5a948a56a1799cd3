// SPDX-License-Identifier: BSD-3-Clause
// The figure's colours, see figure_palette.h.
#include "emit/figure/figure_palette.h"

#include <fmt/format.h>

#include <cmath>

namespace kutrace::emit {
namespace {

using Users = std::array<Colour, kUserColours>;

constexpr Users kUserFull = {0xf2b544, 0x5fb3e8, 0xe8976a, 0xd9b382, 0x8fc7f0,
                             0xf4d75e, 0x4fa3b8, 0xcfa585, 0xa9bccf, 0xf0c3a0};
constexpr Users kUserSafe = {0xe69f00, 0x56b4e9, 0xf0e442, 0x9ad0f5, 0xf5c76b,
                             0xc7c7c7, 0x7fb8d6, 0xfff3a3, 0xb8a46a, 0xdfe9f2};
constexpr Users kUserGrey = {0xdcdcdc, 0xc9c9c9, 0xe6e6e6, 0xd2d2d2, 0xbfbfbf,
                             0xdcdcdc, 0xc9c9c9, 0xe6e6e6, 0xd2d2d2, 0xbfbfbf};

struct ClassColours {
  Colour syscall, trap, irq, softirq, scheduler, c_exit;
};
constexpr ClassColours kFull = {0x56b56a, 0xee6f92, 0x7386f2, 0xb58cf2, 0x9aa7b4, 0xe0524f};
constexpr ClassColours kSafe = {0x1fae86, 0xe0762b, 0x3f8fd2, 0xd287b1, 0x9aa7b4, 0xb03a2e};
constexpr ClassColours kGreyLight = {0xadadad, 0x858585, 0x6e6e6e, 0x999999, 0xb8b8b8, 0x555555};
constexpr ClassColours kGreyDark = {0x9c9c9c, 0x7e7e7e, 0xf4f4f4, 0xb4b4b4, 0x737373, 0xdddddd};

struct Reason {
  char letter;
  const char* name;
  Colour full;
  Colour safe;
  std::uint16_t mask;
};

// The fewer dots, the less they say.
constexpr std::array<Reason, 11> kReasons = {{{'c', "ready", 0xf08c00, 0xe69f00, 0xffff},
                                              {'d', "disk", 0x2f9e44, 0x009e73, 0xffff},
                                              {'k', "task", 0xae3ec9, 0xcc79a7, 0xff3c},
                                              {'l', "lock", 0xe03131, 0xd55e00, 0xfff0},
                                              {'m', "mem", 0xa0623a, 0x8a6d3b, 0xcccc},
                                              {'n', "net", 0x1c7ed6, 0x0072b2, 0xff18},
                                              {'p', "pipe", 0x66788a, 0x66788a, 0xff00},
                                              {'r', "rcu", 0x0b7285, 0x56b4e9, 0xaaaa},
                                              {'s', "sche", 0x5c7cfa, 0x5c7cfa, 0xf0f0},
                                              {'t', "time", 0xa3adb8, 0xa3adb8, 0x0303},
                                              {'z', "unexplained", 0x868e96, 0x868e96, 0x8888}}};
constexpr double kPale = 0.45;  // so much of a pale line is paper

double part_of(Colour colour, int shift) { return (colour >> shift) & 0xff; }

Colour mix(Colour from, Colour to, double part) {
  Colour out = 0;
  for (const int shift : {16, 8, 0}) {
    const double a = part_of(from, shift);
    out |= static_cast<Colour>(std::floor(a + (part_of(to, shift) - a) * part + 0.5)) << shift;
  }
  return out;
}

// As light, without hue.
Colour grey(Colour colour) {
  const double light =
      0.299 * part_of(colour, 16) + 0.587 * part_of(colour, 8) + 0.114 * part_of(colour, 0);
  return static_cast<Colour>(std::floor(light + 0.5)) * 0x010101;
}

void set_paper(FigurePalette& p, bool dark, bool safe) {
  if (dark) {
    p.back = 0x11151b, p.header = 0x1e2530, p.text = 0xe6edf3, p.muted = 0x9aa8b7;
    p.grid = 0x262e3a, p.idle = 0x5b6b7d, p.density = 0xc3ccd6, p.loss_a = 0xffd43b;
    p.loss_b = 0x1b1300, p.ink = 0x0d1117, p.arc = 0x41b6d9, p.ipi = 0x8b98a8;
    p.held = 0x9aa8b7, p.wanted = safe ? 0xf0a04b : 0xff6b6b, p.sample_end = 0xe6edf3;
    return;
  }
  p.back = 0xffffff, p.header = 0xe9edf2, p.text = 0x16202b, p.muted = 0x566473;
  p.grid = 0xe3e8ed, p.idle = 0x8795a4, p.density = 0x3a4652, p.loss_a = 0xffd43b;
  p.loss_b = 0x3b2f00, p.ink = 0x10161d, p.arc = 0x0a7ea4, p.ipi = 0x77838f;
  p.held = 0x566473, p.wanted = safe ? 0xd55e00 : 0xe03131, p.sample_end = 0x16202b;
}

void take_hue_out(FigurePalette& p) {
  for (Colour* colour :
       {&p.back, &p.header, &p.text, &p.muted, &p.grid, &p.idle, &p.density, &p.loss_a, &p.loss_b,
        &p.ink, &p.arc, &p.ipi, &p.held, &p.wanted, &p.sample_end}) {
    *colour = grey(*colour);
  }
}

const ClassColours& classes_of(FigureTheme theme, FigureScheme scheme) {
  if (scheme == FigureScheme::kFull) return kFull;
  if (scheme == FigureScheme::kSafe) return kSafe;
  return theme == FigureTheme::kDark ? kGreyDark : kGreyLight;
}

void set_kinds(FigurePalette& p, const ClassColours& classes, Colour hidden) {
  p.body.fill(p.idle);
  const auto set = [&](SpanKind kind, Colour colour) {
    p.body[static_cast<std::size_t>(kind)] = colour;
  };
  set(SpanKind::kSyscall, classes.syscall);
  set(SpanKind::kTrap, classes.trap);
  set(SpanKind::kIrq, classes.irq);
  set(SpanKind::kSoftirq, classes.softirq);
  set(SpanKind::kScheduler, classes.scheduler);
  set(SpanKind::kCExit, classes.c_exit);
  for (std::size_t k = 0; k < kExecutionKinds; k++) p.cap[k] = mix(p.body[k], 0, 0.3);
  p.cap[static_cast<std::size_t>(SpanKind::kHidden)] = mix(p.idle, 0, 0.3);
  set(SpanKind::kHidden, hidden);
}

void set_waits(FigurePalette& p, FigureScheme scheme) {
  const auto colour_of = [&](Colour full, Colour safe) {
    return scheme == FigureScheme::kGrey ? p.text : scheme == FigureScheme::kSafe ? safe : full;
  };
  for (WaitStyle& style : p.waits) {
    style.colour = mix(colour_of(0x868e96, 0x868e96), p.back, kPale);
  }
  for (const Reason& reason : kReasons) {
    const Colour strong = colour_of(reason.full, reason.safe);
    WaitStyle& style = p.waits[static_cast<std::size_t>(reason.letter - 'a')];
    style.name = reason.name;
    style.colour = mix(strong, p.back, kPale);
    style.mask = reason.mask;
    if (reason.letter == 'c') {
      style.colour = strong;
      style.lines = {-2, -1, 0, 1, 2};
      style.pale = false;
    }
    if (reason.letter == 'l') {
      p.waits[kContended] = {"lock that another holds", strong, reason.mask, {-1, 0, 1}, false};
    }
  }
}

}  // namespace

std::string css_text(Colour colour) { return fmt::format("#{:06x}", colour); }

FigurePalette make_palette(FigureTheme theme, FigureScheme scheme) {
  const bool dark = theme == FigureTheme::kDark;
  FigurePalette p{};
  set_paper(p, dark, scheme == FigureScheme::kSafe);
  Colour hidden = dark ? 0x39424e : 0xdde2e7;
  if (scheme == FigureScheme::kGrey) {
    take_hue_out(p);
    hidden = grey(hidden);
  }
  p.idle_low = mix(p.idle, p.back, 0.5);
  p.user = scheme == FigureScheme::kFull   ? kUserFull
           : scheme == FigureScheme::kSafe ? kUserSafe
                                           : kUserGrey;
  for (std::size_t i = 0; i < kUserColours; i++) p.user_low[i] = mix(p.user[i], 0, 0.15);
  set_kinds(p, classes_of(theme, scheme), hidden);
  set_waits(p, scheme);
  p.marks = scheme == FigureScheme::kFull
                ? std::array<Colour, 4>{0xd6336c, 0x1c7ed6, 0x2b8a3e, 0x6b4fbb}
            : scheme == FigureScheme::kSafe
                ? std::array<Colour, 4>{0xb34700, 0x0072b2, 0x007a5a, 0x6b4fbb}
                : std::array<Colour, 4>{0x444444, 0x6a6a6a, 0x585858, 0x333333};
  return p;
}

std::size_t user_colour(Pid process) {
  return ((static_cast<std::uint32_t>(process) * 0x9e3779b1u) >> 8) % kUserColours;
}

std::size_t name_colour(std::string_view name) {
  std::uint32_t hash = 0x811c9dc5;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return (hash >> 8) % kUserColours;
}

}  // namespace kutrace::emit
