// SPDX-License-Identifier: BSD-3-Clause
// Files by number, as most are used more than once.
#include "emit/page/call_files.h"

#include <string_view>
#include <utility>

#include "emit/page/text_columns.h"
#include "model/call_details.h"

namespace kutrace::emit {

void CallFiles::add(const Call& call, ThreadIndex thread) {
  if (call.details == nullptr || call.details->file == kNoName) return;
  const auto [found, is_new] =
      numbers_.try_emplace(call.details->file, static_cast<std::uint32_t>(files_.size()));
  if (is_new) files_.push_back(call.details->file);
  begins_.put_signed(call.begin - std::exchange(last_, call.begin));
  durations_.put(static_cast<std::uint64_t>(call.duration()));
  threads_.put(thread);
  used_.put(found->second);
  ++count_;
}

Column CallFiles::encode(const NameTable& names) const {
  std::vector<std::string_view> texts;
  texts.reserve(files_.size());
  for (const NameId file : files_) texts.push_back(names.text(file));
  Column out;
  put_texts(out, texts);
  out.put(count_);
  for (const Column* column : {&begins_, &durations_, &threads_, &used_}) out.put_column(*column);
  return out;
}

}  // namespace kutrace::emit
