// SPDX-License-Identifier: BSD-3-Clause
// Drawing with ncurses.
#include "cli/top_screen.h"

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/utf8.h"

// Last: it defines words such as `timeout`, which others have as names.
#define NCURSES_NOMACROS 1
#include <curses.h>

namespace kutrace::cli {

namespace {

constexpr int kEscape = 27;
constexpr int kDelete = 127;
constexpr int kBackspace = 8;
constexpr int kEscapeDelay_ms = 25;
constexpr const char* kKeys =
    "c CPU  r ready  w waits  k calls  p p99  n name  t threads/programs  / filter  space freeze  "
    "s page  q quit";

bool is_text(int key) { return key >= ' ' && key < 256 && key != kDelete; }

}  // namespace

class TopScreen::Terminal {
 public:
  explicit Terminal(TopView view) : view_(std::move(view)) {}
  ~Terminal() {
    if (!is_open_) return;
    endwin();
    delscreen(screen_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  Status open();
  void show(live::TimesOfInterval times);
  void say(std::string text) {
    said_ = std::move(text);
    draw();
  }
  bool handle_keys();
  bool wants_page() { return std::exchange(wants_page_, false); }

 private:
  void draw();
  void put_line(int row, const std::string& text, bool is_head);
  std::string bottom() const;
  void edit_filter(int key);
  void command(int key);

  TopView view_;
  SCREEN* screen_ = nullptr;
  bool is_open_ = false;
  live::TimesOfInterval times_;
  bool is_frozen_ = false;
  bool edits_filter_ = false;
  bool wants_page_ = false;
  bool leaves_ = false;
  std::string said_;
};

Status TopScreen::Terminal::open() {
  std::setlocale(LC_CTYPE, "");
  screen_ = newterm(nullptr, stdout, stdin);
  if (screen_ == nullptr)
    return fail(host_error("this terminal is not known: TERM is not set, or to a strange word")
                    .with_hint("kutrace top --once prints the table as text"));
  is_open_ = true;
  set_escdelay(kEscapeDelay_ms);
  cbreak();
  noecho();
  keypad(stdscr, true);
  nodelay(stdscr, true);
  curs_set(0);
  said_ = "the first second is recorded";
  draw();
  return {};
}

void TopScreen::Terminal::show(live::TimesOfInterval times) {
  if (is_frozen_) return;
  times_ = std::move(times);
  said_ = said_ == "the first second is recorded" ? std::string() : said_;
  draw();
}

std::string TopScreen::Terminal::bottom() const {
  if (edits_filter_) return "filter (part of a name, * and ?, or a number): " + view_.filter + "_";
  std::string text;
  if (is_frozen_) text += "[frozen] ";
  if (!view_.filter.empty()) text += "[" + view_.filter + "] ";
  return text + (said_.empty() ? kKeys : said_);
}

void TopScreen::Terminal::put_line(int row, const std::string& text, bool is_head) {
  if (row >= LINES) return;
  wmove(stdscr, row, 0);
  wattrset(stdscr, static_cast<int>(is_head ? A_REVERSE : A_NORMAL));
  // The last place of the last line would scroll.
  waddnstr(stdscr, text.c_str(), std::max(0, COLS - 1));
  wclrtoeol(stdscr);
}

void TopScreen::Terminal::draw() {
  werase(stdscr);
  TopView view = view_;
  view.rows = static_cast<std::size_t>(std::max(1, LINES - 3));
  view.columns = static_cast<std::size_t>(std::max(1, COLS - 1));
  const std::vector<std::string> lines = top_lines(times_, view);
  for (std::size_t i = 0; i < lines.size() && static_cast<int>(i) < LINES - 1; ++i)
    put_line(static_cast<int>(i), lines[i], i == 1);
  put_line(LINES - 1, bottom(), true);
  wrefresh(stdscr);
}

void TopScreen::Terminal::edit_filter(int key) {
  if (key == '\n' || key == KEY_ENTER) {
    edits_filter_ = false;
  } else if (key == kEscape) {
    edits_filter_ = false;
    view_.filter.clear();
  } else if (key == KEY_BACKSPACE || key == kDelete || key == kBackspace) {
    // A letter may have several bytes.
    while (!view_.filter.empty() && continues_character(view_.filter.back()))
      view_.filter.pop_back();
    if (!view_.filter.empty()) view_.filter.pop_back();
  } else if (is_text(key)) {
    view_.filter += static_cast<char>(key);
  }
}

void TopScreen::Terminal::command(int key) {
  said_.clear();
  switch (key) {
    case 'q':
      leaves_ = true;
      break;
    case 'c':
      view_.order = TopOrder::kOnCpu;
      break;
    case 'r':
      view_.order = TopOrder::kReady;
      break;
    case 'w':
      view_.order = TopOrder::kWaiting;
      break;
    case 'k':
      view_.order = TopOrder::kCalls;
      break;
    case 'p':
      view_.order = TopOrder::kP99;
      break;
    case 'n':
      view_.order = TopOrder::kName;
      break;
    case 't':
      view_.by_program = !view_.by_program;
      break;
    case ' ':
      is_frozen_ = !is_frozen_;
      break;
    case '/':
      edits_filter_ = true;
      break;
    case 's':
      wants_page_ = true;
      break;
    default:
      break;
  }
}

bool TopScreen::Terminal::handle_keys() {
  bool any = false;
  for (int key = wgetch(stdscr); key != ERR; key = wgetch(stdscr)) {
    any = true;
    if (key == KEY_RESIZE) {
      wclear(stdscr);
    } else if (edits_filter_) {
      edit_filter(key);
    } else {
      command(key);
    }
  }
  if (any) draw();
  return !leaves_;
}

TopScreen::TopScreen(std::unique_ptr<Terminal> terminal) : terminal_(std::move(terminal)) {}
TopScreen::TopScreen(TopScreen&& other) noexcept = default;
TopScreen& TopScreen::operator=(TopScreen&& other) noexcept = default;
TopScreen::~TopScreen() = default;

Result<TopScreen> TopScreen::open(TopView view) {
  auto terminal = std::make_unique<Terminal>(std::move(view));
  KUTRACE_TRY(terminal->open());
  return TopScreen(std::move(terminal));
}

void TopScreen::show(live::TimesOfInterval times) { terminal_->show(std::move(times)); }
void TopScreen::say(std::string text) { terminal_->say(std::move(text)); }
bool TopScreen::handle_keys() { return terminal_->handle_keys(); }
bool TopScreen::wants_page() { return terminal_->wants_page(); }

}  // namespace kutrace::cli
