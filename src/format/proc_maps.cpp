// SPDX-License-Identifier: BSD-3-Clause
// Fields of a line: "start-end rwxp offset major:minor inode path".
#include "format/proc_maps.h"

#include <charconv>
#include <optional>

namespace kutrace {

namespace {

constexpr std::string_view kDeleted = " (deleted)";
constexpr std::string_view kNextProcess = "==== /proc/";
constexpr std::size_t kExecutable = 2;  // place of the x in "r-xp"

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// Takes numbers and words off the front of a line; after the first that is wrong, nothing is right.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : rest_(line) {}

  std::uint64_t number(int base, char after) {
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    good_ = good_ && error == std::errc();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    expect(after);
    return value;
  }
  std::string_view word() {
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(word.size());
    expect(' ');
    return word;
  }
  std::string_view rest() const {
    const std::size_t begin = rest_.find_first_not_of(' ');
    return begin == std::string_view::npos ? std::string_view() : rest_.substr(begin);
  }
  bool good() const { return good_; }

 private:
  // A line may end where a blank is expected: it has no path.
  void expect(char c) {
    if (rest_.empty() && c == ' ') return;
    good_ = good_ && rest_.starts_with(c);
    if (good_) rest_.remove_prefix(1);
  }

  std::string_view rest_;
  bool good_ = true;
};

std::optional<ProcMapping> parse_line(std::string_view line) {
  Cursor cursor(line);
  ProcMapping mapping;
  mapping.start = cursor.number(16, '-');
  mapping.end = cursor.number(16, ' ');
  const std::string_view rights = cursor.word();
  mapping.offset = cursor.number(16, ' ');
  const std::uint64_t major = cursor.number(16, ':');
  mapping.device = major << 32 | cursor.number(16, ' ');
  mapping.inode = cursor.number(10, ' ');
  mapping.path = cursor.rest();
  if (!cursor.good() || mapping.start >= mapping.end) return std::nullopt;
  if (rights.size() <= kExecutable || rights[kExecutable] != 'x') return std::nullopt;
  mapping.deleted = mapping.path.ends_with(kDeleted);
  if (mapping.deleted) mapping.path.resize(mapping.path.size() - kDeleted.size());
  return mapping;
}

}  // namespace

void parse_proc_maps(std::string_view text, const std::function<void(ProcMapping)>& found) {
  while (!text.empty()) {
    if (auto mapping = parse_line(next_line(text))) found(std::move(*mapping));
  }
}

void parse_proc_maps_of_all(std::string_view text,
                            const std::function<void(Pid, ProcMapping)>& found) {
  std::optional<Pid> process;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.starts_with(kNextProcess)) {
      Pid pid = 0;
      const char* number = line.data() + kNextProcess.size();
      const auto parsed = std::from_chars(number, line.data() + line.size(), pid);
      process = parsed.ec == std::errc() ? std::optional(pid) : std::nullopt;
    } else if (auto mapping = parse_line(line); mapping && process) {
      found(*process, std::move(*mapping));
    }
  }
}

}  // namespace kutrace
