// SPDX-License-Identifier: BSD-3-Clause
// Which file or connection a descriptor stands for. In: what /proc showed of processes, calls with
// their arguments as they begin and end, processes as they are made, all in order of time (ns);
// out: names of the descriptors that a call was given or returned, added to its details.
//
// A name that may be wrong is not given: after a loss, only what is seen from there on is known,
// and a call that may have closed or changed a descriptor takes its name, even where the call's
// arguments are not known. Names are those that programs used, made absolute; links are not
// followed. Memory: a row for each open descriptor of each process that changed its own since it
// was made. Beyond a million rows nothing is known of before, and it is counted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/syscall_arguments.h"
#include "model/call.h"
#include "model/names.h"
#include "spans/descriptor_calls.h"
#include "spans/thread_table.h"
#include "timeline/stream_facts.h"

namespace kutrace::spans {

class Descriptors {
 public:
  // `losses` grows while the trace is read. All references must outlive this object.
  Descriptors(const timeline::StreamFacts& facts, NameTable& names, const ThreadTable& threads,
              const std::vector<LossRecord>& losses, Counters& counters);

  // This thread's call begins: names the descriptors that it is given.
  void begins(Pid thread, NameId call, Ns now, CallDetails& details);
  // The call is over: takes note of what it opened, closed or copied, and names what it returned.
  void ends(const Call& call, CallDetails& details);
  // The same of a call without recorded arguments; `low` is what its entry has of the first.
  void begins_untold(Pid thread, NameId call, Ns now, std::uint64_t low);
  void ends_untold(const Call& call);
  // Whether there is a name.
  bool any() const { return !tables_.empty() || !seen_.empty(); }
  // A process was made by this thread.
  void forked(Pid thread, Pid child, Ns now);
  // Calls are not known from here on, for a while.
  void forget() { tables_.clear(); }

 private:
  struct Descriptor {
    NameId name = kNoName;
    bool close_on_exec = false;
    Ns seen = kNever;  // in /proc; else it was opened since
    // Of a socket: parts of its name.
    NameId kind = kNoName;
    NameId local = kNoName;
    NameId remote = kNoName;
  };
  using Table = std::map<std::int32_t, Descriptor>;
  // A process that was just made has its parent's table.
  using SharedTable = std::shared_ptr<Table>;
  struct Ending;

  Pid process_of(Pid thread) const;
  // What changed until now but by calls.
  void until(Ns now);
  const std::vector<CallArgument>* arguments_of(NameId call);
  DescriptorCall call_of(NameId call);
  Table& own_table(Pid process);
  void count_rows();
  const Descriptor* find(Pid process, std::int32_t number) const;
  // Those that were seen later than this.
  void name_arguments(Pid process, NameId call, Ns later_than, CallDetails& details);
  void set(Pid process, std::int32_t number, const Descriptor& descriptor);
  void remove(Pid process, std::int32_t first, std::int32_t last);
  void remove_at_exec(Pid process);
  // All whose low 16 bits are these.
  void remove_like(Pid process, std::uint64_t low);
  // All but this one, and the folder.
  void remove_others(Pid process, std::int32_t kept);

  void apply(const Ending& ending);
  void open(const Ending& ending);
  void enter(const Ending& ending);
  void add_socket(const Ending& ending);
  void accept(const Ending& ending);
  void set_address(const Ending& ending, NameId Descriptor::* part);
  void add_pair(const Ending& ending);
  void duplicate(const Ending& ending, std::int32_t to, bool close_on_exec);
  void control(const Ending& ending);
  std::string path_of(Pid process, const std::vector<CallArgument>& shapes,
                      const CallDetails& details) const;
  void name_file(Pid process, NameId call, CallDetails& details);
  Descriptor named(std::string_view name, bool close_on_exec);
  void name_socket(Descriptor& descriptor);

  struct Seen {
    Ns at = 0;
    Pid process = 0;
    std::int32_t number = 0;
    Descriptor descriptor;
  };

  NameTable& names_;
  const ThreadTable& threads_;
  const std::vector<LossRecord>& losses_;
  std::size_t losses_seen_ = 0;
  Counters& counters_;
  std::vector<Seen> seen_;  // in /proc; the earliest last
  std::unordered_map<Pid, SharedTable> tables_;
  std::size_t rows_ = 0;  // of all tables, at most
  std::unordered_map<NameId, const std::vector<CallArgument>*> arguments_;
  std::unordered_map<NameId, DescriptorCall> calls_;
};

}  // namespace kutrace::spans
