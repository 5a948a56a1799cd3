// SPDX-License-Identifier: BSD-3-Clause
// A row for each life of a thread.
#include "emit/parquet/thread_table.h"

namespace kutrace::emit {

using enum ParquetColumn::Type;

ThreadTable::ThreadTable(const NameTable& names, TakeBytes take)
    : who_(names),
      file_("threads",
            {{"tid", kInt32},
             {"thread", kText},
             {"pid", kInt32, true},
             {"process", kText},
             {"cgroup", kText},
             {"container", kText},
             {"pod", kText},
             {"start_ns", kInt64},
             {"end_ns", kInt64},
             {"on_cpu_ns", kInt64},
             {"wait_ns", kInt64},
             {"unknown_ns", kInt64}},
            std::move(take)) {}

void ThreadTable::text(const std::string& word) { file_.text(texts_.intern(word), word); }

void ThreadTable::add(std::uint32_t row, const ThreadLife& life, const TraceInfo& info) {
  const Pid process = who_.process_number(row, info);
  file_.row().number(life.pid);
  text(who_.name(row, info));
  file_.number_if(process != kNoPid, process);
  text(who_.process_name(row, info));
  for (const CgroupPart part : {CgroupPart::kPath, CgroupPart::kContainer, CgroupPart::kPod})
    text(who_.cgroup(row, part));
  file_.number(life.begin)
      .number(life.end)
      .number(life.executing)
      .number(life.waiting)
      .number(life.unknown())
      .end_row();
}

Status ThreadTable::finish(const TraceInfo& info) {
  for (const auto& [row, life] : lives_) add(row, life, info);
  return file_.finish(info);
}

}  // namespace kutrace::emit
