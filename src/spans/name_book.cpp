// SPDX-License-Identifier: BSD-3-Clause
// Name definitions and their fallbacks.
#include "spans/name_book.h"

#include <fmt/format.h>

#include "base/text.h"
#include "format/event_table.h"
#include "spans/span.h"

namespace kutrace {

NameBook::NameBook(NameTable& table)
    : table_(table),
      idle_(table.intern("-idle-")),
      c_exit_(table.intern("-c-exit-")),
      loss_(table.intern("-loss-")),
      hidden_(table.intern(kHiddenName)) {}

void NameBook::define_call(EventNum number, const Entry& entry) {
  const std::string text = printable(entry.payload_text());
  if (number < calls_.size() && !text.empty()) calls_[number] = table_.intern(text);
}

void NameBook::define(const Entry& entry) {
  const auto named = [&] { return table_.intern(printable(entry.payload_text())); };
  switch (name_kind(entry.number)) {
    case kind::kTRAP_NAME:
      return define_call(0x400 + (entry.arg & 0xff), entry);
    case kind::kIRQ_NAME:
      return define_call(0x500 + (entry.arg & 0xff), entry);
    case kind::kSYSCALL_NAME:
      return define_call(0x800 + (entry.arg & 0x7ff), entry);
    case kind::kSYSCALL32_NAME:
      return define_call(0xc00 + (entry.arg & 0x1ff), entry);
    case kind::kLOCK_NAME:
      locks_[entry.arg] = named();
      return;
    case kind::kQUEUE_NAME:
      queues_[entry.arg] = named();
      return;
    case kind::kMETHOD_NAME:
      methods_[entry.arg & 0xffff] = named();
      return;
    default:
      return;
  }
}

NameId NameBook::call(EventNum call, std::uint32_t arg) {
  if (call == ev::kBottomHalf) {
    NameId& id = softirqs_[arg & 15];
    if (id == kNoName) id = table_.intern(fmt::format("BH:{}", softirq_name(arg & 15)));
    return id;
  }
  NameId& id = calls_[call & 0xfff];
  if (id == kNoName) id = table_.intern(fallback_call_name(call));
  return id;
}

bool NameBook::makes_thread(EventNum call_event) {
  const std::string& name = table_.text(call(call_event, 0));
  return name == "clone" || name == "clone3" || name == "fork" || name == "vfork";
}

bool NameBook::ends_thread(EventNum call_event) {
  if (event_class(call_event) != EventClass::kSyscall) return false;
  const std::string& name = table_.text(call(call_event, 0));
  return name == "exit" || name == "exit_group";
}

NameId NameBook::point(EventNum number) {
  NameId& id = points_[number & 0x3ff];
  if (id == kNoName) {
    const auto name = point_name(number);
    id = table_.intern(name.empty() ? fmt::format("-{:x}-", number) : std::string(name));
  }
  return id;
}

NameId NameBook::lock(std::uint32_t lock) {
  const auto found = locks_.find(lock);
  return found != locks_.end() ? found->second : table_.intern(fmt::format("lock.{}", lock));
}

NameId NameBook::queue(std::uint32_t queue) {
  const auto found = queues_.find(queue);
  return found != queues_.end() ? found->second : table_.intern(fmt::format("queue.{}", queue));
}

NameId NameBook::rpc(std::uint32_t id) {
  const auto found = methods_.find(id & 0xffff);
  const std::string method = found != methods_.end() ? table_.text(found->second) : "rpc";
  return table_.intern(fmt::format("{}.{}", method, id & 0xffff));
}

}  // namespace kutrace
