// SPDX-License-Identifier: BSD-3-Clause
// What there is to say about a recording that has ended, in sentences.
#pragma once

#include <string>
#include <vector>

#include "record/run/note.h"
#include "record/run/recorder.h"

namespace kutrace::record {

std::vector<Note> start_text(const StartNotes& start);
// Whether its source ended it, and no limit that somebody had set.
bool was_cut(const Summary& summary);
std::vector<Note> summary_text(const Summary& summary, const std::string& path);

}  // namespace kutrace::record
