// SPDX-License-Identifier: BSD-3-Clause
// Stands for top_screen.cpp where ncurses is absent: there is no screen.
#include <utility>

#include "cli/top_screen.h"

namespace kutrace::cli {

class TopScreen::Terminal {};

TopScreen::TopScreen(std::unique_ptr<Terminal> terminal) : terminal_(std::move(terminal)) {}
TopScreen::TopScreen(TopScreen&& other) noexcept = default;
TopScreen& TopScreen::operator=(TopScreen&& other) noexcept = default;
TopScreen::~TopScreen() = default;

// NOLINTBEGIN(performance-unnecessary-value-param): as with a screen, which keeps them.
Result<TopScreen> TopScreen::open(TopView /*view*/) {
  return fail(host_error("this program was built without ncurses")
                  .with_hint("kutrace top --once prints the table as text"));
}

void TopScreen::show(live::TimesOfInterval /*times*/) {}
void TopScreen::say(std::string /*text*/) {}
// NOLINTEND(performance-unnecessary-value-param)
bool TopScreen::handle_keys() { return false; }
bool TopScreen::wants_page() { return false; }

}  // namespace kutrace::cli
