// SPDX-License-Identifier: BSD-3-Clause
// Lock points of user programs to spans: wanted (try to acquire) and held (acquire to release).
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/units.h"
#include "model/span_sink.h"
#include "spans/name_book.h"

namespace kutrace::spans {

class Locks {
 public:
  Locks(NameBook& names, SpanSink& sink) : names_(names), sink_(sink) {}

  // What threads do with locks is not recorded from here on.
  void forget() { last_.clear(); }
  // `point` is LOCK_TRY, LOCK_ACQUIRE or LOCK_RELEASE.
  void push(Ns now, Pid pid, EventNum point, std::uint32_t lock);

 private:
  struct Last {
    EventNum point = 0;
    Ns time = 0;
  };

  void span(SpanKind kind, Ns begin, Ns end, Pid pid, std::uint32_t lock);

  NameBook& names_;
  SpanSink& sink_;
  std::map<std::pair<std::uint32_t, Pid>, Last> last_;
};

}  // namespace kutrace::spans
