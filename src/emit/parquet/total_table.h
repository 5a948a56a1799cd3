// SPDX-License-Identifier: BSD-3-Clause
// Sums by minute, kind, name and length, as rows of a Parquet file, small enough to keep of every
// host. In: spans and calls; out: bytes, at the end. All columns but the keys are sums, least or
// most, so that engines put hosts and days together by sum, min and max alone. Memory grows with
// rows.
//
// Of what CPUs did (`what` is cpu) a row is all of a minute, kind and name. Of calls and waits
// there is one for each bucket of lengths, those of reports::DurationHistogram; `bucket_ns` is the
// length that stands for them. What begins in a minute counts there, whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/recent_index.h"
#include "emit/parquet/parquet_file.h"
#include "emit/stream/export_sink.h"
#include "model/names.h"

namespace kutrace::emit {

class TotalTable : public ExportSink {
 public:
  TotalTable(const NameTable& names, TakeBytes take);

  void begin(const TraceInfo& known) override { file_.begin(known); }
  void push(const Span& span) override;
  void call(const Call& call) override;
  Status finish(const TraceInfo& info) override;

 private:
  enum class What : std::uint8_t { kCpu, kCall, kWait };
  struct Key {
    What what = What::kCpu;
    SpanKind kind = SpanKind::kUser;
    NameId name = kNoName;  // of a wait: its letter
    std::int64_t minute = 0;
    std::uint32_t bucket = 0;  // none of cpu

    auto operator<=>(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Sums {
    std::int64_t count = 0;
    Ns total = 0;
    Ns least = 0;
    Ns most = 0;
    Ns on_cpu = 0;
    Ns wait = 0;
    Ns ready = 0;
    std::int64_t errors = 0;
  };

  Sums& at(const Key& key, Ns duration);
  std::int64_t minute_of(Ns time) const;
  void add(const Key& key, const Sums& sums);

  const NameTable& names_;
  RecentIndex<Key, Hash, 1024> places_;
  std::vector<Key> keys_;   // by their numbers in places_
  std::vector<Sums> sums_;  // likewise
  ParquetFile file_;
};

}  // namespace kutrace::emit
