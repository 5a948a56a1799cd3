// SPDX-License-Identifier: BSD-3-Clause
// Name definitions and their fallbacks.
#include "spans/name_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/demangled.h"
#include "base/text.h"
#include "format/ending_call.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "kutrace/labels.h"
#include "model/span.h"

namespace kutrace::spans {

namespace {

// Locks themselves have smaller numbers.
bool is_label(const decode::Entry& entry) {
  return name_kind(entry.number) == kind::kLOCK_NAME && entry.arg >= KUTRACE_FIRST_LONG_LABEL &&
         entry.words >= 2;
}

// Locks of others may have these numbers, too.
bool is_function(const decode::Entry& entry) {
  return name_kind(entry.number) == kind::kLOCK_NAME && entry.arg >= KUTRACE_FIRST_FUNCTION &&
         entry.arg <= KUTRACE_FUNCTION_MASK && entry.words >= 2;
}

// Of a name entry, all that it holds.
std::string_view bytes_of(const decode::Entry& entry) {
  return {reinterpret_cast<const char*>(entry.payload), 8 * (std::size_t{entry.words} - 1)};
}

// The number of the rest, behind a piece of a label; 0: it ends here.
std::uint32_t rest_of(std::string_view piece) {
  std::uint32_t rest = 0;
  if (piece.size() == KUTRACE_NAME_BYTES && piece.find('\0') == KUTRACE_LABEL_PIECE)
    std::memcpy(&rest, piece.data() + KUTRACE_LABEL_PIECE + 1, sizeof rest);
  return rest;
}

}  // namespace

// Names that spans need all the time are looked up once.
NameBook::NameBook(NameTable& table)
    : table_(table),
      idle_(table.intern("-idle-")),
      c_exit_(table.intern("-c-exit-")),
      loss_(table.intern("-loss-")),
      hidden_(table.intern(kHiddenName)) {}

void NameBook::define_call(EventNum number, const decode::Entry& entry) {
  const std::string text = printable(entry.payload_text());
  if (number < calls_.size() && !text.empty()) calls_[number] = table_.intern(text);
}

NameId NameBook::named(const decode::Entry& entry) {
  return table_.intern(printable(entry.payload_text()));
}

void NameBook::define_by(Pid thread, const decode::Entry& entry) {
  if (is_label(entry)) {
    own_.define(thread, kind::kLOCK_NAME, entry.arg, pieces_.intern(bytes_of(entry)));
    return;
  }
  if (is_function(entry))
    own_.define(thread, kind::kFUNCTION, entry.arg, pieces_.intern(bytes_of(entry)));
  const EventNum what = name_kind(entry.number);
  const bool is_own =
      what == kind::kLOCK_NAME || what == kind::kQUEUE_NAME || what == kind::kMETHOD_NAME;
  if (!is_own) return define(entry);
  const std::uint32_t item = what == kind::kMETHOD_NAME ? entry.arg & 0xffff : entry.arg;
  own_.define(thread, what, item, named(entry));
}

void NameBook::define(const decode::Entry& entry) {
  switch (name_kind(entry.number)) {
    case kind::kTRAP_NAME:
      return define_call(0x400 + (entry.arg & 0xff), entry);
    case kind::kIRQ_NAME:
      return define_call(0x500 + (entry.arg & 0xff), entry);
    case kind::kSYSCALL_NAME:
      if (is_wide_syscall(entry.arg)) {
        wide_calls_[entry.arg] = named(entry);
        return;
      }
      return define_call(0x800 + (entry.arg & 0x7ff), entry);
    case kind::kSYSCALL32_NAME:
      return define_call(0xc00 + (entry.arg & 0x1ff), entry);
    case kind::kLOCK_NAME:
      if (is_label(entry) || is_function(entry))
        pieces_of_all_[entry.arg] = pieces_.intern(bytes_of(entry));
      if (!is_label(entry)) locks_[entry.arg] = named(entry);
      return;
    case kind::kQUEUE_NAME:
      queues_[entry.arg] = named(entry);
      return;
    case kind::kMETHOD_NAME:
      methods_[entry.arg & 0xffff] = named(entry);
      return;
    case kind::kPACKET_NAME:
      packets_[entry.arg] = named(entry);
      return;
    default:
      return;
  }
}

NameId NameBook::call(EventNum call, std::uint64_t arg) {
  if (call == ev::kBottomHalf) {
    NameId& id = softirqs_[arg & 15];
    if (id == kNoName) id = table_.intern(fmt::format("BH:{}", softirq_name(arg & 15)));
    return id;
  }
  // The fallback is kept as if it were defined; a definition that comes later replaces it.
  NameId& id = is_wide_syscall(call) ? wide_calls_[call] : calls_[call & 0xfff];
  if (id == kNoName) id = table_.intern(fallback_call_name(call));
  return id;
}

// By name, as numbers of system calls differ between machines.
bool NameBook::makes_thread(EventNum call_event) {
  const std::string& name = table_.text(call(call_event, 0));
  return name == "clone" || name == "clone3" || name == "fork" || name == "vfork";
}

bool NameBook::ends_thread(EventNum call_event) {
  if (event_class(call_event) != EventClass::kSyscall) return false;
  return kutrace::ends_thread(table_.text(call(call_event, 0)));
}

bool NameBook::starts_program(EventNum call_event) {
  if (event_class(call_event) != EventClass::kSyscall) return false;
  const std::string& name = table_.text(call(call_event, 0));
  return name == "execve" || name == "execveat";
}

bool NameBook::ends_signal(EventNum call_event) {
  return table_.text(call(call_event, 0)) == "rt_sigreturn";
}

bool NameBook::is_probe_of_user(EventNum call_event) {
  const std::string& name = table_.text(call(call_event, 0));
  return name == "uretprobe" || name == "uprobe";
}

NameId NameBook::point(EventNum number) {
  NameId& id = points_[number & 0x3ff];
  if (id == kNoName) {
    const auto name = point_name(number);
    id = table_.intern(name.empty() ? fmt::format("-{:x}-", number) : std::string(name));
  }
  return id;
}

NameId NameBook::packet(EventNum number, std::uint32_t hash) {
  const auto found = packets_.find(hash);
  if (found == packets_.end()) return kNoName;
  return table_.intern(fmt::format("{} {}", point_name(number), table_.text(found->second)));
}

NameId NameBook::lock(Pid thread, std::uint32_t lock) {
  if (const NameId own = own_.find(thread, kind::kLOCK_NAME, lock); own != kNoName) return own;
  const auto found = locks_.find(lock);
  return found != locks_.end() ? found->second : table_.intern(fmt::format("lock.{}", lock));
}

NameId NameBook::piece_of(Pid thread, std::uint32_t number) const {
  const EventNum what = number <= KUTRACE_FUNCTION_MASK ? kind::kFUNCTION : kind::kLOCK_NAME;
  if (const NameId own = own_.find(thread, what, number); own != kNoName) return own;
  const auto found = pieces_of_all_.find(number);
  return found != pieces_of_all_.end() ? found->second : kNoName;
}

NameId NameBook::function(Pid thread, std::uint32_t number) {
  const NameId piece = piece_of(thread, number);
  if (piece == kNoName) return table_.intern(fmt::format("function.{}", number));
  // Demangled once for each symbol, not for each call.
  NameId& known = functions_[piece];
  if (known == kNoName) {
    const std::string symbol = label(thread, number);
    known =
        table_.intern(is_soon_demangled(symbol) ? printable(demangled(symbol.c_str())) : symbol);
  }
  return known;
}

std::string NameBook::label(Pid thread, std::uint32_t number) const {
  std::string text;
  // Pieces may lead in a circle in a damaged trace; the longest label ends it.
  for (std::uint32_t next = number; text.size() < KUTRACE_LABEL_BYTES;) {
    const NameId name = piece_of(thread, next);
    if (name == kNoName) break;
    const std::string_view piece = pieces_.text(name);
    text += piece.substr(0, std::min<std::size_t>(piece.find('\0'), piece.size()));
    next = rest_of(piece);
    if (next == 0) return printable(text);
  }
  return text.empty() ? fmt::format("label.{}", number) : printable(text) + "...";
}

NameId NameBook::queue(Pid thread, std::uint32_t queue) {
  if (const NameId own = own_.find(thread, kind::kQUEUE_NAME, queue); own != kNoName) return own;
  const auto found = queues_.find(queue);
  return found != queues_.end() ? found->second : table_.intern(fmt::format("queue.{}", queue));
}

NameId NameBook::rpc(Pid thread, std::uint32_t id) {
  // The upper half of the argument is the message's length.
  id &= 0xffff;
  NameId method = own_.find(thread, kind::kMETHOD_NAME, id);
  if (method == kNoName && methods_.contains(id)) method = methods_.at(id);
  return table_.intern(
      fmt::format("{}.{}", method == kNoName ? "rpc" : table_.text(method).c_str(), id));
}

}  // namespace kutrace::spans
