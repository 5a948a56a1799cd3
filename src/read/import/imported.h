// SPDX-License-Identifier: BSD-3-Clause
// A raw trace that was made of another form: its blocks are kept in memory. In: blocks; out: a
// reader of what they hold.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "format/counters.h"
#include "read/form/trace_form.h"

namespace kutrace::read {

class ImportedBlocks {
 public:
  // Of a file of so many bytes, which cannot hold more than a multiple of them.
  explicit ImportedBlocks(std::uint64_t file_bytes);

  // What fits.
  std::uint64_t most_bytes() const { return most_; }
  Error too_much() const;
  Status put(std::uint64_t number, std::string_view bytes);
  // `found` is what was wrong with the file that they were made of.
  Result<std::unique_ptr<TraceReader>> open(const std::string& name, const Counters& found) &&;

 private:
  std::uint64_t most_;
  std::vector<std::byte> bytes_;
};

// A file that `Import` makes a raw trace of; its errors name the file.
template <typename Import>
Result<std::unique_ptr<TraceReader>> open_imported(MappedFile file) {
  auto reader = Import(file).run();
  if (!reader && reader.error().file.empty())
    return fail(std::move(reader).error().with_file(file.name()));
  return reader;
}

}  // namespace kutrace::read
