// SPDX-License-Identifier: BSD-3-Clause
// A slot of the page, held by locks that go with the process. They are on a file that only root can
// open: whoever may read a file can keep others from locking it.
#include "record/source/mark_listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <ctime>
#include <iterator>
#include <utility>

#include "kutrace/listeners.h"

namespace kutrace::record {

namespace {

constexpr off_t kMagicAt = offsetof(kutrace_listeners, magic);
constexpr off_t kCarriersAt = offsetof(kutrace_listeners, carriers);
constexpr off_t kBeatAt = offsetof(kutrace_listeners, beat);
constexpr std::size_t kSlotBytes = sizeof(std::uint32_t);
constexpr mode_t kReadableByAll = 0644;
constexpr mode_t kOfOwner = 0600;

static_assert(sizeof(kutrace_listeners) == KUTRACE_LISTENERS_BYTES);

off_t place_of(std::uint32_t slot) {
  return static_cast<off_t>(offsetof(kutrace_listeners, slots) + slot * sizeof(std::uint32_t));
}

Error cannot(const std::string& what, const std::string& path) {
  return host_error(fmt::format("cannot {} {}: {}", what, path, errno_text(errno)));
}

struct flock range_of(off_t at, std::size_t bytes, short kind) {
  struct flock range{};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = at;
  range.l_len = static_cast<off_t>(bytes);
  return range;
}

// Never waits.
bool lock(int fd, off_t at, std::size_t bytes, short kind) {
  struct flock range = range_of(at, bytes, kind);
  return fcntl(fd, F_OFD_SETLK, &range) == 0;
}

// Whether somebody else has the right to write there, and keeps it to himself. What those hold who
// may only read does not count.
bool is_held(int fd, off_t at, std::size_t bytes) {
  struct flock range = range_of(at, bytes, F_RDLCK);
  return fcntl(fd, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

// Until it is mine, or only readers prevent it; not for long, and not when a signal comes.
bool wait_for(int fd, off_t at, std::size_t bytes) {
  constexpr int kMostLooks = 100;
  constexpr timespec kPause{0, 10'000'000};
  for (int look = 0; look < kMostLooks; ++look) {
    if (lock(fd, at, bytes, F_WRLCK)) return true;
    if (!is_held(fd, at, bytes)) return false;
    if (nanosleep(&kPause, nullptr) != 0) return false;
  }
  return false;
}

// Nobody else adds or removes himself.
class Turn {
 public:
  Turn(int locks, int page) : locks_(locks), page_(page) {
    wait_for(page_, kMagicAt, sizeof(std::uint64_t));
    is_mine_ = (locks_ < 0 || wait_for(locks_, kMagicAt, sizeof(std::uint64_t))) &&
               !is_held(page_, kMagicAt, sizeof(std::uint64_t));
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    for (const int fd : {locks_, page_}) lock(fd, kMagicAt, sizeof(std::uint64_t), F_UNLCK);
  }
  bool is_mine() const { return is_mine_; }

 private:
  int locks_;
  int page_;
  bool is_mine_ = false;
};

template <class T>
bool put(int fd, off_t at, const T& value) {
  return pwrite(fd, &value, sizeof value, at) == sizeof value;
}

bool read_page(int fd, kutrace_listeners& page) {
  return pread(fd, &page, sizeof page, 0) == sizeof page && page.magic == KUTRACE_LISTENERS_MAGIC;
}

// Under another name first, as programs map whatever has the right one. Whoever is first wins.
Status make_page(const std::string& path) {
  const std::string other = fmt::format("{}.{}", path, getpid());
  unlink(other.c_str());
  const files::Descriptor fd(
      open(other.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kReadableByAll));
  if (!fd) return fail(cannot("make", path));
  kutrace_listeners page{};
  page.magic = KUTRACE_LISTENERS_MAGIC;
  const bool made = fchmod(fd.get(), kReadableByAll) == 0 && put(fd.get(), 0, page) &&
                    (link(other.c_str(), path.c_str()) == 0 || errno == EEXIST);
  const int why = errno;
  unlink(other.c_str());
  errno = why;
  if (!made) return fail(cannot("make", path));
  return {};
}

// What several listeners say: any of them, and all.
struct Said {
  std::uint32_t any = 0;
  std::uint32_t all = ~0u;

  void add(std::uint32_t slot) {
    any |= slot;
    all &= slot;
  }
  // For programs: what is left in a buffer must be read by all.
  std::uint32_t carriers() const {
    return any | (any != 0 && (all & KUTRACE_READS_BUFFERS) != 0 ? KUTRACE_BY_BUFFER : 0);
  }
};

// In either place: a recorder of another container has other locks, an older one has none.
bool is_taken(int locks, int page, std::uint32_t slot) {
  return is_held(locks, place_of(slot), kSlotBytes) || is_held(page, place_of(slot), kSlotBytes);
}

// All listeners but the one of this slot. What nobody holds is of one that is gone.
Said others_say(int locks, int fd, kutrace_listeners& page, std::uint32_t mine) {
  Said said;
  for (std::uint32_t slot = 0; slot < KUTRACE_MOST_LISTENERS; ++slot) {
    if (page.slots[slot] == 0 || slot == mine) continue;
    if (is_taken(locks, fd, slot)) {
      said.add(page.slots[slot]);
      continue;
    }
    page.slots[slot] = 0;
    put(fd, place_of(slot), page.slots[slot]);
  }
  return said;
}

// In the page too, where no reader prevents it: for those that do not see these locks.
bool hold(int locks, int page, std::uint32_t slot) {
  const bool in_page = lock(page, place_of(slot), kSlotBytes, F_WRLCK);
  return lock(locks, place_of(slot), kSlotBytes, F_WRLCK) || (locks < 0 && in_page);
}

}  // namespace

Result<MarkListener> MarkListener::announce(std::uint32_t carriers, const std::string& path) {
  constexpr int kHow = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  files::Descriptor fd(open(path.c_str(), kHow));
  const bool made = !fd && errno == ENOENT;
  if (made) {
    KUTRACE_TRY(make_page(path));
    fd = files::Descriptor(open(path.c_str(), kHow));
  }
  if (!fd) return fail(cannot("open", path));
  // Where there can be no such file, the locks are on the page alone.
  files::Descriptor locks(open((path + ".lock").c_str(), kHow | O_CREAT, kOfOwner));
  MarkListener listener(std::move(fd), std::move(locks), made);
  KUTRACE_TRY(listener.take_slot(carriers));
  return listener;
}

Status MarkListener::take_slot(std::uint32_t carriers) {
  const int fd = page_.get();
  const int locks = locks_.get();
  const Turn turn(locks, fd);
  kutrace_listeners page{};
  if (!turn.is_mine())
    return fail(host_error("another recorder keeps locked what tells programs of recorders"));
  if (!read_page(fd, page))
    return fail(host_error("what tells programs of recorders is damaged")
                    .with_hint("remove it: programs that run already will not hear of recorders"));
  Said all = others_say(locks, fd, page, KUTRACE_MOST_LISTENERS);
  all.add(carriers);
  const auto* free = std::ranges::find(page.slots, 0u);
  if (free == std::end(page.slots))
    return fail(
        host_error("too many recorders are listening for marks").with_hint("stop one of them"));
  const auto slot = static_cast<std::uint32_t>(free - page.slots);
  if (hold(locks, fd, slot)) slot_ = slot;
  if (!slot_ || !put(fd, place_of(slot), carriers) || !put(fd, kCarriersAt, all.carriers()))
    return fail(
        host_error("cannot announce to programs that marks are recorded: " + errno_text(errno)));
  return {};
}

void MarkListener::keep_time() {
  constexpr auto kBeat = std::chrono::milliseconds(62);
  if (const auto now = std::chrono::steady_clock::now(); now - last_beat_ >= kBeat) {
    last_beat_ = now;
    beat();
  }
}

// Two recorders at a time may tell the same number; both go on to another soon.
void MarkListener::beat() {
  kutrace_listeners page{};
  if (read_page(page_.get(), page)) put(page_.get(), kBeatAt, page.beat + 1);
}

MarkListener::~MarkListener() {
  const int fd = page_.get();
  kutrace_listeners page{};
  if (fd < 0 || !slot_) return;
  const Turn turn(locks_.get(), fd);
  if (!turn.is_mine() || !read_page(fd, page)) return;
  put(fd, place_of(*slot_), std::uint32_t{0});
  put(fd, kCarriersAt, others_say(locks_.get(), fd, page, *slot_).carriers());
}

}  // namespace kutrace::record
