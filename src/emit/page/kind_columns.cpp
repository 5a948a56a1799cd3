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

KindColumns& ColumnsByKind::of(KindIndex kind) {
  if (kind >= places_.size()) places_.resize(kind + std::size_t{1});
  std::uint32_t& place = places_[kind];
  if (place == 0) {
    if (used_ == columns_.size()) columns_.emplace_back();
    place = static_cast<std::uint32_t>(++used_);
  }
  return columns_[place - 1];
}

Column ColumnsByKind::joined(Column KindColumns::* column) const {
  Column all;
  for (const std::uint32_t place : places_) {
    if (place != 0) all.append(columns_[place - 1].*column);
  }
  return all;
}

}  // namespace kutrace::emit
