// SPDX-License-Identifier: BSD-3-Clause
// What a form of trace offers to be read: a way to recognize it and a way to open it. Each form has
// a folder under read/, and read/trace/trace_forms.cpp lists them all.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "base/result.h"
#include "base/units.h"
#include "format/raw_file.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/span_slabs.h"
#include "model/trace_info.h"

namespace kutrace::read {

// A trace that is open.
class TraceReader {
 public:
  virtual ~TraceReader() = default;
  // Start of the recorded time, which is TraceInfo::begin of the replay.
  virtual Result<Ns> begin() const = 0;
  // Sends the whole stream to `sink`, as model/span_sink.h promises, and returns what is known at
  // its end; `opened` is what opening the file counted. May be called again.
  virtual Result<TraceInfo> replay(NameTable& names, SpanSink& sink, const Counters& opened,
                                   const std::function<void(double)>& progress) const = 0;
  // The same in slabs of any order; null in forms that hold none. The reader must outlive them.
  virtual std::unique_ptr<SpanSlabs> slabs(NameTable& /*names*/, const Counters& /*opened*/) const {
    return nullptr;
  }
  // The title that the file carries beside its facts.
  virtual std::string title() const { return {}; }
  // Whether a title among its facts is there because somebody asked for it, even where the command
  // is not told: forms that make titles up have others.
  virtual bool keeps_titles() const { return true; }
  // Whether replay reports lives in the promised order, and how much is known about them.
  virtual bool tells_lives() const { return false; }
  // Whether it tells all of calls: of which pieces and waits each consists, and what it called.
  virtual bool tells_nesting() const { return false; }
  // Whether it may tell that processes moved to another control group, and when.
  virtual bool tells_moves() const { return false; }
  // Blocks and entries; null in forms that hold spans alone.
  virtual RawFile* raw() { return nullptr; }
};

struct TraceForm {
  // Whether it is one, by the file's bytes, or as many as a stream has given so far.
  bool (*is)(std::string_view bytes);
  Result<std::unique_ptr<TraceReader>> (*open)(MappedFile file);
  // An error where a stream that begins like this cannot be one; null: it is read to its end.
  Status (*doubt)(std::span<const std::byte> front, const std::string& name) = nullptr;
};

std::string_view as_text(const MappedFile& file);
// Without the mark of byte order that some editors put in front.
std::string_view without_mark(std::string_view text);
// The first character that is not white space, of a file that begins with text; 0 for none.
char first_of_text(std::string_view bytes);
bool begins_as_text(std::string_view bytes);

}  // namespace kutrace::read
