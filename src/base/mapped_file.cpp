// SPDX-License-Identifier: BSD-3-Clause
// Mapping a regular file, reading anything else.
#include "base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <utility>

#include "base/inputs.h"
#include "base/stream.h"

namespace kutrace {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ > STDERR_FILENO) close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

}  // namespace

MappedFile::MappedFile(MappedFile&& other) noexcept { swap(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  swap(other);
  return *this;
}

MappedFile::~MappedFile() {
  if (mapped_) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::swap(MappedFile& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(owned_, other.owned_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_, other.mapped_);
}

MappedFile MappedFile::from_bytes(std::vector<std::byte> bytes, std::string name) {
  MappedFile file;
  file.name_ = std::move(name);
  file.owned_ = std::move(bytes);
  file.bytes_ = file.owned_;
  return file;
}

Result<MappedFile> MappedFile::open(const std::string& path, const StreamRules& rules) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "(standard input)" : path;
  const Descriptor descriptor(standard_input ? STDIN_FILENO
                                             : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) {
    const int number = errno;
    return fail(input_error("cannot be opened: " + errno_text(number))
                    .with_file(path)
                    .with_hint(number == ENOENT ? "check the name; kutrace record writes trace.raw"
                               : number == EACCES ? "read it as the user who owns it"
                                                  : ""));
  }
  struct stat status{};
  if (fstat(descriptor.get(), &status) != 0) return fail(cannot_read(path, errno));
  if (S_ISDIR(status.st_mode)) {
    return fail(input_error("is a folder, not a trace").with_file(path));
  }
  if (S_ISREG(status.st_mode)) note_input(status);
  // Files of /proc say that they are empty.
  if (!S_ISREG(status.st_mode) || status.st_size == 0) {
    KUTRACE_ASSIGN(auto bytes, read_stream(descriptor.get(), name, rules));
    return from_bytes(std::move(bytes), name);
  }
  MappedFile file;
  file.name_ = path;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
  if (address == MAP_FAILED && errno == ENOMEM) throw std::bad_alloc();
  if (address == MAP_FAILED) return fail(cannot_read(path, errno));
  madvise(address, size, MADV_SEQUENTIAL);
  file.bytes_ = {static_cast<const std::byte*>(address), size};
  file.mapped_ = true;
  return file;
}

}  // namespace kutrace
