// SPDX-License-Identifier: BSD-3-Clause
// Causes known numbers of signals, processes, migrations, faults, connections and waits for locks.
// Out: what it did, a line for each. With "kernel-locks" its threads only contend for a lock of the
// kernel, that of their memory.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kSignals = 37;
constexpr int kChildren = 9;
constexpr int kMigrations = 21;
constexpr int kPages = 300;
constexpr int kConnections = 5;
constexpr int kSends = 3;
constexpr int kSentBytes = 700;
constexpr int kContended = 25;
constexpr int kOwned = 15;
constexpr int kIdle = 20;
constexpr int kStatus = 7;
constexpr int kMappings = 5000;

void pause_us(long us) {
  const timespec time{0, us * 1000};
  nanosleep(&time, nullptr);
}

void must(bool good, const char* what) {
  if (good) return;
  std::perror(what);
  std::exit(1);
}

void send_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, nullptr);
  for (int i = 0; i < kSignals; ++i) kill(getpid(), SIGUSR1);
  std::printf("signals=%d\n", kSignals);
}

void make_children() {
  for (int i = 0; i < kChildren; ++i) {
    const pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0) _exit(kStatus);
    waitpid(child, nullptr, 0);
  }
  std::printf("children=%d\nstatus=%d\n", kChildren, kStatus);
}

void run_on(int cpu) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<unsigned>(cpu), &only);
  must(sched_setaffinity(0, sizeof only, &only) == 0, "sched_setaffinity");
}

void migrate() {
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  run_on(0);
  std::printf("migrations_begin=1\n");
  for (int i = 0; i < kMigrations && cpus > 1; ++i) run_on(i % 2 == 0 ? 1 : 0);
  std::printf("migrations=%d\n", cpus > 1 ? kMigrations : 0);
  sched_setaffinity(0, sizeof before, &before);
}

void fault() {
  const std::size_t bytes = std::size_t{kPages} * 4096;
  auto* const memory = static_cast<char*>(
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  must(memory != MAP_FAILED, "mmap");
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (int i = 0; i < kPages; ++i) memory[std::size_t{4096} * static_cast<unsigned>(i)] = 1;
  std::printf("pages=%d\npages_at=%lu\n", kPages, reinterpret_cast<unsigned long>(memory));
}

// A server on loopback whose kernel keeps so many for it.
struct Listener {
  explicit Listener(int waiting) : socket(::socket(AF_INET, SOCK_STREAM, 0)) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    socklen_t length = sizeof address;
    must(bind(socket, plain, length) == 0 && listen(socket, waiting) == 0, "listen");
    getsockname(socket, plain, &length);
  }
  int connect(int client) const {
    return ::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  int port() const { return ntohs(address.sin_port); }

  int socket;
  sockaddr_in address{};
};

void connect() {
  const Listener listener(16);
  for (int i = 0; i < kConnections; ++i) {
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    must(listener.connect(client) == 0, "connect");
    const int server = accept(listener.socket, nullptr, nullptr);
    char bytes[kSentBytes] = {};
    for (int sent = 0; sent < kSends; ++sent)
      must(send(client, bytes, sizeof bytes, 0) == kSentBytes &&
               recv(server, bytes, sizeof bytes, MSG_WAITALL) == kSentBytes,
           "send");
    close(client);
    close(server);
  }
  close(listener.socket);
  std::printf("connections=%d\nport=%d\nsends=%d\nsent_bytes=%d\n", kConnections, listener.port(),
              kConnections * kSends, kSentBytes);
}

// The kernel does not hear who connects to a server that accepts nobody and has one waiting: it is
// asked again after a second.
void retransmit() {
  const Listener listener(0);
  const int first = socket(AF_INET, SOCK_STREAM, 0);
  must(listener.connect(first) == 0, "connect");
  const int second = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  must(listener.connect(second) != 0, "a connection that nobody accepts");
  pause_us(800'000);
  pause_us(800'000);
  tcp_info info{};
  socklen_t size = sizeof info;
  must(getsockopt(second, IPPROTO_TCP, TCP_INFO, &info, &size) == 0, "TCP_INFO");
  for (const int socket : {second, first, listener.socket}) close(socket);
  std::printf("retransmits=%u\ndeaf_port=%d\n", info.tcpi_total_retrans, listener.port());
}

// Two threads, one lock: the worker asks for it while the first holds it, `count` times.
struct Contest {
  pthread_mutex_t lock{};
  std::atomic<int> held = 0;   // turns in which the first took the lock
  std::atomic<int> taken = 0;  // turns in which the worker got it
  int count = 0;
};

void* ask(void* given) {
  auto* const contest = static_cast<Contest*>(given);
  for (int turn = 1; turn <= contest->count; ++turn) {
    while (contest->held < turn) pause_us(50);
    pthread_mutex_lock(&contest->lock);
    pthread_mutex_unlock(&contest->lock);
    contest->taken = turn;
  }
  return nullptr;
}

void contend(Contest& contest, int protocol, const char* name) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  pthread_mutex_init(&contest.lock, &attributes);
  pthread_t worker{};
  must(pthread_create(&worker, nullptr, ask, &contest) == 0, "pthread_create");
  for (int turn = 1; turn <= contest.count; ++turn) {
    pthread_mutex_lock(&contest.lock);
    contest.held = turn;
    pause_us(3000);  // it asks within 50 us and sleeps
    pthread_mutex_unlock(&contest.lock);
    while (contest.taken < turn) pause_us(50);
  }
  pthread_join(worker, nullptr);
  std::printf("%s=%d\n%s_at=%lu\n", name, contest.count, name,
              reinterpret_cast<unsigned long>(&contest.lock));
}

// A thread of a pool: sleeps until there is work.
struct Pool {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t more = PTHREAD_COND_INITIALIZER;
  int todo = 0;
};

void* work(void* given) {
  auto* const pool = static_cast<Pool*>(given);
  for (int done = 0; done < kIdle; ++done) {
    pthread_mutex_lock(&pool->lock);
    while (pool->todo == 0) pthread_cond_wait(&pool->more, &pool->lock);
    --pool->todo;
    pthread_mutex_unlock(&pool->lock);
  }
  return nullptr;
}

void idle() {
  static Pool pool;
  pthread_t worker{};
  must(pthread_create(&worker, nullptr, work, &pool) == 0, "pthread_create");
  for (int i = 0; i < kIdle; ++i) {
    pause_us(2000);
    pthread_mutex_lock(&pool.lock);
    ++pool.todo;
    pthread_mutex_unlock(&pool.lock);
    pthread_cond_signal(&pool.more);
  }
  pthread_join(worker, nullptr);
  std::printf("idle=%d\nidle_at=%lu\nidle_bytes=%zu\n", kIdle,
              reinterpret_cast<unsigned long>(&pool), sizeof pool);
}

void* map_and_unmap(void* /*unused*/) {
  for (int i = 0; i < kMappings; ++i) {
    void* const memory =
        mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *static_cast<volatile char*>(memory) = 1;
    munmap(memory, 1 << 16);
  }
  return nullptr;
}

void contend_in_kernel() {
  pthread_t threads[4];
  for (pthread_t& thread : threads)
    must(pthread_create(&thread, nullptr, map_and_unmap, nullptr) == 0, "pthread_create");
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "kernel-locks") == 0) {
    contend_in_kernel();
    return 0;
  }
  std::setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
  std::printf("pid=%d\n", getpid());
  send_signals();
  make_children();
  migrate();
  fault();
  connect();
  retransmit();
  static Contest plain{.count = kContended};
  contend(plain, PTHREAD_PRIO_NONE, "contended");
  static Contest owned{.count = kOwned};
  contend(owned, PTHREAD_PRIO_INHERIT, "owned");
  idle();
  return 0;
}
