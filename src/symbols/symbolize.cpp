// SPDX-License-Identifier: BSD-3-Clause
// One file after the other: is it the one, and what stands at each offset.
#include "symbols/symbolize.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/vdso.h"
#include "symbols/elf_symbols.h"

namespace kutrace::symbols {

namespace {

// Why `found` cannot stand for what was recorded; empty if it can.
std::string refusal(const std::string& recorded, const std::string& found, bool unidentified) {
  if (!recorded.empty() && recorded == found) return {};
  if (!recorded.empty() && !found.empty())
    return fmt::format("it has changed: its build-id is {}, that of the recorded file was {}",
                       found, recorded);
  if (unidentified) return {};
  return recorded.empty() ? "the trace does not hold its build-id" : "it has no build-id";
}

class Files {
 public:
  Files(const SymbolizeOptions& options, Symbolized& out) : options_(options), out_(out) {}

  void add(const SampledMap& sampled) {
    if (!outcome_ || path_ != sampled.map.path || build_id_ != sampled.map.build_id) open(sampled);
    for (const auto& [counter, samples] : sampled.counters) {
      outcome_->samples += samples;
      if (symbols_ && name(sampled.map, counter)) outcome_->named += samples;
    }
  }
  void finish() {
    if (outcome_) out_.files.push_back(std::move(*outcome_));
  }

 private:
  void open(const SampledMap& sampled) {
    finish();
    path_ = sampled.map.path;
    build_id_ = sampled.map.build_id;
    outcome_.emplace();
    outcome_->path = path_;
    symbols_.reset();
    if (path_.starts_with('[') && path_ != kVdsoPath) {
      outcome_->refused = "it is no file";
      return;
    }
    Result<ElfSymbols> opened = path_ == kVdsoPath ? ElfSymbols::open(own_vdso(), path_)
                                                   : ElfSymbols::open(options_.root + path_);
    if (!opened) {
      outcome_->refused = opened.error().sentence;
      return;
    }
    outcome_->refused = refusal(build_id_, opened->build_id(), options_.unidentified);
    if (outcome_->refused.empty()) symbols_.emplace(std::move(*opened));
  }

  bool name(const MapRecord& map, std::uint64_t counter) {
    const std::uint64_t offset = counter - map.start + map.offset;
    const auto symbol = symbols_->find(offset);
    if (!symbol) return false;
    SymbolRecord record;
    record.process = map.process;
    record.from = map.from;
    record.name = symbol->name;
    record.start = counter;
    record.end = counter + 1;
    if (options_.inlined) record.name = with_inlined(offset, record.name);
    if (options_.lines) {
      if (const auto line = symbols_->find_line(offset))
        record.name += fmt::format(" ({}:{})", line->source, line->line);
    }
    if (!options_.lines && !options_.inlined) {
      record.start = map.start + std::max(symbol->start, map.offset) - map.offset;
      record.end = std::min(map.end, map.start + symbol->end - map.offset);
    }
    if (seen_.emplace(record.process, record.from, record.start).second)
      out_.symbols.push_back(std::move(record));
    return true;
  }

  // "inner < outer < function": what runs first, then where it was inlined to.
  std::string with_inlined(std::uint64_t offset, const std::string& function) const {
    std::vector<std::string> names = symbols_->find_inlined(offset);
    names.push_back(function);
    return fmt::format("{}", fmt::join(names, " < "));
  }

  const SymbolizeOptions& options_;
  Symbolized& out_;
  std::string path_;
  std::string build_id_;
  std::optional<ElfSymbols> symbols_;
  std::optional<FileOutcome> outcome_;
  std::set<std::tuple<Pid, Ticks, std::uint64_t>> seen_;
};

}  // namespace

Symbolized symbolize(const std::vector<SampledMap>& sampled, const SymbolizeOptions& options) {
  std::vector<const SampledMap*> by_file;
  for (const SampledMap& map : sampled) {
    if (!map.counters.empty()) by_file.push_back(&map);
  }
  std::stable_sort(by_file.begin(), by_file.end(), [](const SampledMap* a, const SampledMap* b) {
    return std::tie(a->map.path, a->map.build_id) < std::tie(b->map.path, b->map.build_id);
  });
  Symbolized out;
  Files files(options, out);
  for (const SampledMap* map : by_file) files.add(*map);
  files.finish();
  return out;
}

}  // namespace kutrace::symbols
