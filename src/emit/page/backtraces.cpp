// SPDX-License-Identifier: BSD-3-Clause
// Stacks as a tree of functions: most begin alike.
#include "emit/page/backtraces.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "emit/page/text_columns.h"
#include "format/event_table.h"

namespace kutrace::emit {

namespace {

// Functions by name, and where each was called from.
class Tree {
 public:
  // The number of the innermost function of a stack, from 1. `text`: as model/stack.h has it.
  std::uint32_t add(std::string_view text) {
    std::uint32_t at = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(';'), text.size());
      at = inside(at, function(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return at;
  }

  void encode(Column& out) const {
    Column callers, functions;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      callers.put(i + 1 - nodes_[i].first);
      functions.put(nodes_[i].second);
    }
    put_texts(out, names_);
    out.put(nodes_.size());
    for (const Column* column : {&callers, &functions}) out.put_column(*column);
  }

 private:
  using Node = std::pair<std::uint32_t, std::uint32_t>;  // caller, from 1, 0: none; function

  std::uint32_t function(std::string_view name) {
    const auto [found, is_new] =
        functions_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return found->second;
  }
  std::uint32_t inside(std::uint32_t caller, std::uint32_t function) {
    const auto [found, is_new] = numbers_.try_emplace({caller, function}, 0);
    if (is_new) {
      nodes_.emplace_back(caller, function);
      found->second = static_cast<std::uint32_t>(nodes_.size());
    }
    return found->second;
  }

  std::unordered_map<std::string_view, std::uint32_t> functions_;
  std::vector<std::string_view> names_;
  std::map<Node, std::uint32_t> numbers_;
  std::vector<Node> nodes_;
};

}  // namespace

void Backtraces::add(const Span& span, ThreadIndex thread) {
  const bool waits = span.kind == SpanKind::kWait;
  if (waits ? span.stack == kNoName : span.kind != SpanKind::kSample || span.pid <= 0) return;
  starts_.put_signed(span.start - std::exchange(last_, span.start));
  durations_.put(static_cast<std::uint64_t>(span.duration));
  threads_.put(thread);
  cpus_.put(span.cpu == kNoCpu ? 0 : std::uint64_t{span.cpu} + 1);
  reasons_.put(waits ? span.event - ev::kWAIT_FIRST + 1U : 0);
  used_.put(number(span.stack));
  ++count_;
}

std::uint32_t Backtraces::number(NameId stack) {
  if (stack == kNoName) return 0;
  const auto [found, is_new] =
      numbers_.try_emplace(stack, static_cast<std::uint32_t>(stacks_.size() + 1));
  if (is_new) stacks_.push_back(stack);
  return found->second;
}

Column Backtraces::encode(const NameTable& names) const {
  Tree tree;
  Column innermost;
  for (const NameId stack : stacks_) innermost.put(tree.add(names.text(stack)));
  Column out;
  tree.encode(out);
  out.put(stacks_.size());
  out.put_column(innermost);
  out.put(count_);
  for (const Column* column : {&starts_, &durations_, &threads_, &cpus_, &reasons_, &used_}) {
    out.put_column(*column);
  }
  return out;
}

}  // namespace kutrace::emit
