// SPDX-License-Identifier: BSD-3-Clause
// Following descriptors.
#include "spans/descriptors.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "format/socket_address.h"

namespace kutrace::spans {

namespace {

// The working directory has a row in the table as if it were a descriptor, with AT_FDCWD's number:
// it is inherited, and looked up by calls, in the same way.
constexpr std::int32_t kFolder = DescriptorRecord::kFolder;
constexpr std::size_t kMostRows = std::size_t{1} << 20;
// Flags of Linux's calls.
constexpr std::uint64_t kCloseOnExec = 02000000;  // O_, SOCK_, EFD_, ...: one bit for all
constexpr std::uint64_t kMemoryCloseOnExec = 1;   // MFD_CLOEXEC
constexpr std::uint64_t kRangeCloseOnExec = 4;    // CLOSE_RANGE_CLOEXEC
constexpr std::uint64_t kRegisteredRing = 16;     // IORING_ENTER_REGISTERED_RING
// Commands of fcntl.
constexpr std::uint64_t kDuplicateFrom = 0;
constexpr std::uint64_t kSetFlags = 2;
constexpr std::uint64_t kDuplicateCloseOnExec = 1030;

bool is_descriptor(ArgumentKind kind) {
  return kind == ArgumentKind::kDescriptor || kind == ArgumentKind::kFolder;
}

std::int32_t as_int(std::uint64_t value) { return static_cast<std::int32_t>(value); }

// Texts only: the file system of now may be another than that of the recording. What begins nowhere
// known stays relative.
std::string absolute(std::string_view folder, std::string_view path) {
  if (path.empty()) return std::string(folder);
  if (path.front() != '/' && folder.empty()) return std::string(path);
  const std::filesystem::path joined = std::filesystem::path(folder) / path;
  std::string text = joined.lexically_normal().string();
  if (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

// The first argument of this kind, or nothing.
std::optional<std::size_t> which(const std::vector<CallArgument>& shapes, ArgumentKind kind) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].kind == kind) return i;
  }
  return {};
}

const CallData* data_of(const std::vector<CallArgument>& shapes, const CallDetails& details,
                        ArgumentKind kind) {
  const auto i = which(shapes, kind);
  return i ? details.data_of(*i) : nullptr;
}

// A ring that is given by its place among the registered ones.
bool is_registered_ring(const DescriptorCall& what, const CallDetails& details) {
  return what.work == DescriptorWork::kRing && (details.arguments[3] & kRegisteredRing) != 0;
}

}  // namespace

// A call that is over, with what its arguments are.
struct Descriptors::Ending {
  Pid process;
  const Call& call;
  const CallDetails& details;
  const std::vector<CallArgument>& shapes;
  DescriptorCall what;

  std::int32_t returned() const { return static_cast<std::int32_t>(call.result.value); }
  std::uint64_t argument(std::size_t i) const {
    return i < details.count ? details.arguments.at(i) : 0;
  }
  // Of the argument that is called so, or 0.
  std::uint64_t flags() const {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (shapes[i].name == "flags") return argument(i);
    }
    return 0;
  }
  bool close_on_exec() const { return (flags() & kCloseOnExec) != 0; }
  // A descriptor is returned that stands for what the first argument does.
  bool duplicates() const {
    using enum DescriptorWork;
    const bool by_command = what.work == kControl &&
                            (argument(1) == kDuplicateFrom || argument(1) == kDuplicateCloseOnExec);
    return what.work == kDuplicate || what.work == kDuplicateTo || by_command;
  }
  const CallData* data(ArgumentKind kind) const { return data_of(shapes, details, kind); }
};

Descriptors::Descriptors(const timeline::StreamFacts& facts, NameTable& names,
                         const ThreadTable& threads, const std::vector<LossRecord>& losses,
                         Counters& counters)
    : names_(names), threads_(threads), losses_(losses), counters_(counters) {
  // /proc was read while processes ran on, so each record holds from its own moment on.
  for (const DescriptorRecord& record : facts.processes.descriptors) {
    const Ns at = facts.clock.to_ns(record.at);
    if (at < facts.begin) continue;  // it may have changed since
    Descriptor descriptor = named(record.name, record.close_on_exec);
    descriptor.seen = at;
    seen_.push_back({at, record.process, record.number, descriptor});
  }
  std::ranges::stable_sort(seen_, std::greater<>(), &Seen::at);
}

Pid Descriptors::process_of(Pid thread) const {
  // A thread of which nothing is told counts as a process of its own.
  const Thread* const known = threads_.find(thread);
  return known != nullptr && known->info.process != kNoPid ? known->info.process : thread;
}

void Descriptors::until(Ns now) {
  for (; losses_seen_ < losses_.size(); ++losses_seen_) {
    // An open or close may be among what was lost. An unseen switch hides whose time it was, but no
    // call of a thread that tracers are shown.
    if (losses_[losses_seen_].reason != KUTRACE_LOSS_UNSEEN) tables_.clear();
  }
  for (; !seen_.empty() && seen_.back().at <= now; seen_.pop_back())
    set(seen_.back().process, seen_.back().number, seen_.back().descriptor);
}

const std::vector<CallArgument>* Descriptors::arguments_of(NameId call) {
  // By the name's id: its text is looked up once, not for each call.
  const auto [known, is_new] = arguments_.try_emplace(call);
  if (is_new) known->second = kutrace::arguments_of(names_.text(call));
  return known->second;
}

DescriptorCall Descriptors::call_of(NameId call) {
  const auto [known, is_new] = calls_.try_emplace(call);
  if (is_new) known->second = descriptor_call(names_.text(call));
  return known->second;
}

// To change it: what a child shares with its parent is copied when one of them changes something,
// not at each fork.
Descriptors::Table& Descriptors::own_table(Pid process) {
  if (rows_ >= kMostRows) count_rows();
  SharedTable& table = tables_[process];
  if (table == nullptr) {
    table = std::make_shared<Table>();
  } else if (table.use_count() > 1) {
    rows_ += table->size();
    table = std::make_shared<Table>(*table);
  }
  ++rows_;  // that the caller may add
  return *table;
}

// Anew, as rows were taken away, too. Where many are left, all are forgotten: the next count is
// then as far away as this one was.
void Descriptors::count_rows() {
  rows_ = 0;
  std::unordered_set<const Table*> counted;
  for (const auto& [process, table] : tables_)
    if (counted.insert(table.get()).second) rows_ += table->size();
  if (rows_ < kMostRows / 2) return;
  rows_ = 0;
  tables_.clear();
  counters_.add(Counter::kFilesForgotten);
}

const Descriptors::Descriptor* Descriptors::find(Pid process, std::int32_t number) const {
  const auto table = tables_.find(process);
  if (table == tables_.end()) return nullptr;
  const auto found = table->second->find(number);
  if (found == table->second->end()) return nullptr;
  // What is open without a known name has a row, so that it takes an older name away.
  return found->second.name == kNoName ? nullptr : &found->second;
}

void Descriptors::set(Pid process, std::int32_t number, const Descriptor& descriptor) {
  if (number < 0 && number != kFolder) return;
  own_table(process)[number] = descriptor;
}

void Descriptors::remove(Pid process, std::int32_t first, std::int32_t last) {
  if (first < 0 || !tables_.contains(process)) return;
  Table& table = own_table(process);
  table.erase(table.lower_bound(first), table.upper_bound(last));
}

void Descriptors::remove_at_exec(Pid process) {
  if (!tables_.contains(process)) return;
  std::erase_if(own_table(process), [](const auto& entry) { return entry.second.close_on_exec; });
}

void Descriptors::remove_like(Pid process, std::uint64_t low) {
  if (!tables_.contains(process)) return;
  constexpr std::uint64_t kLow = 0xffff;
  std::erase_if(own_table(process), [low](const auto& entry) {
    return entry.first >= 0 && (static_cast<std::uint64_t>(entry.first) & kLow) == (low & kLow);
  });
}

void Descriptors::remove_others(Pid process, std::int32_t kept) {
  if (!tables_.contains(process)) return;
  std::erase_if(own_table(process),
                [kept](const auto& entry) { return entry.first >= 0 && entry.first != kept; });
}

void Descriptors::forked(Pid thread, Pid child, Ns now) {
  until(now);
  const auto parent = tables_.find(process_of(thread));
  if (parent == tables_.end()) {
    // A process before it may have had this number.
    tables_.erase(child);
  } else {
    tables_[child] = SharedTable(parent->second);
  }
}

void Descriptors::name_arguments(Pid process, NameId call, Ns later_than, CallDetails& details) {
  const std::vector<CallArgument>* const shapes = arguments_of(call);
  if (shapes == nullptr) return;
  for (std::size_t i = 0; i < shapes->size() && i < details.count; ++i) {
    const auto argument = static_cast<std::uint8_t>(i);
    if (i == 0 && is_registered_ring(call_of(call), details)) continue;
    // What was named at the begin stays: the number may have another file by the end.
    if (!is_descriptor((*shapes)[i].kind) || details.file_of(argument) != nullptr) continue;
    const Descriptor* const found = find(process, as_int(details.arguments.at(i)));
    if (found != nullptr && found->seen >= later_than)
      details.files.push_back({argument, found->name, names_.text(found->name)});
  }
}

void Descriptors::begins(Pid thread, NameId call, Ns now, CallDetails& details) {
  until(now);
  const Pid process = process_of(thread);
  name_arguments(process, call, kNever, details);
  name_file(process, call, details);
  const auto argument = [&details](std::size_t i) {
    return i < details.count ? details.arguments.at(i) : 0;
  };
  // These act at their begin. The kernel gives a number free early in close, and another thread may
  // have it again before this call returns; exit never returns.
  switch (call_of(call).work) {
    case DescriptorWork::kClose:
      return remove(process, as_int(argument(0)), as_int(argument(0)));
    case DescriptorWork::kCloseRange:
      // With that flag it only marks them, and they go with the next exec.
      if ((argument(2) & kRangeCloseOnExec) == 0) {
        constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
        const std::int32_t last = as_int(argument(1));
        remove(process, as_int(argument(0)), last < 0 ? kMost : last);
      }
      return;
    case DescriptorWork::kRing:
      // What it hands over may open and close any.
      if (argument(1) != 0)
        remove_others(process,
                      is_registered_ring(call_of(call), details) ? -1 : as_int(argument(0)));
      return;
    case DescriptorWork::kUnknown:
      return remove_others(process, -1);
    case DescriptorWork::kExit:
      tables_.erase(process);
      return;
    default:
      return;
  }
}

void Descriptors::begins_untold(Pid thread, NameId call, Ns now, std::uint64_t low) {
  const DescriptorWork work = call_of(call).work;
  if (work == DescriptorWork::kNone) return;
  until(now);
  const Pid process = process_of(thread);
  switch (work) {
    case DescriptorWork::kClose:
    case DescriptorWork::kConnect:
    case DescriptorWork::kBind:
    case DescriptorWork::kControl:  // it may be closed when a program is started
      return remove_like(process, low);
    case DescriptorWork::kCloseRange:
    case DescriptorWork::kRing:
    case DescriptorWork::kUnknown:
      return remove_others(process, -1);
    case DescriptorWork::kEnterPath:
    case DescriptorWork::kEnterDescriptor:
      if (tables_.contains(process)) own_table(process).erase(kFolder);
      return;
    case DescriptorWork::kExit:
      tables_.erase(process);
      return;
    default:
      return;
  }
}

void Descriptors::ends_untold(const Call& call) {
  const DescriptorWork work = call_of(call.name).work;
  if (work == DescriptorWork::kNone || !call.has_result || call.result.value < 0) return;
  until(call.end);
  const Pid process = process_of(call.pid);
  if (work == DescriptorWork::kExec) return remove_at_exec(process);
  // What it returns is another one than before, if it is one.
  const bool makes_one = work <= DescriptorWork::kAccept;
  const bool copies = work == DescriptorWork::kDuplicate || work == DescriptorWork::kDuplicateTo;
  if (makes_one || copies) remove_like(process, static_cast<std::uint64_t>(call.result.value));
}

void Descriptors::ends(const Call& call, CallDetails& details) {
  // What /proc showed until then comes first: the call is looked at with all that is known at its
  // end.
  until(call.end);
  const std::vector<CallArgument>* const shapes = arguments_of(call.name);
  if (shapes == nullptr || details.count == 0) return;
  const Pid process = process_of(call.pid);
  const DescriptorCall what = call_of(call.name);
  // What was seen open while the call was under way is what the call was given; not so what it
  // closed.
  if (what.work != DescriptorWork::kClose) name_arguments(process, call.name, call.begin, details);
  name_file(process, call.name, details);
  if (what.work == DescriptorWork::kNone || !call.has_result) return;
  // A connect without blocking has its other end from here on, although it "failed".
  const bool is_under_way =
      what.work == DescriptorWork::kConnect && call.result.value == -EINPROGRESS;
  if (call.result.value < 0 && !is_under_way) return;
  const Ending ending{process, call, details, *shapes, what};
  apply(ending);
  const bool makes_one = what.work <= DescriptorWork::kAccept;
  const Descriptor* const made = find(process, ending.returned());
  if (made == nullptr || !(makes_one || ending.duplicates())) return;
  details.files.push_back({CallFile::kResult, made->name, names_.text(made->name)});
  if (makes_one) details.file = made->name;
}

void Descriptors::apply(const Ending& ending) {
  switch (ending.what.work) {
    case DescriptorWork::kOpen:
    case DescriptorWork::kMemory:
    case DescriptorWork::kMake:
      return open(ending);
    case DescriptorWork::kSocket:
      return add_socket(ending);
    case DescriptorWork::kAccept:
      return accept(ending);
    case DescriptorWork::kBind:
    case DescriptorWork::kLocalName:
      return set_address(ending, &Descriptor::local);
    case DescriptorWork::kConnect:
    case DescriptorWork::kRemoteName:
      return set_address(ending, &Descriptor::remote);
    case DescriptorWork::kPipe:
    case DescriptorWork::kSocketPair:
      return add_pair(ending);
    case DescriptorWork::kDuplicate:
      return duplicate(ending, ending.returned(), false);
    case DescriptorWork::kDuplicateTo:
      // To itself, it changes nothing.
      if (ending.returned() == as_int(ending.argument(0))) return;
      return duplicate(ending, ending.returned(),
                       (ending.argument(2) & kCloseOnExec) != 0 && ending.details.count > 2);
    case DescriptorWork::kControl:
      return control(ending);
    case DescriptorWork::kEnterPath:
    case DescriptorWork::kEnterDescriptor:
      return enter(ending);
    case DescriptorWork::kExec:
      return remove_at_exec(ending.process);
    case DescriptorWork::kNone:
    case DescriptorWork::kClose:
    case DescriptorWork::kCloseRange:
    case DescriptorWork::kRing:
    case DescriptorWork::kUnknown:
    case DescriptorWork::kExit:
      return;
  }
}

Descriptors::Descriptor Descriptors::named(std::string_view name, bool close_on_exec) {
  Descriptor descriptor;
  if (!name.empty()) descriptor.name = names_.intern(printable(name));
  descriptor.close_on_exec = close_on_exec;
  return descriptor;
}

// Of the first argument that is a path. Empty: it was not recorded, or it is empty.
std::string Descriptors::path_of(Pid process, const std::vector<CallArgument>& shapes,
                                 const CallDetails& details) const {
  // A path that was not recorded (no `--strings`) is not guessed from the folder.
  const CallData* const path = data_of(shapes, details, ArgumentKind::kPath);
  if (path == nullptr || path->bytes.empty()) return {};
  const auto at = which(shapes, ArgumentKind::kFolder);
  const std::int32_t folder = at ? as_int(details.arguments.at(*at)) : kFolder;
  const Descriptor* const from = find(process, folder);
  return absolute(from == nullptr ? std::string() : names_.text(from->name), path->bytes) +
         (path->cut ? "..." : "");
}

void Descriptors::name_file(Pid process, NameId call, CallDetails& details) {
  const std::vector<CallArgument>* const shapes = arguments_of(call);
  if (shapes == nullptr || details.file != kNoName) return;
  const std::string path = path_of(process, *shapes, details);
  if (!path.empty()) {
    details.file = names_.intern(printable(path));
  } else if (!details.files.empty()) {
    details.file = details.files.front().id;
  }
}

void Descriptors::open(const Ending& ending) {
  std::string name(ending.what.makes);
  bool close_on_exec = ending.close_on_exec();
  if (ending.what.work == DescriptorWork::kOpen)
    name = path_of(ending.process, ending.shapes, ending.details);
  // As /proc/PID/fd shows such files.
  if (ending.what.work == DescriptorWork::kMemory) {
    const CallData* const given = ending.data(ArgumentKind::kPath);
    if (given != nullptr) name = "/memfd:" + given->bytes + " (deleted)";
    close_on_exec = (ending.flags() & kMemoryCloseOnExec) != 0;
  }
  set(ending.process, ending.returned(), named(name, close_on_exec));
}

void Descriptors::enter(const Ending& ending) {
  std::string name = path_of(ending.process, ending.shapes, ending.details);
  if (ending.what.work == DescriptorWork::kEnterDescriptor) {
    const Descriptor* const from = find(ending.process, as_int(ending.argument(0)));
    name = from == nullptr ? std::string() : names_.text(from->name);
  }
  set(ending.process, kFolder, named(name, false));
}

void Descriptors::name_socket(Descriptor& descriptor) {
  descriptor.name = names_.intern(
      printable(socket_name(names_.text(descriptor.kind), names_.text(descriptor.local),
                            names_.text(descriptor.remote))));
}

void Descriptors::add_socket(const Ending& ending) {
  const std::uint64_t type = ending.argument(1);
  Descriptor made = named({}, (type & kCloseOnExec) != 0);
  made.kind = names_.intern(socket_kind(static_cast<std::uint32_t>(ending.argument(0)),
                                        static_cast<std::uint32_t>(type)));
  name_socket(made);
  set(ending.process, ending.returned(), made);
}

void Descriptors::accept(const Ending& ending) {
  const Descriptor* const listens = find(ending.process, as_int(ending.argument(0)));
  Descriptor made = named({}, ending.close_on_exec());
  if (listens != nullptr && listens->kind != kNoName) {
    // The new connection has the listener's kind and own address; accept tells the other end's.
    made.kind = listens->kind;
    made.local = listens->local;
    if (const CallData* const from = ending.data(ArgumentKind::kAddressOut)) {
      if (const auto address = parse_socket_address(from->bytes))
        made.remote = names_.intern(short_text(*address));
    }
    name_socket(made);
  }
  set(ending.process, ending.returned(), made);
}

void Descriptors::set_address(const Ending& ending, NameId Descriptor::* part) {
  const std::int32_t number = as_int(ending.argument(0));
  const Descriptor* const known = find(ending.process, number);
  const CallData* data = ending.data(ArgumentKind::kAddressIn);
  if (data == nullptr) data = ending.data(ArgumentKind::kAddressOut);
  // A name that /proc told has no parts to which an address could be added.
  if (known == nullptr || known->kind == kNoName || data == nullptr) return;
  const auto address = parse_socket_address(data->bytes);
  if (!address) return;
  Descriptor changed = *known;
  changed.*part = names_.intern(short_text(*address));
  name_socket(changed);
  // Through set(), which makes the table the process's own before it changes.
  set(ending.process, number, changed);
}

void Descriptors::add_pair(const Ending& ending) {
  const CallData* const data = ending.data(ArgumentKind::kPair);
  std::array<std::int32_t, 2> numbers{};
  if (data == nullptr || data->bytes.size() < sizeof numbers) return;
  std::memcpy(numbers.data(), data->bytes.data(), sizeof numbers);
  const bool is_pipe = ending.what.work == DescriptorWork::kPipe;
  const std::uint64_t flags = is_pipe ? ending.flags() : ending.argument(1);
  const std::string name = is_pipe ? "pipe"
                                   : socket_kind(static_cast<std::uint32_t>(ending.argument(0)),
                                                 static_cast<std::uint32_t>(ending.argument(1)));
  for (const std::int32_t number : numbers)
    set(ending.process, number, named(name, (flags & kCloseOnExec) != 0));
}

void Descriptors::duplicate(const Ending& ending, std::int32_t to, bool close_on_exec) {
  const Descriptor* const from = find(ending.process, as_int(ending.argument(0)));
  // Without a known original the copy is unknown as well, and takes an older name away.
  Descriptor made = from == nullptr ? Descriptor{} : *from;
  made.close_on_exec = close_on_exec;
  made.seen = kNever;
  set(ending.process, to, made);
}

void Descriptors::control(const Ending& ending) {
  const std::uint64_t command = ending.argument(1);
  if (ending.duplicates())
    return duplicate(ending, ending.returned(), command == kDuplicateCloseOnExec);
  if (command != kSetFlags || !tables_.contains(ending.process)) return;
  Table& table = own_table(ending.process);
  const auto found = table.find(as_int(ending.argument(0)));
  if (found != table.end()) found->second.close_on_exec = (ending.argument(2) & 1) != 0;
}

}  // namespace kutrace::spans
