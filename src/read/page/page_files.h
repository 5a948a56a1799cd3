// SPDX-License-Identifier: BSD-3-Clause
// Which file or connection calls are about, as a page tells it. In: the bytes of its block, of any
// origin, and calls in order of their ends; out: the same calls, those with a file with its name.
// Held: the block, and of each thread the calls that are to come soon.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/call_details.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "read/page/column_reader.h"
#include "read/page/slab_columns.h"

namespace kutrace::read {

class PageFiles : public SpanStage {
 public:
  // Empty bytes: the page names no files. `tables` and `names` stay where they are.
  PageFiles(std::vector<std::uint8_t> bytes, const PageTables& tables, NameTable& names,
            SpanSink& next);

  void call(const Call& call) override;
  // Null if all of it was a block of files so far; else what was not.
  const char* unfit() const { return unfit_; }

 private:
  struct Entry {
    Ns begin = 0;
    Ns end = 0;
    ThreadIndex thread = kNoThread;
    NameId file = kNoName;
  };
  using Owner = std::pair<Pid, ThreadId>;

  bool read_names(ColumnReader& block, NameTable& names);
  void read_next();
  NameId file_of(const Call& call);

  std::vector<std::uint8_t> bytes_;
  const PageTables& tables_;
  std::vector<NameId> files_;
  ColumnReader begins_{{}}, durations_{{}}, threads_{{}}, used_{{}};
  std::uint64_t left_ = 0;  // that are not read
  Entry next_;              // where has_next_
  bool has_next_ = false;
  std::map<Owner, std::deque<Entry>> soon_;
  CallDetails details_;
  const char* unfit_ = nullptr;
};

}  // namespace kutrace::read
