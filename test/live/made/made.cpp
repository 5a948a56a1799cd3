// SPDX-License-Identifier: BSD-3-Clause
// Makes a function at run time and tells perf's map of it, then runs it and asks the vdso for the
// time, in turn:
//   kutrace-made MILLISECONDS FOLDER       milliseconds on a CPU
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

// mov ecx, edi; again: dec ecx; jnz again; ret
constexpr std::array<std::uint8_t, 7> kCode = {0x89, 0xf9, 0xff, 0xc9, 0x75, 0xfc, 0xc3};

using Made = void (*)(unsigned rounds);

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::clock_t end = std::clock() + std::atoi(argv[1]) * (CLOCKS_PER_SEC / 1000);
  void* room =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return 1;
  std::memcpy(room, kCode.data(), kCode.size());
  const std::string path = std::string(argv[2]) + "/perf-" + std::to_string(getpid()) + ".map";
  std::FILE* map = std::fopen(path.c_str(), "w");
  if (map == nullptr) return 1;
  std::fprintf(map, "%llx %zx made at run time\n",
               static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(room)),
               kCode.size());
  std::fclose(map);
  Made made = nullptr;
  std::memcpy(&made, &room, sizeof made);
  do {
    made(300'000);
    for (int i = 0; i < 5'000; ++i) static_cast<void>(std::chrono::steady_clock::now());
  } while (std::clock() < end);
  std::printf("pid=%d\n", getpid());
  return 0;
}
