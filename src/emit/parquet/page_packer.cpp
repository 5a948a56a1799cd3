// SPDX-License-Identifier: BSD-3-Clause
// zstd, a page at a time.
#include "emit/parquet/page_packer.h"

namespace kutrace::emit {

namespace {

constexpr int kZstdLevel = 1;

}  // namespace

Result<std::string_view> PagePacker::pack(std::string_view body) {
  if (context_ == nullptr) context_.reset(ZSTD_createCCtx());
  if (context_ == nullptr) return fail(internal_error("no memory for zstd"));
  const std::size_t most = ZSTD_compressBound(body.size());
  if (packed_.size() < most) packed_.resize(most);
  const std::size_t size = ZSTD_compressCCtx(context_.get(), packed_.data(), packed_.size(),
                                             body.data(), body.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) return fail(internal_error("zstd refused a page"));
  return std::string_view(packed_).substr(0, size);
}

}  // namespace kutrace::emit
