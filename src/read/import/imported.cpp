// SPDX-License-Identifier: BSD-3-Clause
// Keeping blocks, and reading them.
#include "read/import/imported.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/mapped_file.h"
#include "base/text.h"
#include "format/raw_file.h"
#include "kutrace/abi.h"
#include "read/raw/raw_form.h"

namespace kutrace::read {

namespace {

constexpr std::uint64_t kLeastRoom = std::uint64_t{64} << 20;
constexpr std::uint64_t kTimes = 32;

class ImportedReader : public TraceReader {
 public:
  ImportedReader(std::unique_ptr<TraceReader> made, Counters found)
      : made_(std::move(made)), found_(std::move(found)) {}

  Result<Ns> begin() const override { return made_->begin(); }
  Result<TraceInfo> replay(NameTable& names, SpanSink& sink, const Counters& opened,
                           const std::function<void(double)>& progress) const override {
    Counters all = opened;
    all.add(found_);
    return made_->replay(names, sink, all, progress);
  }
  bool tells_lives() const override { return made_->tells_lives(); }
  bool tells_nesting() const override { return made_->tells_nesting(); }
  RawFile* raw() override { return made_->raw(); }

 private:
  std::unique_ptr<TraceReader> made_;
  Counters found_;
};

}  // namespace

// An entry is about as long as the event that it is made of; packed files hold ten times as much.
ImportedBlocks::ImportedBlocks(std::uint64_t file_bytes)
    : most_(kLeastRoom + kTimes * file_bytes) {}

Error ImportedBlocks::too_much() const {
  return input_error(fmt::format("its events need more than {}", byte_size(most_)))
      .with_hint("record less, or a shorter time");
}

Status ImportedBlocks::put(std::uint64_t number, std::string_view bytes) {
  const std::uint64_t end = (number + 1) * KUTRACE_BLOCK_BYTES;
  if (end > most_) return fail(too_much());
  if (bytes_.size() < end) bytes_.resize(end);
  std::memcpy(bytes_.data() + end - KUTRACE_BLOCK_BYTES, bytes.data(), bytes.size());
  return {};
}

Result<std::unique_ptr<TraceReader>> ImportedBlocks::open(const std::string& name,
                                                          const Counters& found) && {
  KUTRACE_ASSIGN(RawFile raw, RawFile::open(MappedFile::from_bytes(std::move(bytes_), name)));
  return std::make_unique<ImportedReader>(read_raw(std::move(raw)), found);
}

}  // namespace kutrace::read
