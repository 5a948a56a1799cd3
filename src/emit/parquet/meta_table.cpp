// SPDX-License-Identifier: BSD-3-Clause
// A row for each key and value.
#include "emit/parquet/meta_table.h"

#include "model/metadata.h"
#include "model/names.h"

namespace kutrace::emit {

using enum ParquetColumn::Type;

MetaTable::MetaTable(TakeBytes take)
    : file_("meta", {{"key", kText}, {"value", kText}}, std::move(take)) {}

Status MetaTable::finish(const TraceInfo& info) {
  NameTable texts;
  for (const auto& [key, value] : metadata(info))
    file_.row().text(texts.intern(key), key).text(texts.intern(value), value).end_row();
  return file_.finish(info);
}

}  // namespace kutrace::emit
