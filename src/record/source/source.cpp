// SPDX-License-Identifier: BSD-3-Clause
// The words that command line and trace use, and what all sources tell programs.
#include "record/source/source.h"

#include <fmt/format.h>

#include "kutrace/listeners.h"

namespace kutrace::record {

std::string_view name_of(RecordMode mode) {
  switch (mode) {
    case RecordMode::kFill:
      return "fill";
    case RecordMode::kWrap:
      return "wrap";
    case RecordMode::kStream:
      return "stream";
  }
  return "";
}

std::string_view name_of(SourceKind kind) {
  switch (kind) {
    case SourceKind::kEbpf:
      return "ebpf";
    case SourceKind::kModule:
      return "module";
    case SourceKind::kDaemon:
      return "daemon";
  }
  return "";
}

bool can_join(const SourceOptions& options) {
  return options.shared && !options.owners && options.counters == 0 && !options.stacks &&
         !options.arguments.is_set() &&
         (!options.filter.is_set() || (options.filter_at_end && options.filter.can_come_later()));
}

bool can_share(const SourceOptions& options) {
  return can_join(options) && !options.filter.is_set();
}

Result<std::uint32_t> Source::number_user(std::uint32_t /*uid*/, std::uint32_t /*gid*/) {
  return fail(internal_error("the source does not know whose threads are"));
}

Status Source::forget_user(std::uint32_t /*number*/) {
  return fail(internal_error("the source does not know whose threads are"));
}

Result<GroupSwitch> Source::switch_groups(const EventGroups& /*groups*/) {
  return fail(
      host_error(fmt::format("the source {} records the same groups from start to end", name()))
          .with_hint("--source ebpf switches them while it records"));
}

std::string Source::hear_marks(const EventGroups& groups, std::uint32_t carriers) {
  constexpr std::string_view kWhose = "marks of programs that ask whether somebody listens";
  if (!groups.has(EventGroup::kSyscalls)) return {};
  auto listener = MarkListener::announce(carriers, KUTRACE_LISTENERS_FILE);
  if (!listener) return fmt::format("{} ({})", kWhose, listener.error().sentence);
  mark_listener_.emplace(std::move(*listener));
  if (!mark_listener_->made_the_page() || (carriers & KUTRACE_BY_WRITE) != 0) return {};
  return fmt::format("{} and run already ({} was made only now)", kWhose, KUTRACE_LISTENERS_FILE);
}

std::string Source::hear_marks_after(const EventGroups& before, const EventGroups& now,
                                     std::uint32_t carriers) {
  const bool hears = now.has(EventGroup::kSyscalls);
  if (before.has(EventGroup::kSyscalls) == hears) return {};
  mark_listener_.reset();
  if (!hears) return {};
  std::string deaf = hear_marks(now, carriers);
  ask_for_names();
  return deaf;
}

}  // namespace kutrace::record
