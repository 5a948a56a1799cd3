// SPDX-License-Identifier: BSD-3-Clause
// The module lists calls of a patched kernel under names of their own, beside the tracepoints.
#include "record/module/patched_calls.h"

#include <fmt/ranges.h>

#include <cerrno>

namespace kutrace::record {

namespace {

constexpr std::string_view kPrefix = "patch_";

std::vector<std::string> calls(const std::vector<kutrace_hook_info>& hooks, bool used) {
  std::vector<std::string> names;
  for (const kutrace_hook_info& hook : hooks)
    if (is_patched_call(hook) && (hook.error == 0) == used) names.emplace_back(hook.name);
  return names;
}

}  // namespace

bool is_patched_call(const kutrace_hook_info& hook) {
  return std::string_view(hook.name).starts_with(kPrefix);
}

void leave_to_tracepoints(std::string_view call, std::vector<kutrace_hook_info>& hooks) {
  for (kutrace_hook_info& hook : hooks)
    if (hook.name == call) hook.error = -ENOENT;
}

void leave_all_to_tracepoints(std::vector<kutrace_hook_info>& hooks) {
  for (kutrace_hook_info& hook : hooks)
    if (is_patched_call(hook)) hook.error = -ENOENT;
}

std::vector<std::string> patched_calls(const std::vector<kutrace_hook_info>& hooks) {
  return calls(hooks, true);
}

std::string hooks_text(const std::vector<kutrace_hook_info>& hooks) {
  if (calls(hooks, true).empty()) return "tracepoints";
  std::vector<std::string> lacking = calls(hooks, false);
  if (lacking.empty()) return "patch";
  for (std::string& name : lacking) name.erase(0, kPrefix.size());
  return fmt::format("patch, but tracepoints for {}", fmt::join(lacking, ", "));
}

}  // namespace kutrace::record
