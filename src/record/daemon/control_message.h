// SPDX-License-Identifier: BSD-3-Clause
// What a controlling process and the background recorder say to each other: one line there, some
// lines back. In: values; out: text, and the other way round.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "record/run/note.h"

namespace kutrace::record {

struct Reply {
  std::optional<Error> error;
  std::vector<Note> notes;  // for standard error
  std::string answer;       // for standard output; empty: none
};

// A line each: '!' kind and sentence, '?' hint, 'w' warning, 'i' note, '=' answer, '.' at the end.
std::string encode(const Reply& reply);
// None if the end is missing: who spoke is gone. What is not understood is an error in the reply.
std::optional<Reply> decode_reply(std::string_view text);

}  // namespace kutrace::record
