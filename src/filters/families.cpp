// SPDX-License-Identifier: BSD-3-Clause
// Walking from parents to children.
#include "filters/families.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>

#include "model/cgroups.h"
#include "model/processes.h"

namespace kutrace::filters {

namespace {

class Family {
 public:
  Family(const std::vector<ThreadLife>& lives, const FamilyQuestion& question) : lives_(lives) {
    are_told_ = std::ranges::none_of(lives, is_unnumbered);
    for (std::size_t i = 0; i < lives.size(); ++i) processes_.add(numbered(i));
    processes_.finish();
    chosen_.resize(lives.size());
    families_.resize(processes_.all().size() + 1);
    in_group_.resize(families_.size());
    choose(question);
    if (question.children) add_children();
  }

  ChosenThreads members(const FamilyQuestion& question) const {
    ChosenThreads members{question.numbers, {}};
    for (std::size_t i = 0; i < lives_.size(); ++i) {
      const std::size_t process = place(process_of(i));
      const bool is_whole = chosen_[i] || families_[process];
      if (!is_whole && !in_group_[process]) continue;
      members.pids.insert(lives_[i].pid);
      if (are_told_) add_pieces(question, lives_[i].thread, is_whole, members.threads);
    }
    return members;
  }

 private:
  static bool is_unnumbered(const ThreadLife& life) { return life.thread == ThreadId::kNone; }
  static std::size_t place(ProcessId process) { return static_cast<std::size_t>(process); }

  ThreadLife numbered(std::size_t i) const {
    ThreadLife life = lives_[i];
    if (!are_told_) life.thread = ThreadId{static_cast<std::uint32_t>(i + 1)};
    return life;
  }
  ProcessId process_of(std::size_t i) const { return processes_.of(numbered(i).thread); }

  void choose(const FamilyQuestion& question) {
    if (question.in_cgroup) choose_cgroups(question);
    for (std::size_t i = 0; i < lives_.size(); ++i) {
      const ThreadLife& life = lives_[i];
      const Process& process = processes_.at(process_of(i));
      const bool is_named = question.named(life);
      chosen_[i] = is_named || question.numbers.contains(life.pid);
      if (question.numbers.contains(process.number) || (is_named && life.pid == process.number))
        families_[place(process.id)] = true;
      if (question.children && chosen_[i]) parents_.push_back(process.id);
    }
    for (const Process& process : processes_.all()) {
      if (families_[place(process.id)] || in_group_[place(process.id)])
        parents_.push_back(process.id);
    }
  }

  void choose_cgroups(const FamilyQuestion& question) {
    const Cgroups cgroups(processes_, question.facts,
                          are_told_ ? Cgroups::Times::kTold : Cgroups::Times::kNotTold);
    for (const Process& process : processes_.all()) {
      bool is_in = question.in_cgroup(cgroups.of(process.id));
      if (question.pieces != nullptr) {
        is_in = is_in || question.in_cgroup(cgroups.at_begin(process.id));
        for (const CgroupMove& move : cgroups.moves(process.id))
          is_in = is_in || question.in_cgroup(move.path);
      }
      in_group_[place(process.id)] = is_in;
    }
  }

  static void add_pieces(const FamilyQuestion& question, ThreadId thread, bool is_whole,
                         std::unordered_set<ThreadId>& threads) {
    const auto pieces = question.pieces != nullptr ? question.pieces->of(thread)
                                                   : std::span<const GroupPieces::Piece>();
    if (pieces.empty()) threads.insert(thread);
    for (const GroupPieces::Piece& piece : pieces)
      if (is_whole || question.in_cgroup(piece.path)) threads.insert(piece.thread);
  }

  std::map<ProcessId, std::vector<ProcessId>> children() const {
    std::map<ProcessId, std::vector<ProcessId>> children;
    for (const Process& process : processes_.all()) {
      const ProcessId parent = processes_.maker(process);
      if (parent != ProcessId::kNone) children[parent].push_back(process.id);
    }
    return children;
  }

  void add_children() {
    const std::map<ProcessId, std::vector<ProcessId>> children = this->children();
    std::vector<bool> visited(families_.size());
    while (!parents_.empty()) {
      const ProcessId parent = parents_.back();
      parents_.pop_back();
      if (visited[place(parent)]) continue;
      visited[place(parent)] = true;
      const auto found = children.find(parent);
      if (found == children.end()) continue;
      for (const ProcessId child : found->second) {
        families_[place(child)] = true;
        parents_.push_back(child);
      }
    }
  }

  const std::vector<ThreadLife>& lives_;
  bool are_told_ = false;  // which thread it is, that had a number
  Processes processes_;
  std::vector<bool> chosen_;    // by life
  std::vector<bool> families_;  // by process: all of its threads
  std::vector<bool> in_group_;  // by process: the same, as long as it was in the group
  std::vector<ProcessId> parents_;
};

}  // namespace

ChosenThreads family_of(const std::vector<ThreadLife>& lives, const FamilyQuestion& question) {
  return Family(lives, question).members(question);
}

}  // namespace kutrace::filters
