// SPDX-License-Identifier: BSD-3-Clause
// Sums of a table's rows that are known before any of them is read. In: of all rows that are the
// same by kind and name, how many there are and what their durations add up to; out: the same
// question of these sums in place of the rows, where kind and name are all that it tells apart.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/span_slabs.h"
#include "query/row_scan.h"
#include "query/span_rows.h"
#include "query/table.h"
#include "query/totals.h"

namespace kutrace::query {

class KnownSums {
 public:
  // `what`: the lists that the numbers of kinds and names point into; they must stay.
  explicit KnownSums(const WhatLists& what);

  // Of kinds whose place in the lists is `whats`; those without a row are left out. Believed where
  // together they are of as many rows as there are.
  void tell(const std::vector<std::int64_t>& whats, const SpanSlabs& slabs);
  // Of each CPU by kind.
  void tell(const std::vector<std::int64_t>& whats, const std::vector<SpanSlabs::CpuSums>& sums);
  // The rows are others now.
  void forget() { by_kind_.told = by_cpu_.told = false; }

  struct Question {
    Totals totals;
    std::vector<Condition> conditions;
  };
  // None: the rows must be read. `groups`: as sum_up() has them.
  std::optional<Question> instead_of(const Totals& totals, const std::vector<std::size_t>& groups,
                                     const std::vector<Condition>& conditions) const;

 private:
  struct Sums {
    Sums(const WhatLists& what, bool of_cpus);
    void add(std::int64_t what, std::int64_t cpu, const SpanSlabs::KindSums& sums);

    Table table;
    bool told = false;
  };

  Sums by_kind_;
  Sums by_cpu_;
};

}  // namespace kutrace::query
