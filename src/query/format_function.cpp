// SPDX-License-Identifier: BSD-3-Clause
// One field after the other, each by SQLite's own formatting, which writes a character two thousand
// million times when it is told to, and asks neither the limit of length nor the clock meanwhile.
#include "query/format_function.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "query/module_parts.h"

namespace kutrace::query {

namespace {

constexpr std::string_view kFlags = "-+ #0,!";
constexpr std::string_view kWhole = "diuxXop";
constexpr std::string_view kReal = "eEfgG";
constexpr std::string_view kText = "szqQw";
constexpr std::int64_t kNone = -1;

// "%-8.3f"
struct Field {
  std::string flags;
  std::int64_t width = kNone;
  std::int64_t precision = kNone;
  char conversion = 0;

  std::string text(std::string_view length, char as) const {
    std::string text = "%" + flags;
    if (width != kNone) text += std::to_string(width);
    if (precision != kNone) text += "." + std::to_string(precision);
    return text.append(length) + as;
  }
};

// What was formatted so far; SQLite counts its memory.
class Output {
 public:
  explicit Output(sqlite3_context* context)
      : context_(context), text_(sqlite3_str_new(sqlite3_context_db_handle(context))) {}
  ~Output() { sqlite3_free(sqlite3_str_finish(text_)); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  bool good() const { return sqlite3_str_errcode(text_) == SQLITE_OK; }
  void add(std::string_view text) {
    sqlite3_str_append(text_, text.data(), static_cast<int>(text.size()));
  }
  void add_blanks(std::int64_t count) {
    if (count > 0) sqlite3_str_appendchar(text_, static_cast<int>(count), ' ');
  }
  template <typename Value>
  void add(const std::string& format, Value value) {
    sqlite3_str_appendf(text_, format.c_str(), value);
  }
  void give() {
    const int code = sqlite3_str_errcode(text_);
    if (code == SQLITE_TOOBIG) return sqlite3_result_error_toobig(context_);
    if (code != SQLITE_OK) return sqlite3_result_error_nomem(context_);
    sqlite3_result_text(context_, sqlite3_str_value(text_), sqlite3_str_length(text_),
                        SQLITE_TRANSIENT);
  }

 private:
  sqlite3_context* context_;
  sqlite3_str* text_;
};

class Formatting {
 public:
  Formatting(Output& output, std::string_view text, std::span<sqlite3_value* const> values,
             std::int64_t longest)
      : output_(output), rest_(text), values_(values), widest_(longest + 1) {}

  void run() {
    while (!rest_.empty() && output_.good()) {
      const std::size_t percent = std::min(rest_.find('%'), rest_.size());
      output_.add(take(percent));
      if (rest_.empty()) break;
      take(1);
      if (rest_.empty()) {
        output_.add("%");
        break;
      }
      if (!write(parse())) break;
    }
  }

 private:
  std::string_view take(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  sqlite3_value* next_value() {
    if (values_.empty()) return nullptr;
    sqlite3_value* const value = values_.front();
    values_ = values_.subspan(1);
    return value;
  }
  std::int64_t next_whole() {
    sqlite3_value* const value = next_value();
    return value == nullptr ? 0 : sqlite3_value_int64(value);
  }
  // Digits, or "*" and a value.
  std::int64_t number() {
    if (rest_.starts_with('*')) {
      take(1);
      return static_cast<int>(next_whole());
    }
    std::int64_t number = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      number = std::min<std::int64_t>(number * 10 + (take(1).front() - '0'),
                                      std::numeric_limits<int>::max());
    }
    return number;
  }
  Field parse() {
    Field field;
    const std::size_t flags = rest_.find_first_not_of(kFlags);
    field.flags = take(std::min(flags, rest_.size()));
    field.width = number();
    if (field.width < 0) field.flags += '-';
    field.width = field.width == 0 ? kNone : std::min(std::abs(field.width), widest_);
    if (rest_.starts_with('.')) {
      take(1);
      field.precision = std::min(std::abs(number()), widest_);
    }
    while (rest_.starts_with('l')) take(1);
    if (!rest_.empty()) field.conversion = take(1).front();
    return field;
  }
  // False: the conversion is none that SQL has, which ends the text.
  bool write(const Field& field) {
    if (field.conversion == 'n') return true;
    if (field.conversion == '%') {
      pad(field, "%", 1);
    } else if (kWhole.find(field.conversion) != kWhole.npos) {
      output_.add(field.text("ll", field.conversion), static_cast<long long>(next_whole()));
    } else if (kReal.find(field.conversion) != kReal.npos) {
      sqlite3_value* const value = next_value();
      output_.add(field.text("", field.conversion),
                  value == nullptr ? 0.0 : sqlite3_value_double(value));
    } else if (kText.find(field.conversion) != kText.npos) {
      sqlite3_value* const value = next_value();
      const void* const text = value == nullptr ? nullptr : sqlite3_value_text(value);
      output_.add(field.text("", field.conversion == 'z' ? 's' : field.conversion), text);
    } else if (field.conversion == 'c') {
      write_repeated(field);
    } else {
      return false;
    }
    return true;
  }
  // The first character, as often as the precision says; without text, the character zero.
  void write_repeated(const Field& field) {
    sqlite3_value* const value = next_value();
    const auto* const text = value == nullptr ? nullptr : sqlite3_value_text(value);
    std::string character(1, text == nullptr ? '\0' : static_cast<char>(*text));
    if ((static_cast<unsigned char>(character[0]) & 0xc0) == 0xc0) {
      for (const auto* at = text + 1; (*at & 0xc0) == 0x80; ++at) {
        character += static_cast<char>(*at);
      }
    }
    const std::int64_t count = std::max<std::int64_t>(field.precision, 1);
    std::string all;
    for (std::int64_t i = 0; i < count; ++i) all += character;
    pad(field, all, count);
  }
  void pad(const Field& field, std::string_view text, std::int64_t characters) {
    const bool left = field.flags.find('-') != field.flags.npos;
    const std::int64_t blanks = field.width - characters;
    if (!left) output_.add_blanks(blanks);
    output_.add(text);
    if (left) output_.add_blanks(blanks);
  }

  Output& output_;
  std::string_view rest_;
  std::span<sqlite3_value* const> values_;
  std::int64_t widest_;  // of a field: what is as wide is too long, and all wider ones are, too
};

void format(sqlite3_context* context, int count, sqlite3_value** values) {
  if (count == 0) return sqlite3_result_null(context);
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  if (text == nullptr) return sqlite3_result_null(context);
  const int longest = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1);
  const int code = guarded([&] {
    Output output(context);
    const std::span<sqlite3_value* const> all(values, static_cast<std::size_t>(count));
    Formatting(output, text, all.subspan(1), longest).run();
    output.give();
    return SQLITE_OK;
  });
  if (code != SQLITE_OK) sqlite3_result_error_nomem(context);
}

}  // namespace

int add_format(sqlite3* connection) {
  int code = SQLITE_OK;
  for (const char* const name : {"printf", "format"}) {
    if (code != SQLITE_OK) break;
    code = sqlite3_create_function_v2(connection, name, -1,
                                      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                      nullptr, format, nullptr, nullptr, nullptr);
  }
  return code;
}

}  // namespace kutrace::query
