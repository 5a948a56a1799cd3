// SPDX-License-Identifier: BSD-3-Clause
// Of which system calls a recording has all arguments, where they change while it goes on. In: the
// choice that it began with, and wishes; out: the source told, what changed when, and the facts
// that say so.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "format/name_entries.h"
#include "format/tick_rate.h"
#include "record/run/signed_words.h"
#include "record/source/call_choice.h"
#include "record/source/source.h"

namespace kutrace::record {

class ArgumentLog {
 public:
  explicit ArgumentLog(const CallChoice& first) : now_(first), is_set_(first.is_set()) {}

  // Those that are recorded now: "arguments of connect, openat".
  std::string text() const;
  // "+file,connect", "-read": names and groups, as --syscalls has them; of a call that is both, the
  // wish to record it holds. Fails, and changes nothing, if the recording began without arguments.
  // A call that is going on then may have its arguments, or what they point to, in part.
  Status change(const std::vector<std::string>& words, Source& source);
  // What changed, in times after `zero`.
  void add_to(NameEntries& names, Ticks zero, TickRate rate) const;

 private:
  CallChoice now_;
  bool is_set_;
  WordLog changes_;
};

}  // namespace kutrace::record
