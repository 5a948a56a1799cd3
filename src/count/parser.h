// SPDX-License-Identifier: BSD-3-Clause
// Text to a question. In:
//   PROBE [, by KEY]... [, AGGREGATE(MEASURE)]... [, where CONDITION]
// Out: the question, or an error that points to the place and says what may stand there.
#pragma once

#include <string_view>

#include "count/question.h"

namespace kutrace::count {

Result<Question> parse_question(std::string_view text);

// What options add to it: one more condition, which must hold as well; distributions of a measure
// by powers of two.
Status add_where(Question& question, std::string_view condition);
Status add_histogram(Question& question, std::string_view measure);

// Once all is added: whatever was not given gets its default.
void complete(Question& question);

}  // namespace kutrace::count
