// SPDX-License-Identifier: BSD-3-Clause
// Files as shells and the dynamic linker find them, and names as people write them.
#include "cli/probed_functions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "base/demangled.h"
#include "base/function_pattern.h"
#include "base/shell_pattern.h"
#include "base/text.h"
#include "cli/log.h"
#include "symbols/elf_functions.h"

namespace kutrace::cli {

namespace {

constexpr std::string_view kProbeUsage =
    "BINARY is a path, a command or a library, PATTERN a name with * and ?: ./server:handle_*, "
    "libc.so.6:malloc";
constexpr std::string_view kLibraryFolders =
    "/usr/local/lib:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib/aarch64-linux-gnu:"
    "/usr/lib/aarch64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib";

struct ProbeWish {
  std::string binary;
  std::string pattern;
};

Result<ProbeWish> parse_wish(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
    return fail(usage_error("--functions: '" + printable(text) + "' is not BINARY:PATTERN")
                    .with_hint(std::string(kProbeUsage)));
  return ProbeWish{text.substr(0, colon), text.substr(colon + 1)};
}

// Empty if none of them has it.
std::string find_in_folders(std::string_view folders, const std::string& name) {
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    std::string path = std::string(folder) + "/" + name;
    if (!folder.empty() && access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

Result<std::string> probed_path(const std::string& binary) {
  std::string path = binary;
  if (!binary.contains('/')) {
    const char* const commands = std::getenv("PATH");
    path = find_in_folders(commands != nullptr ? commands : "", binary);
    if (path.empty()) path = find_in_folders(kLibraryFolders, binary);
  }
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (path.empty() || error)
    return fail(usage_error("--functions: there is no program or library " + printable(binary))
                    .with_hint("give its path; a name without / is looked for in PATH and among "
                               "libraries"));
  return real.string();
}

// Of several names of one function, that which is shown: the shortest.
bool is_better_name(const std::string& offered, const std::string& kept) {
  return std::pair(offered.size(), offered) < std::pair(kept.size(), kept);
}

using ByOffset = std::map<std::uint64_t, std::string>;

// An exception may never come. Go's runtime looks at return addresses sooner or later.
Status check_runtime(const std::string& path, const symbols::ElfFunctions& functions) {
  if (!functions.has_go_code) return {};
  return fail(
      usage_error(fmt::format("--functions: {} has code of Go, and probes would end the program: "
                              "Go's runtime walks and moves its stacks, where the kernel puts an "
                              "address of its own in the place of where a function returns to",
                              printable(path)))
          .with_hint("mark it in its source instead, by kutrace.go: doc/marks.md"));
}

Status choose_probed(const ProbeWish& asked, std::map<std::string, ByOffset>& chosen) {
  KUTRACE_ASSIGN(const std::string path, probed_path(asked.binary));
  KUTRACE_ASSIGN(const symbols::ElfFunctions functions, symbols::elf_functions(path));
  KUTRACE_TRY(check_runtime(path, functions));
  ByOffset& of_file = chosen[path];
  std::size_t count = 0;
  for (const symbols::ElfFunction& function : functions.all) {
    const std::string plain = demangled(function.symbol.c_str());
    if (!fits(asked.pattern, function.symbol) && !fits_function(asked.pattern, plain)) continue;
    ++count;
    std::string& name = of_file[function.offset];
    if (name.empty() || is_better_name(plain, name)) name = plain;
  }
  if (count != 0 && functions.throws)
    log_warn(
        "{} uses exceptions: one that passes a probed function ends the program, as the kernel "
        "puts an address of its own in the place of where the function returns to",
        printable(path));
  if (count != 0) return {};
  if (functions.all.empty())
    return fail(usage_error(fmt::format("--functions: {} names no functions", printable(path)))
                    .with_hint("it is stripped: its symbols may be in a package -dbgsym"));
  return fail(usage_error(fmt::format("--functions: no function of {} fits '{}'", printable(path),
                                      printable(asked.pattern)))
                  .with_hint("nm -C " + printable(path) + " shows what it has"));
}

}  // namespace

Result<std::vector<record::ProbedFunction>> probed_functions(
    const std::vector<std::string>& asked) {
  std::map<std::string, ByOffset> chosen;
  for (const std::string& text : asked) {
    KUTRACE_ASSIGN(const ProbeWish one, parse_wish(text));
    KUTRACE_TRY(choose_probed(one, chosen));
  }
  std::vector<record::ProbedFunction> functions;
  for (const auto& [path, of_file] : chosen)
    for (const auto& [offset, name] : of_file) functions.push_back({path, offset, name});
  if (functions.size() > record::kMostProbedFunctions)
    return fail(
        usage_error(fmt::format("--functions: {} functions fit, at most {} can be probed",
                                grouped(functions.size()), grouped(record::kMostProbedFunctions)))
            .with_hint("choose fewer by a longer pattern"));
  return functions;
}

}  // namespace kutrace::cli
