// SPDX-License-Identifier: BSD-3-Clause
// The blocks of one of our pages or containers, found and unpacked one at a time. In: a file's
// bytes, which must outlive this; out: the header's text, and checked bytes of blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/inflate.h"
#include "base/result.h"
#include "format/page_format.h"
#include "read/page/page_facts.h"

namespace kutrace::read {

// Whether the text is one of our pages that holds a trace; whether the bytes are a container.
bool is_own_page(std::string_view text);
bool is_container(std::string_view bytes);

// The id of a slab's block.
std::string page_slab_id(std::size_t number);

// Says of an error in which file it is.
class PageSource {
 public:
  PageSource() = default;
  PageSource(const PageSource&) = delete;
  PageSource& operator=(const PageSource&) = delete;
  virtual ~PageSource() = default;

  virtual Result<std::string> header() = 0;
  // Finds all other blocks; fails if one of them is missing.
  virtual Status locate(const PageFacts& facts) = 0;
  // Bytes of the overlays that every view has, and of a slab, which may come in `room`.
  virtual Result<std::vector<std::uint8_t>> long_overlays() = 0;
  virtual Result<std::vector<std::uint8_t>> slab(std::size_t number,
                                                 std::vector<std::uint8_t> room) = 0;
  // Whether parts of a slab can be had by themselves, and one.
  virtual bool in_parts(std::size_t /*number*/) const { return false; }
  virtual Result<std::vector<std::uint8_t>> part(std::size_t number, SlabPart /*part*/,
                                                 std::vector<std::uint8_t> room) {
    return slab(number, std::move(room));
  }
  // Bytes of the sums of each CPU; none where there is no such block.
  virtual Result<std::vector<std::uint8_t>> sums() { return std::vector<std::uint8_t>(); }
  // Bytes of the files that calls are about; none where there is no such block.
  virtual Result<std::vector<std::uint8_t>> files() { return std::vector<std::uint8_t>(); }
  // Something about the contents of a block: of the header, the overlays or a slab.
  virtual Error error(std::string sentence, std::string_view block) const = 0;
  // Views and notes as JSON, empty if there are none.
  virtual std::string saved() const { return {}; }
};

class PageBlocks : public PageSource {
 public:
  PageBlocks(std::string_view file, std::string name);

  Result<std::string> header() override;
  Status locate(const PageFacts& facts) override;
  Result<std::vector<std::uint8_t>> long_overlays() override;
  Result<std::vector<std::uint8_t>> slab(std::size_t number,
                                         std::vector<std::uint8_t> room) override;
  bool in_parts(std::size_t number) const override { return !parts_[number].empty(); }
  Result<std::vector<std::uint8_t>> part(std::size_t number, SlabPart part,
                                         std::vector<std::uint8_t> room) override;
  Result<std::vector<std::uint8_t>> sums() override { return optional_block(sums_, kSumsBlock); }
  Result<std::vector<std::uint8_t>> files() override { return optional_block(files_, kFilesBlock); }
  Error error(std::string sentence, std::string_view block) const override;
  std::string saved() const override;

 private:
  struct Block {
    std::size_t at = 0;
    std::size_t length = 0;
    PageBlockSize size;
  };

  Result<Block> find_header();
  // The block that stands at or behind `at_`, which moves behind it.
  Result<Block> next_block(const std::string& id, const PageBlockSize& size);
  Result<Block> next_element(const std::string& id, const PageBlockSize& size);
  // The deflated bytes; `room` holds them where they do not stand in the file as they are.
  Result<std::span<const std::uint8_t>> packed(const Block& block, std::string_view id,
                                               std::vector<std::uint8_t>& room) const;
  Result<std::vector<std::uint8_t>> unpacked(const Block& block, const std::string& id,
                                             std::vector<std::uint8_t> room = {});
  Result<std::vector<std::uint8_t>> optional_block(const std::optional<Block>& block,
                                                   std::string_view id);
  Error damaged(std::string sentence, std::size_t at) const;
  Error not_as_said(const Block& block, std::string_view id) const;

  std::string_view file_;
  std::string name_;
  bool container_;
  std::size_t at_ = 0;
  std::size_t header_at_ = 0;
  Block long_;
  std::vector<Block> slabs_;
  std::vector<std::vector<PageBlockSize>> parts_;  // of each slab
  // The slab of which the last part was, deflated.
  std::optional<std::size_t> decoded_;
  std::span<const std::uint8_t> decoded_bytes_;
  std::vector<std::uint8_t> decoded_room_;
  std::optional<Block> sums_;
  std::optional<Block> files_;
  Inflater inflater_;
};

}  // namespace kutrace::read
