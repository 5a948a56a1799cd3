// SPDX-License-Identifier: BSD-3-Clause
// A program whose thread "victim" makes one slow call, for a reason that is known:
//   lock       futex: the holder of a lock sleeps
//   hog        read: a thread of higher priority runs on its CPU
//   disk       fsync: much is to be written
//   faults     read: the buffer is not there yet
//   inversion  futex: the holder of a lock does not get its CPU
//   server     recvfrom: a process at the other end of a connection computes
// Priorities are those of real time, so that nothing else on the machine can be the reason.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "live/planting.h"

namespace kutrace::live {
namespace {

void lock() { sleep_with_lock(200); }

void hog() {
  be("waker", 30);
  int pipe[2];
  if (::pipe(pipe) != 0) give_up("pipe");
  Semaphore begin;
  std::jthread victim([&] {
    be("victim", 10, true);
    char byte = 0;
    if (read(pipe[0], &byte, 1) != 1) give_up("read");
  });
  std::jthread hog([&] {
    be("hog", 20, true);
    begin.wait();
    compute_ms(200);
  });
  sleep_ms(20);
  begin.post();
  sleep_ms(20);
  if (write(pipe[1], "", 1) != 1) give_up("write");
}

void disk() {
  std::jthread victim([] {
    be("victim", 10);
    const int file = open(".", O_TMPFILE | O_RDWR, 0600);
    if (file < 0) give_up("open");
    const std::vector<char> bytes(1 << 20, 'x');
    for (int i = 0; i < 64; ++i) {
      if (write(file, bytes.data(), bytes.size()) < 0) give_up("write");
    }
    if (fsync(file) != 0) give_up("fsync");
    close(file);
  });
}

void faults() {
  std::jthread victim([] {
    be("victim", 10);
    constexpr std::size_t kBytes = 64 << 20;
    void* memory =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) give_up("mmap");
    // Of small pages a virtual machine may make the first touch dearer than the fault that led
    // there.
    madvise(memory, kBytes, MADV_HUGEPAGE);
    const int zeros = open("/dev/zero", O_RDONLY);
    if (read(zeros, memory, kBytes) < 0) give_up("read");
  });
}

void inversion() { invert_priorities(200); }

void server() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, name, size) != 0 || listen(listener, 1) != 0) give_up("listen");
  getsockname(listener, name, &size);
  char byte = 0;
  const pid_t child = fork();
  if (child == 0) {
    be("server", 10);
    const int peer = accept(listener, nullptr, nullptr);
    if (recv(peer, &byte, 1, 0) != 1) give_up("recv");
    compute_ms(200);
    if (send(peer, &byte, 1, 0) != 1) give_up("send");
    _exit(0);
  }
  std::jthread victim([&] {
    be("victim", 10);
    const int peer = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(peer, name, size) != 0) give_up("connect");
    if (send(peer, &byte, 1, 0) != 1 || recv(peer, &byte, 1, 0) != 1) give_up("recv");
  });
  victim.join();
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace kutrace::live

int main(int count, char** words) {
  using namespace kutrace::live;
  const std::map<std::string, void (*)()> acts = {{"lock", lock},           {"hog", hog},
                                                  {"disk", disk},           {"faults", faults},
                                                  {"inversion", inversion}, {"server", server}};
  const auto act = acts.find(count == 2 ? words[1] : "");
  if (act == acts.end()) return 2;
  act->second();
  return 0;
}
