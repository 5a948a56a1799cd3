// SPDX-License-Identifier: BSD-3-Clause
// Walking the entries of a block in memory: enough to tell whether it is complete, to count, to
// cut.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/units.h"
#include "format/entry_word.h"
#include "record/blocks/finished_block.h"

namespace kutrace::record {

// Length in words of the entry that begins with this word.
std::uint32_t entry_words(std::uint64_t word);

// No entry that was claimed is still to be stored.
bool is_settled(const FinishedBlock& block);

// How many claimed entries were never stored.
std::uint64_t count_holes(const FinishedBlock& block);

// Calls f(position) for each entry.
template <typename F>
void for_each_entry(const FinishedBlock& block, F&& f) {
  for (std::uint32_t at = KUTRACE_HEADER_WORDS; at < block.end;) {
    f(at);
    at += entry_words(block.words[at]);
  }
}

// Time of its last entry; where it holds none, of its begin.
Ticks end_time(const FinishedBlock& block);

// A copy without what happened after `stop`: later entries, and the part of a folded call beyond
// it. Returns its first word that holds no entry.
std::uint32_t cut_after(const FinishedBlock& block, Ticks stop, std::vector<std::uint64_t>& copy);

// Where what a block holds ends at this moment, from the entry at `from` on: before the first one
// that was claimed and is not yet stored, or that nobody claimed. Its CPU may write to it
// meanwhile.
std::uint32_t end_of_written(const FinishedBlock& block, std::uint32_t from);

// Of blocks in order of time, whether entries of each may be later than the stop: those of the last
// one of a CPU, and of one whose successor was begun later.
std::vector<bool> may_outlast(const std::vector<FinishedBlock>& blocks, Ticks stop);

}  // namespace kutrace::record
