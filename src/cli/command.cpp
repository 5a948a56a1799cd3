// SPDX-License-Identifier: BSD-3-Clause
// Declarations of options, and the words of the command line, handed on to CLI11.
#include "cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/completion.h"
#include "cli/standard_error.h"

namespace kutrace::cli {

namespace {

// CLI11 takes -1 for a large number where it wants one without sign.
std::string below(std::uint64_t least, const std::string& text) {
  std::uint64_t number = 0;
  const bool is_negative = text.find('-') != std::string::npos;
  if (!is_negative && (!CLI::detail::lexical_cast(text, number) || number >= least))
    return {};  // what is no number is told when it is converted
  return "Value " + text + " is less than " + std::to_string(least);
}

// What does not fit is told with its limit; empty if it does.
std::string no_word_number(const std::string& text) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t number = 0;
  const bool fits = text.find('-') == std::string::npos &&
                    CLI::detail::lexical_cast(text, number) && number <= kMost;
  return fits ? "" : fmt::format("'{}' is no whole number from 0 to {}", text, kMost);
}

// Where the help of what was typed stands.
std::string help_hint(const CLI::App* app) {
  std::string words = app->get_name();
  for (auto chosen = app->get_subcommands(); !chosen.empty();
       chosen = chosen.back()->get_subcommands()) {
    words += " " + chosen.back()->get_name();
  }
  if (app->get_subcommands().empty()) return "kutrace --help, or kutrace COMMAND --help";
  return words + " --help";
}

// The first unknown option that was typed, without its value; empty if there is none.
std::string unknown_option(const CLI::App* app) {
  for (const std::string& word : app->remaining(true)) {
    if (word.starts_with('-') && word != "-" && word != "--") return word.substr(0, word.find('='));
  }
  return {};
}

std::string sentence(const CLI::App* app, const CLI::Error& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    if (const std::string option = unknown_option(app); !option.empty())
      return "there is no option " + option;
  }
  return error.what();
}

// The option that was probably meant, and where the help is.
std::string option_hint(const CLI::App* app) {
  const std::string typed = unknown_option(app);
  std::string help = help_hint(app);
  if (!typed.starts_with("--")) return help;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().back();
  std::vector<std::string> names;
  for (const CLI::Option* option : app->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return meant_or(typed, std::vector<std::string_view>(names.begin(), names.end()), help);
}

// Accepts one of `words`; otherwise names them, and the nearest.
CLI::Validator one_of_words(std::vector<std::string> words) {
  std::string listed = CLI::detail::join(words, ",");
  return {[words = std::move(words), listed](const std::string& typed) {
            if (std::ranges::find(words, typed) != words.end()) return std::string();
            const std::string_view meant =
                nearest(typed, std::vector<std::string_view>(words.begin(), words.end()));
            const std::string wrong = "'" + typed + "' is not one of " + listed;
            return meant.empty() ? wrong : wrong + "; did you mean " + std::string(meant) + "?";
          },
          "{" + listed + "}"};
}

// What stands for an option's value in the help: {a,b}, or TEXT, UINT, ... with a range.
std::string value_name(std::string type) {
  const std::size_t colon = type.find(':');
  if (colon == type.npos) return type;
  std::string check = type.substr(colon + 1);
  if (check.starts_with('{')) return check;
  if (const std::size_t range = check.find('['); check.starts_with("INT in "))
    return type.substr(0, colon) + " " + check.substr(range);
  return type.substr(0, colon);
}

// The library's help, but with one line for most options. Which options exclude each other is left
// to the error that says so.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    std::string text = " " + value_name(option->get_type_name());
    if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    if (option->get_required()) text += " REQUIRED";
    return text;
  }

  // What is wider than its column stands in one line all the same, where there is room.
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    constexpr std::size_t kWidest = 100;
    const std::string name =
        "  " + make_option_name(option, is_positional) + make_option_opts(option);
    const std::string is = make_option_desc(option);
    const bool is_wide = name.size() >= get_column_width();
    if (!is_wide || name.size() + 2 + is.size() > kWidest)
      return CLI::Formatter::make_option(option, is_positional);
    return name + "  " + is + "\n";
  }

  // make_help ends the options with an empty line, footers begin with one.
  std::string make_footer(const CLI::App* app) const override {
    const std::string footer = CLI::Formatter::make_footer(app);
    return footer.substr(footer.starts_with('\n') ? 1 : 0);
  }
};

}  // namespace

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::shows_default() const {
  option_->capture_default_str();
  return *this;
}

Option Option::one_of(std::vector<std::string> words) const {
  option_->check(one_of_words(std::move(words)));
  return *this;
}

Option Option::at_least(std::uint64_t least) const {
  return check([least](const std::string& text) {
    std::int64_t number = 0;
    std::uint64_t large = 0;
    const bool is_whole =
        CLI::detail::lexical_cast(text, number) || CLI::detail::lexical_cast(text, large);
    return is_whole ? below(least, text)
                    : fmt::format("'{}' is no whole number of {} or more", text, least);
  });
}

Option Option::between(int least, int most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::between(double least, double most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::list() const {
  option_->delimiter(',');
  return one_each_time();
}

Option Option::one_each_time() const {
  option_->allow_extra_args(false);
  return *this;
}

Option Option::times(int least, int most) const {
  option_->expected(least, most);
  return *this;
}

Option Option::byte_size() const {
  option_->transform(CLI::AsSizeValue(false));
  // The last one looks first.
  option_->transform(
      CLI::Validator([](const std::string& text) { return below(0, text); }, std::string()));
  return *this;
}

Option Option::check(std::function<std::string(const std::string&)> wrong) const {
  option_->check(std::move(wrong));
  return *this;
}

Option Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

Option Option::excludes(const char* other) const {
  option_->excludes(std::string(other));
  return *this;
}

void exclude_each_other(std::initializer_list<Option> options) {
  for (const Option option : options) {
    for (const Option other : options) {
      if (option != other) option.excludes(other);
    }
  }
}

Command Command::add_command(const char* name, const char* does) const {
  return {*app_->add_subcommand(name, does), *chosen_};
}

void Command::needs_command() const { app_->require_subcommand(1); }

void Command::footer(std::string text) const { app_->footer(std::move(text)); }

// A variable of a script that is not set must not mean that the option is not there.
template <typename Value>
Option Command::add_option(const char* names, Value& value, const char* is) const {
  CLI::Option* const option = app_->add_option(names, value, is);
  if (std::string_view(names).starts_with('-'))
    option->check([](const std::string& word) {
      return word.empty() ? std::string("has no value") : std::string();
    });
  if constexpr (std::is_same_v<Value, std::uint32_t> ||
                std::is_same_v<Value, std::optional<std::uint32_t>>)
    option->check(no_word_number);
  return Option(option);
}

Option Command::add_flag(const char* names, bool& value, const char* means) const {
  return Option(app_->add_flag(names, value, means));
}

Option Command::option(const char* name) const { return Option(app_->get_option(name)); }

void Command::runs(Run run) const {
  app_->callback([run = std::move(run), chosen = chosen_] { *chosen = run; });
}

template Option Command::add_option(const char*, std::string&, const char*) const;
template Option Command::add_option(const char*, std::optional<std::string>&, const char*) const;
template Option Command::add_option(const char*, int&, const char*) const;
template Option Command::add_option(const char*, double&, const char*) const;
template Option Command::add_option(const char*, std::uint32_t&, const char*) const;
template Option Command::add_option(const char*, std::uint64_t&, const char*) const;
template Option Command::add_option(const char*, std::optional<std::uint32_t>&, const char*) const;
template Option Command::add_option(const char*, std::optional<std::uint64_t>&, const char*) const;
template Option Command::add_option(const char*, std::vector<std::string>&, const char*) const;
template Option Command::add_option(const char*, std::vector<std::uint32_t>&, const char*) const;

struct CommandLine::Parser {
  explicit Parser(const char* does) : app(does, "kutrace") {}
  CLI::App app;
  Run chosen;
};

CommandLine::CommandLine(const char* does, const char* footer, const std::string& version)
    : parser_(std::make_unique<Parser>(does)) {
  CLI::App& app = parser_->app;
  app.footer(footer);
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("-V,--version", version, "print the version");
  app.require_subcommand(1);
  app.failure_message([](const CLI::App* asked, const CLI::Error& error) {
    return "kutrace: error: " + printable(sentence(asked, error)) +
           "\n  hint: " + option_hint(asked) + "\n";
  });
}

CommandLine::~CommandLine() = default;

Command CommandLine::program() { return {parser_->app, parser_->chosen}; }

std::vector<std::string> CommandLine::command_names() const {
  std::vector<std::string> names;
  const CLI::App& app = parser_->app;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string CommandLine::help() const { return parser_->app.help(); }

std::string CommandLine::completions(std::span<const std::string> words) const {
  std::string lines;
  for (const Completion& one : cli::completions(parser_->app, words)) {
    lines += one.word + "\t" + one.means + "\n";
  }
  return lines;
}

CommandLine::Wish CommandLine::parse(std::vector<std::string> words) {
  std::ranges::reverse(words);  // as CLI11 wants them
  try {
    parser_->app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    std::ostringstream help;
    std::ostringstream wrong;
    if (parser_->app.exit(error, help, wrong) == 0) return {{}, help.str()};
    write_standard_error(wrong.str());
    return {};
  }
  return {parser_->chosen, {}};
}

}  // namespace kutrace::cli
