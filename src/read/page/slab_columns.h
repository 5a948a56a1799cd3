// SPDX-License-Identifier: BSD-3-Clause
// What CPUs did in one slab of a page, column by column. In: the slab up to its overlays, of any
// origin; out: those columns that are wanted, of those sections that are, ordered by CPU and time;
// or a word that says what does not fit. Columns that are not wanted are passed over unread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/page_format.h"
#include "model/span_slabs.h"
#include "read/page/by_kind.h"
#include "read/page/column_reader.h"
#include "read/page/page_numbers.h"

namespace kutrace::read {

// What all slabs refer to, with names of the reader's table.
struct PageTables : SpanSlabs::Tables {
  std::vector<std::optional<ThreadIndex>> owners;  // the thread that a kind implies
};

// Where the columns of executions stand. Those that are not there hold zeros.
struct SlabBytes {
  // Takes those of a part; null if they could be.
  const char* take(SlabPart part, ColumnReader& from);
  // All of them, from a whole slab, which then stands before its last part.
  const char* take_all(ColumnReader& slab);

  std::uint64_t unit = 0;
  Ns base = 0;
  ColumnReader sections{{}}, kinds{{}}, durations{{}}, gaps{{}}, threads{{}};
  ColumnReader args{{}}, results{{}}, ipcs{{}}, rpcs{{}};
};

class SlabColumnReader {
 public:
  // All of it must stay.
  SlabColumnReader(const PageTables& tables, PageClock& clock) : tables_(tables), clock_(clock) {}

  // These return null if all was well. First, sections and kinds of all spans:
  const char* open(const SlabBytes& bytes);
  // Those columns of that which are chosen. Cheapest in order of sections.
  const char* read(const SlabBytes& bytes, const SpanSlabs::Choice& choice, SlabColumns& columns);
  // Of all spans, and how many of each kind.
  const std::vector<KindIndex>& kinds() const { return kinds_; }
  const std::vector<std::uint32_t>& counts() const { return counts_; }

 private:
  // A column ordered by kind, and the section that it has been read up to.
  struct Sorted {
    std::optional<ByKind> values;
    std::size_t section = 0;
  };
  // Rows of the sections that are read.
  struct Rows {
    std::size_t first = 0;
    std::size_t end = 0;
  };

  bool read_sections(ColumnReader heads);
  bool read_kinds(ColumnReader column);
  void count_before(std::size_t section);
  bool read_durations(ColumnReader column, std::vector<Ns>& durations);
  bool read_starts(ColumnReader gaps, SlabColumns& columns);
  bool read_threads(ColumnReader column, std::vector<ThreadIndex>& threads);
  // Those of kinds that have one.
  template <typename Has>
  ByKind& sorted(Sorted& which, ColumnReader column, std::uint64_t most, Has has);
  // Of kinds that have such a number; 0 of others.
  template <typename Number, typename Has>
  bool read_numbers(Sorted& which, ColumnReader column, std::uint64_t most, Has has,
                    std::vector<Number>& numbers);

  const PageTables& tables_;
  PageClock& clock_;
  std::vector<SlabColumns::Section> sections_;
  std::vector<KindIndex> kinds_;
  std::vector<Ns> starts_of_sections_;
  std::vector<std::size_t> first_rows_;  // of each section, and behind the last
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> before_;  // of each kind, in front of section before_section_
  std::size_t before_section_ = 0;
  std::size_t first_ = 0;  // sections that are read
  std::size_t end_ = 0;
  Rows rows_;
  Sorted durations_, args_, results_, ipcs_, rpcs_;
};

}  // namespace kutrace::read
