// SPDX-License-Identifier: BSD-3-Clause
// One set of columns for each kind that occurs, see kind_columns.h.
#include "emit/page/kind_columns.h"

#include <span>

namespace kutrace::emit {

void ColumnsByKind::clear() {
  places_.clear();
  for (KindColumns& kind : std::span(columns_).first(used_)) {
    for (Column* column :
         {&kind.durations, &kind.arguments, &kind.results, &kind.ipc, &kind.rpc, &kind.pieces}) {
      column->clear();
    }
  }
  used_ = 0;
}

KindColumns& ColumnsByKind::add(KindIndex kind) {
  if (kind >= places_.size()) places_.resize(kind + std::size_t{1});
  if (used_ == columns_.size()) columns_.emplace_back();
  places_[kind] = static_cast<std::uint32_t>(++used_);
  return columns_[used_ - 1];
}

void ColumnsByKind::append_joined(Column KindColumns::* column, Column& out) const {
  for (const std::uint32_t place : places_) {
    if (place != 0) out.append(columns_[place - 1].*column);
  }
}

void ColumnsByKind::put_joined(Column KindColumns::* column, Column& out) const {
  std::size_t size = 0;
  for (const KindColumns& kind : std::span(columns_).first(used_)) size += (kind.*column).size();
  out.put(size);
  append_joined(column, out);
}

}  // namespace kutrace::emit
