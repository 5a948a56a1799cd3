// SPDX-License-Identifier: BSD-3-Clause
// An unlinked temporary file.
#include "cli/spill_file.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "files/files.h"

namespace kutrace::cli {

namespace {

std::string folder_for(const std::string& output) {
  if (output == "-" || files::is_special(output)) return files::temporary_folder();
  const std::string parent = std::filesystem::path(output).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

SpillFile::SpillFile(const std::string& output) : folder_(folder_for(output)) {}

SpillFile::~SpillFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status SpillFile::open() {
  if (descriptor_ >= 0) return {};
  Result<int> file = files::nameless_file(folder_);
  if (!file) {  // where the output is can be written to, but not beside it
    folder_ = files::temporary_folder();
    file = files::nameless_file(folder_);
  }
  KUTRACE_ASSIGN(descriptor_, std::move(file));
  return {};
}

Status SpillFile::append(std::span<const std::byte> bytes) {
  KUTRACE_TRY(open());
  const int failed =
      files::write_all(descriptor_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (failed == 0) return {};
  return fail(output_error("a temporary file cannot be written: " + errno_text(failed))
                  .with_file(folder_)
                  .with_hint("make room there, or write the output elsewhere"));
}

Status SpillFile::read(std::uint64_t offset, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return fail(output_error("a temporary file cannot be read back").with_file(folder_));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return {};
}

}  // namespace kutrace::cli
