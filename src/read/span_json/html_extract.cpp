// SPDX-License-Identifier: BSD-3-Clause
// Searching a page for its data.
#include "read/span_json/html_extract.h"

#include <algorithm>

namespace kutrace::read {

namespace {

constexpr std::string_view kBeforeData = "<!-- selfcontained1 -->";
constexpr std::string_view kBehindData = "<!-- selfcontained2 -->";
constexpr std::string_view kEndOfPage = "</html>";
constexpr std::string_view kVariable = "myString";
constexpr std::string_view kBlanks = " \n\r\t";

// Position of the object's brace in `= '   {`, or npos if the text goes on differently.
std::size_t assigned_object(std::string_view page, std::size_t at) {
  for (const char wanted : {'=', '\'', '{'}) {
    at = page.find_first_not_of(kBlanks, at);
    if (at == std::string_view::npos) return at;
    const bool other_quote = wanted == '\'' && (page[at] == '"' || page[at] == '`');
    if (page[at] != wanted && !other_quote) return std::string_view::npos;
    ++at;
  }
  return at - 1;
}

std::size_t find_object(std::string_view page, std::size_t at) {
  while ((at = page.find(kVariable, at)) != std::string_view::npos) {
    at += kVariable.size();
    const std::size_t object = assigned_object(page, at);
    if (object != std::string_view::npos) return object;
  }
  return at;
}

Error no_data(std::string_view page, const std::string& file_name) {
  if (page.find(kBeforeData) != std::string_view::npos) {
    return input_error("is KUtrace's page without any data")
        .with_file(file_name)
        .with_hint("give the page that makeself made of it, or the span JSON");
  }
  if (page.find(kEndOfPage) == std::string_view::npos) {
    return input_error("is a page that ends early, before any data of a trace")
        .with_file(file_name)
        .with_byte(page.size())
        .with_hint("copy it again, or make it again from its trace");
  }
  return input_error("is a page, but none of KUtrace's").with_file(file_name);
}

}  // namespace

Result<EmbeddedJson> find_embedded_json(std::string_view page, const std::string& file_name) {
  const std::size_t marker = page.find(kBeforeData);
  std::size_t object = find_object(page, marker == std::string_view::npos ? 0 : marker);
  if (object == std::string_view::npos) return fail(no_data(page, file_name));
  const std::size_t end = std::min(page.find(kBehindData, object), page.size());
  return EmbeddedJson{page.substr(object, end - object), object};
}

}  // namespace kutrace::read
