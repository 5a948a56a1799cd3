// SPDX-License-Identifier: BSD-3-Clause
// One letter a line says what the line is.
#include "record/daemon/control_message.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kutrace::record {

namespace {

constexpr auto kKinds = std::to_array<std::pair<char, ErrorKind>>({{'u', ErrorKind::kUsage},
                                                                   {'n', ErrorKind::kInput},
                                                                   {'h', ErrorKind::kHost},
                                                                   {'o', ErrorKind::kOutput},
                                                                   {'b', ErrorKind::kInternal}});

constexpr std::string_view kEnd = ".\n";

char letter_of(ErrorKind kind) {
  return std::ranges::find(kKinds, kind, &std::pair<char, ErrorKind>::second)->first;
}

ErrorKind kind_of(char letter) {
  const auto* found = std::ranges::find(kKinds, letter, &std::pair<char, ErrorKind>::first);
  return found == kKinds.end() ? ErrorKind::kInternal : found->second;
}

std::string line(char tag, std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return tag + std::move(text) + '\n';
}

Error error_of(std::string_view text) {
  Error error;
  error.kind = kind_of(text.front());
  error.sentence = text.substr(1);
  return error;
}

void decode_line(std::string_view text, Reply& reply) {
  const char tag = text.front();
  const std::string rest(text.substr(1));
  if (tag == '!' && !rest.empty())
    reply.error = error_of(rest);
  else if (tag == '?' && reply.error)
    reply.error->hint = rest;
  else if (tag == 'w' || tag == 'i')
    reply.notes.push_back({tag == 'w', rest});
  else if (tag == '=')
    reply.answer = rest;
  else
    reply.error = internal_error("the background recorder answers in another language");
}

}  // namespace

std::string encode(const Reply& reply) {
  std::string text;
  if (reply.error) {
    Error plain = *reply.error;
    const std::string hint = std::exchange(plain.hint, {});
    text += line('!', letter_of(plain.kind) + describe(plain));
    if (!hint.empty()) text += line('?', hint);
  }
  for (const Note& note : reply.notes) text += line(note.is_warning ? 'w' : 'i', note.text);
  if (!reply.answer.empty()) text += line('=', reply.answer);
  return text.append(kEnd);
}

std::optional<Reply> decode_reply(std::string_view text) {
  if (!text.ends_with(kEnd)) return std::nullopt;
  text.remove_suffix(kEnd.size());
  Reply reply;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end != 0) decode_line(text.substr(0, end), reply);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return reply;
}

}  // namespace kutrace::record
