// SPDX-License-Identifier: BSD-3-Clause
// Commands, options and their fixed values as the parser has them, see completion.h.
#include "cli/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string_view>

#include "cli/help_topics.h"
#include "cli/output_form.h"

namespace kutrace::cli {
namespace {

constexpr std::string_view kVerbs = "All verbs:\n";  // of `control`, in its footer

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

const CLI::App* command_of(const CLI::App& app, const std::string& word) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == word) return command;
  }
  return nullptr;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// The values of an option that has so many and no others: they stand in its type, {a,b,c}.
std::vector<Completion> values_of(const CLI::App& command, const std::string& name) {
  std::vector<Completion> values;
  // They stand below the options, as there are many.
  if (command.get_name() == "export" && (name == "--format" || name == "--to")) {
    for (const std::string_view form : export_form_names())
      values.push_back({std::string(form), ""});
    return values;
  }
  const CLI::Option* const option = command.get_option_no_throw(name);
  const std::string type = option == nullptr ? "" : option->get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  if (begin == type.npos || end == type.npos) return values;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string value; std::getline(list, value, ',');) values.push_back({value, ""});
  return values;
}

std::vector<Completion> options_of(const CLI::App& command) {
  std::vector<Completion> all;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : names_of(*option)) {
      all.push_back({name, first_line(option->get_description())});
    }
  }
  return all;
}

std::vector<Completion> commands_of(const CLI::App& app) {
  std::vector<Completion> all;
  for (const CLI::App* command : app.get_subcommands({})) {
    all.push_back({command->get_name(), command->get_description()});
  }
  const std::string footer = app.get_footer();
  if (const std::size_t verbs = footer.find(kVerbs); verbs != footer.npos) {
    std::istringstream list(footer.substr(verbs + kVerbs.size()));
    for (std::string verb; list >> verb;) all.push_back({verb, ""});
  }
  return all;
}

}  // namespace

std::vector<Completion> completions(const CLI::App& program, std::span<const std::string> words) {
  if (words.empty()) return {};
  const std::string& typed = words.back();
  std::span<const std::string> before = words.first(words.size() - 1);
  const bool helps = !before.empty() && before.front() == "help";
  const bool first = before.size() == (helps ? 1 : 0);
  if (helps) before = before.subspan(1);
  const CLI::App* command = &program;
  std::size_t commands = 0;
  for (const std::string& word : before) {
    const CLI::App* next = command_of(*command, word);
    if (next == nullptr) break;
    command = next;
    ++commands;
  }
  std::vector<Completion> all;
  if (!before.empty() && before.back().starts_with('-')) all = values_of(*command, before.back());
  if (all.empty() && typed.starts_with('-')) all = options_of(*command);
  if (all.empty() && commands == before.size()) {
    all = commands_of(*command);
    if (first && !helps) all.push_back({"help", "What a command does, or what holds for many"});
    if (first && helps) {
      for (const std::string_view topic : help_topic_names())
        all.push_back({std::string(topic), ""});
    }
  }
  std::erase_if(all, [&](const Completion& one) { return !one.word.starts_with(typed); });
  return all;
}

}  // namespace kutrace::cli
