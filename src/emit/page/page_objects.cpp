// SPDX-License-Identifier: BSD-3-Clause
// Rows beside CPUs and threads, see page_objects.h.
#include "emit/page/page_objects.h"

#include <algorithm>

#include "format/event_table.h"
#include "model/rpc_names.h"

namespace kutrace::emit {
namespace {

bool is_packet(const Span& span) {
  return (span.event >= ev::kRX_PACKET && span.event <= ev::kTX_USER) ||
         span.event == ev::kCAPTURED;
}

}  // namespace

void ObjectTable::count(ObjectSort sort, std::uint32_t id, const Span& span) {
  PageObject& object = objects_[{sort, id}];
  object.sort = sort;
  object.id = id;
  if (sort == ObjectSort::kRpc ? names_rpc(span) : object.name == kNoName) object.name = span.name;
  object.count++;
  object.total += span.duration;
  object.lowest = std::min(object.lowest, span.low_arg());
  object.highest = std::max(object.highest, span.low_arg());
  object.begin = std::min(object.begin, span.start);
  const Ns end = span.start + span.duration;
  object.last = std::max(object.last, end);
  const bool responds = span.kind == SpanKind::kPoint && span.event == ev::kRPC_RESPONSE;
  object.responded = object.responded || responds;
  if (responds || span.kind == SpanKind::kMessage) object.response = std::max(object.response, end);
}

void ObjectTable::add_other(const Span& span) {
  const std::uint32_t rpc = rpc_id(span.rpc);
  if (rpc != 0) count(ObjectSort::kRpc, rpc, span);
  switch (span.kind) {
    case SpanKind::kLockHeld:
    case SpanKind::kLockWanted:
      return count(ObjectSort::kLock, span.low_arg(), span);
    case SpanKind::kQueued:
      return count(ObjectSort::kQueue, span.low_arg(), span);
    case SpanKind::kFrequency:
      return count(ObjectSort::kFrequency, span.cpu, span);
    case SpanKind::kMessage:
      return count(ObjectSort::kNetwork, 0, span);
    case SpanKind::kMark:
      return count(ObjectSort::kMarks, 0, span);
    case SpanKind::kPoint:
      if (is_packet(span)) count(ObjectSort::kNetwork, 0, span);
      return;
    default:
      return;
  }
}

std::vector<PageObject> ObjectTable::busiest(std::size_t most) const {
  std::vector<PageObject> all;
  std::vector<PageObject> sort;
  const auto settle = [&] {
    if (sort.size() > most) {
      const auto cut = sort.begin() + static_cast<std::ptrdiff_t>(most);
      std::nth_element(sort.begin(), cut, sort.end(),
                       [](const auto& a, const auto& b) { return a.total > b.total; });
      sort.erase(cut, sort.end());
      std::sort(sort.begin(), sort.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    }
    all.insert(all.end(), sort.begin(), sort.end());
    sort.clear();
  };
  for (const auto& [key, object] : objects_) {
    if (!sort.empty() && sort.front().sort != key.first) settle();
    sort.push_back(object);
  }
  settle();
  return all;
}

}  // namespace kutrace::emit
