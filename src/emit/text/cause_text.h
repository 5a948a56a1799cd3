// SPDX-License-Identifier: BSD-3-Clause
// Causes in words. In: a cause, and whose interval it is; out: "it was ready, and CPU 1 ran
// gcc.77".
#pragma once

#include <string>

#include "format/facts.h"
#include "model/names.h"
#include "model/thread_label.h"
#include "reports/cause.h"

namespace kutrace::emit {

class CauseText {
 public:
  CauseText(const reports::Happenings& happenings, const NameTable& names, const Facts& facts)
      : happenings_(happenings), names_(names), facts_(facts) {}

  // `own`: the thread whose interval it is; kNoRow in causes of many threads, where a thread stands
  // for all of its name.
  std::string words(const reports::Cause& cause, reports::ThreadRow own) const;
  // "gcc.77", of one machine among several "gcc.77@host".
  std::string thread(reports::ThreadRow row) const;
  const std::string& name_of(NameId file) const { return names_.text(file); }
  // " on /var/log/x"; empty: no file.
  std::string on(NameId file) const;
  // "gcc", of many threads of that name; "?" of those without one.
  std::string name(reports::ThreadRow row) const {
    return name_label(names_.text(happenings_.name_of(row)));
  }

 private:
  std::string who(reports::ThreadRow row, reports::ThreadRow own) const;
  std::string did(const reports::Cause& cause, reports::ThreadRow own, bool is_own) const;
  std::string waited(const reports::Cause& cause, reports::ThreadRow own, bool is_own) const;
  std::string ended_by_interrupt(const reports::Cause& cause, reports::ThreadRow own) const;
  std::string in_call(const reports::Cause& cause) const;
  std::string cpu(const reports::Cause& cause) const;

  const reports::Happenings& happenings_;
  const NameTable& names_;
  const Facts& facts_;
};

}  // namespace kutrace::emit
