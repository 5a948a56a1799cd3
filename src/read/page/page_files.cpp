// SPDX-License-Identifier: BSD-3-Clause
// The columns of the block, as far as calls have come. A thread's calls end in the order of the
// block; those of several may come in another.
#include "read/page/page_files.h"

#include <string>

#include "read/page/page_numbers.h"

namespace kutrace::read {

PageFiles::PageFiles(std::vector<std::uint8_t> bytes, const PageTables& tables, NameTable& names,
                     SpanSink& next)
    : SpanStage(next), bytes_(std::move(bytes)), tables_(tables) {
  if (bytes_.empty()) return;
  ColumnReader block(bytes_);
  if (!read_names(block, names)) {
    unfit_ = "names";
    return;
  }
  left_ = block.next();
  for (ColumnReader* column : {&begins_, &durations_, &threads_, &used_}) *column = block.column();
  if (block.failed() || !block.done() || left_ > begins_.bytes_left()) {
    unfit_ = "columns";
    return;
  }
  read_next();
}

bool PageFiles::read_names(ColumnReader& block, NameTable& names) {
  const std::uint64_t count = block.next();
  ColumnReader lengths = block.column();
  const ColumnReader texts = block.column();
  if (block.failed() || count > lengths.bytes_left()) return false;
  std::span<const std::uint8_t> rest = texts.rest();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t length = lengths.next();
    if (length > rest.size()) return false;
    const auto taken = rest.first(static_cast<std::size_t>(length));
    files_.push_back(names.intern({reinterpret_cast<const char*>(taken.data()), taken.size()}));
    rest = rest.subspan(taken.size());
  }
  return !lengths.failed() && lengths.done() && rest.empty();
}

void PageFiles::read_next() {
  has_next_ = left_ > 0 && unfit_ == nullptr;
  if (!has_next_) {
    for (const ColumnReader* column : {&begins_, &durations_, &threads_, &used_}) {
      if (!column->done()) unfit_ = "calls";
    }
    return;
  }
  --left_;
  PageClock clock(1, 0);
  bool good = true;
  next_.begin = clock.after(next_.begin, clock.signed_length(begins_.next_signed()));
  next_.end = clock.after(next_.begin, clock.length(durations_.next()));
  next_.thread = static_cast<ThreadIndex>(take(threads_, tables_.pids.size() - 1, good));
  const std::uint64_t file = take(used_, kMost32, good);
  good = good && file < files_.size() && clock.good() && !begins_.failed() && !durations_.failed();
  if (good) {
    next_.file = files_[static_cast<std::size_t>(file)];
    return;
  }
  unfit_ = "calls";
  has_next_ = false;
}

NameId PageFiles::file_of(const Call& call) {
  for (; has_next_ && next_.end <= call.end; read_next())
    soon_[{tables_.pids[next_.thread], tables_.ids[next_.thread]}].push_back(next_);
  const auto found = soon_.find({call.pid, call.thread});
  if (found == soon_.end()) return kNoName;
  std::deque<Entry>& entries = found->second;
  while (!entries.empty() && entries.front().end < call.end) entries.pop_front();
  if (entries.empty() || entries.front().begin != call.begin || entries.front().end != call.end)
    return kNoName;
  const NameId file = entries.front().file;
  entries.pop_front();
  return file;
}

void PageFiles::call(const Call& call) {
  const bool may_have_one = call.kind == SpanKind::kSyscall && (has_next_ || !soon_.empty());
  const NameId file = may_have_one ? file_of(call) : kNoName;
  if (file == kNoName) return next().call(call);
  details_.file = file;
  Call with_file = call;
  with_file.details = &details_;
  next().call(with_file);
}

}  // namespace kutrace::read
