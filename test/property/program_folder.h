// SPDX-License-Identifier: BSD-3-Clause
// The program, run on files in a folder of its own, which is gone at the end.
#pragma once

#include <sys/wait.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>

namespace kutrace::test {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "kutrace-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string store(std::span<const std::byte> bytes) const {
    const std::string path = file("input");
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  std::string file(const char* name) const { return (path_ / name).string(); }
  // It is ended after so many seconds of CPU time, if any.
  Outcome run(const std::string& arguments, int cpu_seconds = 0) const {
    const std::string limit =
        cpu_seconds == 0 ? "" : "ulimit -t " + std::to_string(cpu_seconds) + "; exec ";
    const int status = std::system(  // NOLINT(cert-env33-c): a test's own command
        (limit + KUTRACE_PROGRAM + " " + arguments + " >" + file("out") + " 2>" + file("err"))
            .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            read_file(file("out")), read_file(file("err"))};
  }

 private:
  std::filesystem::path path_;
};

}  // namespace kutrace::test
