// SPDX-License-Identifier: BSD-3-Clause
// Writing what is shown at first.
#include "emit/page/page_view.h"

#include <algorithm>

#include "base/json_text.h"

namespace kutrace::emit {

namespace {

// The text stands in a script element, which only a "<" could end.
std::string within_script(const std::string& json) {
  std::string text;
  for (const char c : json) text += c == '<' ? "\\u003c" : std::string(1, c);
  return text;
}

}  // namespace

std::string saved_view(const PageView& view) {
  // Room at both sides: a tenth of what is looked at.
  const Ns room = std::max<Ns>(1, (view.end - view.begin) / 10);
  JsonText json;
  json.begin_object().key("views").begin_array().end_array();
  json.key("notes").begin_array().end_array().key("stamp").value(0);
  json.key("first").begin_object();
  json.key("t0").value(std::max<Ns>(0, view.begin - room)).key("t1").value(view.end + room);
  if (view.selects) {
    json.key("range").begin_array().value(view.begin).value(view.end).end_array();
  }
  if (view.why) {
    json.key("why").begin_object().key("pid").value(view.why->pid);
    json.key("start").value(view.why->begin).key("end").value(view.why->end);
    json.key("title").value(view.why->title).end_object();
  }
  if (!view.asks.empty()) json.key("asks").value(view.asks);
  json.end_object().end_object();
  return within_script(json.text());
}

}  // namespace kutrace::emit
