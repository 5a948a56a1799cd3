// SPDX-License-Identifier: BSD-3-Clause
// Colours of a drawn figure, the same as the page's (web/src/draw/palette.js). In: theme and
// scheme; out: colours. Kinds also differ in height and pattern, never in colour alone.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "model/span.h"

namespace kutrace::emit {

using Colour = std::uint32_t;  // 0xrrggbb

std::string css_text(Colour colour);  // "#rrggbb"

enum class FigureTheme { kLight, kDark };
enum class FigureScheme { kFull, kSafe, kGrey };  // kSafe: told apart by colour-blind eyes

// How a reason to wait looks, with colour and without: 16 pixels of which set bits are drawn, and
// the lines above and below the middle that are. Most are thin and pale: a thread that waits says
// little, unless it was ready to run or waited for a lock that another one held.
struct WaitStyle {
  const char* name = "other";
  Colour colour = 0;
  std::uint16_t mask = 0x8080;
  std::vector<int> lines = {0};
  bool pale = true;
};

constexpr std::size_t kUserColours = 10;
constexpr std::size_t kContended = 32;  // behind the letters: for a lock that another thread held
constexpr std::size_t kWaitReasons = kContended + 1;

struct FigurePalette {
  Colour back, header, text, muted, grid, idle, idle_low, density, loss_a, loss_b, ink, arc, ipi,
      held, wanted, sample_end;
  std::array<Colour, kUserColours> user{};
  std::array<Colour, kUserColours> user_low{};  // the lower stripe
  std::array<Colour, kExecutionKinds> body{};
  std::array<Colour, kExecutionKinds> cap{};
  std::array<WaitStyle, kWaitReasons> waits;  // by letter - 'a', and kContended
  std::array<Colour, 4> marks{};
};

FigurePalette make_palette(FigureTheme theme, FigureScheme scheme);

// Which of the user colours a process has.
std::size_t user_colour(Pid process);
// Of sampled code.
std::size_t name_colour(std::string_view name);

}  // namespace kutrace::emit
