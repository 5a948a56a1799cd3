// SPDX-License-Identifier: BSD-3-Clause
// Putting causes into words.
#include "emit/text/cause_text.h"

#include <fmt/format.h>

#include "emit/text/wait_words.h"

namespace kutrace::emit {

namespace {

std::string missing(const reports::Cause& cause) {
  return cause.cpu == kNoCpu ? "" : fmt::format(", as events of CPU {} are missing", cause.cpu);
}

}  // namespace

using reports::Cause;
using reports::CauseKind;
using reports::kNoRow;
using reports::ThreadRow;

std::string CauseText::thread(ThreadRow row) const {
  return thread_label(names_.text(happenings_.name_of(row)), happenings_.pid_of(row), facts_);
}

// Of many threads, the name; a sentence has words for none.
std::string CauseText::who(ThreadRow row, ThreadRow own) const {
  if (own != kNoRow) return thread(row);
  const std::string& name = names_.text(happenings_.name_of(row));
  return name.empty() ? "a thread without a name" : name;
}

std::string CauseText::on(NameId file) const {
  return file == kNoName ? "" : " on " + names_.text(file);
}

std::string CauseText::in_call(const Cause& cause) const {
  return cause.name == kNoName ? "" : " in " + names_.text(cause.name) + on(cause.file);
}

std::string CauseText::cpu(const Cause& cause) const {
  return cause.cpu == kNoCpu ? "its CPU" : fmt::format("CPU {}", cause.cpu);
}

std::string CauseText::ended_by_interrupt(const Cause& cause, ThreadRow own) const {
  if (cause.waker == kNoName) return "";
  const std::string& waker = names_.text(cause.waker);
  return cause.other == kNoRow
             ? fmt::format(", until {} ended it", waker)
             : fmt::format(", until {} brought what {} sent", waker, who(cause.other, own));
}

std::string CauseText::waited(const Cause& cause, ThreadRow own, bool is_own) const {
  const std::string woken = ended_by_interrupt(cause, own);
  switch (cause.kind) {
    case CauseKind::kTimer:
      return fmt::format("slept{}{}", in_call(cause), woken);
    case CauseKind::kDisk:
      return fmt::format("waited for the disk{}{}", in_call(cause), woken);
    case CauseKind::kNetwork:
      return fmt::format("waited for the network{}{}", in_call(cause), woken);
    case CauseKind::kDevice:
      return fmt::format("waited{}{}", in_call(cause), woken);
    default:
      break;
  }
  const std::string what =
      is_own
          ? fmt::format("waited for {}{}", waited_for(cause.waited, cause.of_lock), in_call(cause))
          : fmt::format("waited{}", in_call(cause));
  if (cause.at_end) return what + " until the trace ended";
  if (cause.other == kNoRow) return what + "; who ended that is not known";
  return fmt::format("{}, until {} ended it{}", what, who(cause.other, own),
                     cause.waker == kNoName ? "" : " in " + names_.text(cause.waker));
}

std::string CauseText::did(const Cause& cause, ThreadRow own, bool is_own) const {
  const std::string& name = names_.text(cause.name);
  switch (cause.kind) {
    case CauseKind::kUser:
      return "ran its own code";
    case CauseKind::kCall:
    case CauseKind::kFault:
      return fmt::format("was on a CPU in {}", name);
    case CauseKind::kScheduler:
      return "was in the scheduler";
    case CauseKind::kInterrupt:
      return fmt::format("lost its CPU to interrupt {}", name);
    case CauseKind::kSoftirq:
      return fmt::format("lost its CPU to softirq {}", name);
    case CauseKind::kReady:
      return fmt::format("was ready, and {} ran {}", cpu(cause), who(cause.other, own));
    case CauseKind::kReadyInterrupt:
      return fmt::format("was ready, and {} handled {}", cpu(cause), name);
    case CauseKind::kWakeup:
      return fmt::format("was ready, and {}, idle, had yet to switch to it", cpu(cause));
    case CauseKind::kIdleExit:
      return fmt::format("was ready, and {} had to leave an idle state", cpu(cause));
    case CauseKind::kUnknown:
      return "did what the trace does not tell" + missing(cause);
    default:
      return waited(cause, own, is_own);
  }
}

std::string CauseText::words(const Cause& cause, ThreadRow own) const {
  const bool is_own = cause.thread == own || cause.thread == kNoRow;
  if (is_own) {
    return cause.kind == CauseKind::kUnknown ? "not known" + missing(cause)
                                             : "it " + did(cause, own, true);
  }
  return fmt::format("it waited for {}, and {} {}", waited_for(cause.waited, cause.of_lock),
                     who(cause.thread, own), did(cause, own, false));
}

}  // namespace kutrace::emit
