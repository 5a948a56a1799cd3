// SPDX-License-Identifier: BSD-3-Clause
// Choosing how to read.
#include "query/needed_tables.h"

#include <utility>

namespace kutrace::query {

Result<TraceInfo> NeededTables::read_anew(const Needs& needs) {
  if (slabs_ == nullptr) slabs_ = source_.slabs();
  if (slabs_ != nullptr && tables_.are_in(*slabs_, needs)) return tables_.read(*slabs_, needs);
  tables_.make_room(needs);
  return source_.replay(tables_);
}

Result<bool> NeededTables::read(const Needs& needs) {
  if (needs.empty() || tables_.has(needs)) return false;
  KUTRACE_ASSIGN(const TraceInfo info, read_anew(needs));
  if (!std::exchange(was_read_, true) && source_.first_read) source_.first_read(info);
  return true;
}

}  // namespace kutrace::query
