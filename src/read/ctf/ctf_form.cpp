// SPDX-License-Identifier: BSD-3-Clause
// The files beside the metadata.
#include "read/ctf/ctf_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "read/ctf/ctf_import.h"
#include "read/ctf/ctf_metadata.h"

namespace kutrace::read {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostStreams = 65'536;

// Streams are the files in the metadata's folder; what lies in folders there is an index.
Result<std::vector<std::string>> streams_beside(const fs::path& metadata) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(metadata.parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const bool is_hidden = entry->path().filename().native().starts_with('.');
    const bool is_other = is_hidden || fs::equivalent(entry->path(), metadata, gone);
    if (!is_other && entry->is_regular_file(gone)) names.push_back(entry->path().native());
    if (names.size() > kMostStreams)
      return fail(input_error("the folder has more files than a trace can have streams"));
  }
  if (error)
    return fail(input_error("is the metadata of a CTF trace whose folder cannot be read: " +
                            error.message()));
  std::ranges::sort(names);
  return names;
}

Result<std::unique_ptr<TraceReader>> open_ctf(MappedFile file) {
  std::error_code error;
  const fs::path metadata = fs::absolute(file.name(), error);
  if (!fs::exists(metadata, error)) {
    return fail(input_error("is the metadata of a CTF trace, whose streams are in files beside it")
                    .with_file(file.name())
                    .with_hint("give the folder that holds all of them"));
  }
  auto names = streams_beside(metadata);
  if (!names) {
    return fail(std::move(names)
                    .error()
                    .with_file(file.name())
                    .with_hint("give a folder that holds the files of one trace alone"));
  }
  std::vector<MappedFile> streams;
  for (const std::string& name : *names) {
    KUTRACE_ASSIGN(MappedFile stream, MappedFile::open(name));
    streams.push_back(std::move(stream));
  }
  return import_ctf(file, std::move(streams));
}

}  // namespace

const TraceForm kCtfForm = {is_ctf_metadata, open_ctf};

std::string ctf_metadata_in(const std::string& folder) {
  std::error_code error;
  for (const std::string_view place : {"metadata", "kernel/metadata"}) {
    const fs::path path = fs::path(folder) / place;
    if (fs::is_regular_file(path, error)) return path.native();
  }
  return {};
}

}  // namespace kutrace::read
