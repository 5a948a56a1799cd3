// SPDX-License-Identifier: BSD-3-Clause
// Packs pages with zstd. In: a body; out: its packed bytes. One for all columns of a file, as its
// memory is what making it anew for each page costs.
#pragma once

#include <zstd.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kutrace::emit {

class PagePacker {
 public:
  // Room for a body, which is written and then packed.
  std::string& body() { return body_; }
  // Valid until the next one.
  Result<std::string_view> pack(std::string_view body);

 private:
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_{nullptr, &ZSTD_freeCCtx};
  std::string body_;
  std::string packed_;
};

}  // namespace kutrace::emit
