// SPDX-License-Identifier: BSD-3-Clause
// The page's header as JSON, see page_header.h.
#include "emit/page/page_header.h"

#include <string_view>
#include <unordered_set>

#include "base/inflate.h"
#include "base/json_text.h"

namespace kutrace::emit {
namespace {

// The names that spans and threads use, numbered anew so that unused ones stay out.
class PageNames {
 public:
  explicit PageNames(const NameTable& names) : names_(names), numbers_(names.size(), 0) {
    numbers_[kNoName] = 1;
    used_.push_back(kNoName);
  }
  std::uint32_t number(NameId id) {
    if (numbers_[id] == 0) {
      used_.push_back(id);
      numbers_[id] = static_cast<std::uint32_t>(used_.size());
    }
    return numbers_[id] - 1;
  }
  void write(JsonText& json) const {
    json.key("names").begin_array();
    for (const NameId id : used_) json.value(names_.text(id));
    json.end_array();
  }

 private:
  const NameTable& names_;
  std::vector<std::uint32_t> numbers_;  // number + 1, 0: not used yet
  std::vector<NameId> used_;
};

void write_kinds(JsonText& json, const KindTable& kinds, const KindTotals& totals,
                 PageNames& names) {
  json.key("kinds").begin_array();
  KindIndex number = 0;
  for (const PageKind& kind : kinds.all()) {
    const KindTotal total = totals.of(number);
    const KindTotal calls = totals.calls_of(number++);
    json.begin_array()
        .value(static_cast<std::uint32_t>(kind.kind))
        .value(kind.event)
        .value(names.number(kind.name))
        .value(kind.names_thread ? std::int64_t{kind.thread} : -1)
        .value(total.count)
        .value(total.total)
        .value(total.shortest)
        .value(total.longest);
    if (calls.count != 0) {
      json.value(calls.count).value(calls.total).value(calls.shortest).value(calls.longest);
    }
    json.end_array();
  }
  json.end_array();
}

void write_objects(JsonText& json, const ObjectTable& objects, PageNames& names) {
  constexpr std::size_t kMostOfASort = 4096;
  const std::vector<PageObject> shown = objects.busiest(kMostOfASort);
  json.key("objects").begin_array();
  for (const PageObject& object : shown) {
    json.begin_array()
        .value(static_cast<std::uint32_t>(object.sort))
        .value(object.id)
        .value(names.number(object.name))
        .value(object.count)
        .value(object.total)
        .value(object.lowest)
        .value(object.highest);
    if (object.sort == ObjectSort::kRpc) json.value(object.begin).value(object.end());
    json.end_array();
  }
  json.end_array();
  json.key("objects_left_out").value(std::uint64_t{objects.size() - shown.size()});
}

std::uint32_t thread_flags(const ThreadInfo& thread) {
  return (thread.kernel_thread ? kPageKernelThread : 0u) | (thread.recorder ? kPageRecorder : 0u) |
         (thread.command ? kPageCommand : 0u);
}

void write_threads(JsonText& json, const PageThreads& threads, const Overview& overview,
                   const TraceInfo& info, PageNames& names) {
  json.key("threads").begin_array();
  const std::vector<ThreadIndex> firsts = threads.firsts();
  for (ThreadIndex i = 0; i < threads.all().size(); ++i) {
    const PageThread& thread = threads.all()[i];
    const ThreadTotal total = overview.total(i);
    const auto found = info.threads.find(thread.pid);
    const ThreadInfo facts = found == info.threads.end() ? ThreadInfo{} : found->second;
    json.begin_array()
        .value(thread.pid)
        .value(names.number(threads.is_last(i) ? facts.name : thread.name))
        .value(thread.has_life() ? thread.process : facts.process)
        .value(thread.has_life() ? thread.parent : facts.parent)
        .value((found == info.threads.end() ? kPageUnknown : thread_flags(facts)) |
               thread.functions << kPageFunctionsShift)
        .value(total.user)
        .value(total.kernel)
        .value(total.spans);
    if (thread.has_life()) {
      json.value(thread.begin).value(thread.end).value(thread.waiting);
      if (firsts[i] != i) json.value(firsts[i]);
    }
    json.end_array();
  }
  json.end_array();
}

// Threads that no span names; the viewer has no row for them.
void write_idle_threads(JsonText& json, const PageThreads& threads, const TraceInfo& info,
                        PageNames& names) {
  std::unordered_set<Pid> shown;
  for (const PageThread& thread : threads.all()) shown.insert(thread.pid);
  json.key("idle_threads").begin_array();
  for (const auto& [pid, facts] : info.threads) {
    if (shown.contains(pid)) continue;
    json.begin_array()
        .value(pid)
        .value(names.number(facts.name))
        .value(facts.process)
        .value(facts.parent)
        .value(thread_flags(facts))
        .end_array();
  }
  json.end_array();
}

void write_entries(JsonText& json, const TraceInfo& info) {
  json.key("by_event").begin_array();
  for (const auto& [event, count] : info.by_event) {
    const auto name = info.event_names.find(event);
    json.begin_array()
        .value(std::uint32_t{event})
        .value(count)
        .value(name == info.event_names.end() ? std::string_view() : name->second)
        .end_array();
  }
  json.end_array();
}

void write_sizes(JsonText& json, const SlabRow& row) {
  json.key("packed").value(row.packed_size);
  json.key("raw").value(row.raw_size);
  json.key("crc").value(row.crc);
}

void write_parts(JsonText& json, const std::vector<DeflatedSize>& parts) {
  if (parts.empty()) return;
  json.key("parts").begin_array();
  for (const DeflatedSize& part : parts) {
    json.begin_array().value(part.packed).value(part.raw).value(part.crc).end_array();
  }
  json.end_array();
}

void write_slabs(JsonText& json, const std::vector<SlabRow>& slabs) {
  json.key("slabs").begin_array();
  for (const SlabRow& slab : slabs) {
    json.begin_object();
    json.key("sections").begin_array();
    for (const SectionRange& range : slab.sections) {
      json.begin_array()
          .value(range.cpu)
          .value(range.spans)
          .value(range.begin)
          .value(range.end)
          .end_array();
    }
    json.end_array();
    json.key("overlays").begin_array().value(slab.overlays);
    json.value(slab.overlay_begin).value(slab.overlay_end).end_array();
    write_sizes(json, slab);
    write_parts(json, slab.parts);
    json.end_object();
  }
  json.end_array();
}

void write_runs(JsonText& json, const SlabRow& block, const std::vector<SlabRun>& runs) {
  json.key("runs").begin_object();
  write_sizes(json, block);
  json.key("slabs").begin_array();
  for (const SlabRun& run : runs) {
    json.begin_array()
        .value(std::uint64_t{run.first})
        .value(std::uint64_t{run.slabs})
        .value(run.begin)
        .value(run.end)
        .end_array();
  }
  json.end_array();
  json.end_object();
}

void write_losses(JsonText& json, const TraceInfo& info) {
  json.key("losses").begin_array();
  for (const LossRecord& loss : info.losses) {
    const bool known = loss.entries != ~std::uint64_t{0};
    json.begin_array().value(loss.cpu).value(loss.begin).value(loss.end);
    json.value(known ? static_cast<std::int64_t>(loss.entries) : -1).value(loss.reason);
    json.end_array();
  }
  json.end_array();
}

template <typename Map>
void write_counts(JsonText& json, std::string_view key, const Map& counts) {
  json.key(key).begin_object();
  for (const auto& [name, count] : counts) json.key(name).value(count);
  json.end_object();
}

void write_machine(JsonText& json, const TraceInfo& info) {
  json.key("begin").value(info.begin);
  json.key("end").value(info.end);
  json.key("wall_usec").value(info.wall_usec);
  json.key("ns_per_tick").value(info.ns_per_tick);
  json.key("flags").value(info.flags);
  json.key("kernel").value(info.kernel_version);
  json.key("cpu_model").value(info.cpu_model);
  json.key("host").value(info.host_name);
  json.key("blocks").value(info.blocks);
  json.key("entries").value(info.entries);
  json.key("events").value(info.events);
  json.key("cpus").begin_array();
  for (const CpuId cpu : info.cpus) json.value(cpu);
  json.end_array();
  json.key("meta").begin_array();
  for (const auto& [key, value] : info.facts) {
    json.begin_array().value(key).value(value).end_array();
  }
  json.end_array();
}

}  // namespace

std::string page_header(const PageParts& parts, const TraceInfo& info, const NameTable& names) {
  PageNames used(names);
  JsonText json;
  json.begin_object();
  json.key("format").value(kPageFormat);
  json.key("title").value(parts.title);
  json.key("spans").value(parts.spans);
  if (parts.calls) json.key("calls").value(std::uint32_t{1});
  if (parts.stacks) json.key("stacks").value(std::uint32_t{1});
  if (parts.without_births) json.key("births").value(std::uint32_t{0});
  write_machine(json, info);
  write_kinds(json, parts.kinds, parts.totals, used);
  write_objects(json, parts.objects, used);
  write_threads(json, parts.threads, parts.thread_totals, info, used);
  write_idle_threads(json, parts.threads, info, used);
  used.write(json);
  write_losses(json, info);
  write_entries(json, info);
  write_counts(json, "notes", info.counters.named(Severity::kNote));
  write_counts(json, "repairs", info.counters.named(Severity::kRepair));
  write_counts(json, "damage", info.counters.named(Severity::kDamage));
  json.key("overview").begin_object();
  write_sizes(json, parts.overview);
  if (parts.overview_has_ipc) json.key("ipc").value(true);
  json.end_object();
  json.key("long").begin_object();
  json.key("overlays").value(parts.long_overlays.overlays);
  write_sizes(json, parts.long_overlays);
  json.end_object();
  if (parts.far != nullptr) {
    json.key("far").begin_object();
    json.key("overlays").value(parts.far->overlays);
    write_sizes(json, *parts.far);
    json.end_object();
  }
  const std::pair<std::string_view, const SlabRow*> others[] = {
      {"sums", parts.sums}, {"files", parts.files}, {"backtraces", parts.backtraces}};
  for (const auto& [name, row] : others) {
    if (row == nullptr) continue;
    json.key(name).begin_object();
    write_sizes(json, *row);
    json.end_object();
  }
  if (parts.runs != nullptr) write_runs(json, *parts.runs, parts.slabs_of_runs);
  write_slabs(json, parts.slabs);
  const std::uint32_t crc = checksum(json.text());
  json.key(kHeaderChecksum).value(crc);
  json.end_object();
  return json.text();
}

}  // namespace kutrace::emit
