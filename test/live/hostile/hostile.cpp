// SPDX-License-Identifier: BSD-3-Clause
// System calls whose pointers lead nowhere, end where memory does, or to what another thread
// changes meanwhile. In: "still" for all but the last, which cannot be compared call by call, or
// "racing". Out: how many calls of each kind it made.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

namespace {

constexpr std::size_t kPage = 4096;
constexpr int kRaced = 20000;
constexpr std::size_t kRacedBytes = 400;

// Null, nearly so, the kernel's, none that a processor has, and the last byte there is.
constexpr std::array<std::uint64_t, 6> kNowhere = {
    0, 8, 0xffffffff81000000, 0xffff888000000000, 0x4141414141414141, 0xffffffffffffffff};

long call(long number, auto... arguments) { return syscall(number, arguments...); }

// Two pages, of which only the first is there.
char* edge() {
  void* const at =
      mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED || munmap(static_cast<char*>(at) + kPage, kPage) != 0) std::exit(1);
  return static_cast<char*>(at) + kPage;
}

// Puts the text where memory ends, and returns where it begins.
char* before(char* end, std::string_view text) {
  std::memcpy(end - text.size(), text.data(), text.size());
  return end - text.size();
}

void names(char* end) {
  for (const std::uint64_t at : kNowhere) call(SYS_openat, AT_FDCWD, at, O_RDONLY);
  using std::string_view_literals::operator""sv;
  call(SYS_openat, AT_FDCWD, before(end, "/none/ends-with-the-page\0"sv), O_RDONLY);
  call(SYS_openat, AT_FDCWD, before(end, "/none/goes-on-behind-it"), O_RDONLY);
  call(SYS_openat, AT_FDCWD, before(end, "\0"sv), O_RDONLY);
  for (const std::size_t bytes : {279u, 280u, 281u, 3000u}) {
    std::memset(end - bytes - 1, 'n', bytes);
    end[-1] = 0;
    call(SYS_openat, AT_FDCWD, end - bytes - 1, O_RDONLY);
  }
}

void buffers(char* end) {
  const int sink = open("/dev/null", O_WRONLY);
  const int source = open("/dev/zero", O_RDONLY);
  int ends[2];
  if (sink < 0 || source < 0 || pipe(ends) != 0) std::exit(1);
  for (const std::uint64_t at : kNowhere) {
    call(SYS_write, ends[1], at, 100);
    call(SYS_read, source, at, 100);
  }
  call(SYS_write, ends[1], before(end, "the last twenty byte"), 20);
  call(SYS_write, ends[1], before(end, "the last twenty byte"), 21);
  call(SYS_write, sink, end - 8, std::uint64_t{1} << 62);
  call(SYS_write, sink, end - 8, UINT64_MAX);
  call(SYS_read, source, end - 20, 20);
  call(SYS_read, source, end - 20, 30);
  call(SYS_write, ends[1], end - 8, 0);
}

void addresses(char* end) {
  const int s = socket(AF_UNIX, SOCK_STREAM, 0);
  for (const std::uint64_t at : kNowhere) call(SYS_connect, s, at, 110);
  std::memset(end - 110, 0, 110);
  call(SYS_connect, s, end - 110, 110);
  call(SYS_connect, s, end - 110, 111);
  call(SYS_connect, s, end - 2, 2);
  call(SYS_connect, s, end - 1, 1);
  call(SYS_connect, s, end - 110, UINT32_MAX);
  call(SYS_getsockname, s, end - 4, end - 4);
  call(SYS_getsockname, s, end - 110, 8);
  call(SYS_getsockname, s, nullptr, nullptr);
  for (const std::uint64_t at : kNowhere) call(SYS_pipe2, at, 0);
}

// New programs that do not begin, and one that does without a name.
void programs(char* end) {
  for (const std::uint64_t at : kNowhere) call(SYS_execve, "/none", at, nullptr);
  char** const list = reinterpret_cast<char**>(end) - 2;
  list[0] = end - 100;
  list[1] = reinterpret_cast<char*>(8);
  std::memcpy(list[0], "argument", 9);
  call(SYS_execve, "/none", list, nullptr);
  list[1] = list[0];
  call(SYS_execve, "/bin/true", list, nullptr);
}

void still() {
  char* const end = edge();
  names(end);
  buffers(end);
  addresses(end);
  programs(end);
}

// Names of 'a' or of 'b', long and short, while another thread makes the one of the other.
void racing() {
  static std::array<char, kRacedBytes> name;
  std::atomic<bool> ends = false;
  name.fill('a');
  name.back() = 0;
  std::thread other([&ends] {
    for (unsigned i = 0; !ends; ++i) {
      std::memset(name.data(), i % 2 ? 'a' : 'b', kRacedBytes - 1);
      name[i % kRacedBytes] = 0;
    }
  });
  for (int i = 0; i < kRaced; ++i) call(SYS_openat, -1, name.data(), O_RDONLY);
  ends = true;
  other.join();
  std::printf("raced=%d\n", kRaced);
}

}  // namespace

int main(int count, char** words) {
  const std::string_view what = count > 1 ? words[1] : "";
  if (what == "still") {
    still();
  } else if (what == "racing") {
    racing();
  } else {
    std::fprintf(stderr, "usage: hostile still|racing\n");
    return 2;
  }
}
