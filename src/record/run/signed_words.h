// SPDX-License-Identifier: BSD-3-Clause
// What is wished of a recording that goes on, as words: "+12,13" from now on, "-14" not any more.
// In: the words, and when they were carried out; out: what is added and what is removed, and the
// facts that say when.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "format/name_entries.h"
#include "format/tick_rate.h"

namespace kutrace::record {

struct SignedWords {
  std::vector<std::string> added;
  std::vector<std::string> removed;
};

// `of`: what they are, "PID"; `example`: of a command that gives some.
Result<SignedWords> parse_signed_words(const std::vector<std::string>& words, const std::string& of,
                                       const std::string& example);

class WordLog {
 public:
  void add(Ticks at, const std::vector<std::string>& words) { changes_.push_back({at, words}); }
  // What came after `zero`, which is the trace's time 0, as facts with this key.
  void add_to(NameEntries& names, fact::Key<fact::Text> key, Ticks zero, TickRate rate) const;

 private:
  struct Change {
    Ticks at = 0;
    std::vector<std::string> words;
  };
  std::vector<Change> changes_;
};

}  // namespace kutrace::record
