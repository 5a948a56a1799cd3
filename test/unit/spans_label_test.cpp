// SPDX-License-Identifier: BSD-3-Clause
// Labels of marks that six letters do not hold: their names come in entries of their own, in
// pieces, early or late, of several programs, damaged.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "format/event_table.h"
#include "kutrace/mark.h"
#include "model/mark_label.h"
#include "model/readings.h"
#include "support/event_numbers.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

std::uint32_t number_of(const std::string& label) {
  return kutrace_label_number_(label.data(), label.size());
}

using Pieces = std::vector<std::pair<std::uint32_t, std::string>>;

// As kutrace/mark.h tells what a label's number stands for.
Pieces pieces_of(std::string label) {
  Pieces pieces;
  std::uint32_t number = number_of(label);
  while (label.size() > KUTRACE_NAME_BYTES) {
    std::string piece = label.substr(0, KUTRACE_LABEL_PIECE) + '\0';
    label.erase(0, KUTRACE_LABEL_PIECE);
    const std::uint32_t rest = number_of(label);
    piece.append(reinterpret_cast<const char*>(&rest), sizeof rest);
    pieces.emplace_back(std::exchange(number, rest), piece);
  }
  pieces.emplace_back(number, label);
  return pieces;
}

void tell(TraceBuilder& b, Ticks time, const Pieces& pieces) {
  for (const auto& [number, piece] : pieces)
    b.words_at(time, kind::kLOCK_NAME, number, text_words(piece));
}

std::vector<std::string> labels_of(const Replay& r) {
  std::vector<std::string> labels;
  for (const Span& span : r.spans)
    if (span.kind == SpanKind::kMark) labels.push_back(mark_label(span, r.names));
  return labels;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("labels of any length and in UTF-8 are what the program said") {
  const Labels labels = {"seven77",
                         "Größe",
                         "a = b",
                         std::string(56, 'x'),
                         std::string(57, 'y'),
                         std::string(KUTRACE_LABEL_PIECE - 1, 'z') + "ü" + std::string(50, 'z'),
                         std::string(KUTRACE_LABEL_BYTES, 'w')};
  TraceBuilder b;
  b.cpu(0, 10);
  Ticks time = 10;
  for (const std::string& label : labels) {
    tell(b, time++, pieces_of(label));
    b.at(time++, ev::kMARK_A, number_of(label));
  }
  CHECK(labels_of(replayed(b, 100)) == labels);
}

TEST_CASE("a label that nobody told is its number, and one whose rest is missing says so") {
  const std::string label = std::string(60, 'x');
  Pieces pieces = pieces_of(label);
  REQUIRE(pieces.size() == 2);
  pieces.pop_back();
  TraceBuilder b;
  b.cpu(0, 10).at(5, ev::kMARK_A, number_of("unknown"));
  tell(b, 6, pieces);
  b.at(7, ev::kMARK_A, number_of(label));
  const std::string number = std::to_string(number_of("unknown"));
  CHECK(labels_of(replayed(b, 100)) == Labels{"label." + number, std::string(51, 'x') + "..."});
}

TEST_CASE("pieces of a label that lead back to it end") {
  std::string piece = std::string(KUTRACE_LABEL_PIECE, 'x') + '\0';
  const std::uint32_t number = KUTRACE_FIRST_LONG_LABEL + 1;
  piece.append(reinterpret_cast<const char*>(&number), sizeof number);
  TraceBuilder b;
  b.cpu(0, 10);
  tell(b, 1, {{number, piece}});
  b.at(2, ev::kMARK_A, number);
  const Labels labels = labels_of(replayed(b, 100));
  REQUIRE(labels.size() == 1);
  CHECK(labels[0].size() < 2 * KUTRACE_LABEL_BYTES);
}

TEST_CASE("a label's number is nobody else's, and no lock's name") {
  const std::uint32_t number = number_of("seven77");
  TraceBuilder b;
  b.task(10, 10, 0).task(20, 20, 0);
  b.cpu(0, 10).words_at(1, kind::kLOCK_NAME, number, text_words("seven77"));
  b.at(2, ev::kMARK_A, number).at(3, ev::kLOCK_TRY, 7);
  b.cpu(1, 20).at(5, ev::kMARK_A, number);
  const Replay r = replayed(b, 100);
  CHECK(labels_of(r) == Labels{"seven77", "label." + std::to_string(number)});
}

TEST_CASE("what ends a label is cut only where six letters of base 40 are taken") {
  CHECK(end_of_label("work") == "/work");
  CHECK(end_of_label("work66") == "/work6");
  CHECK(end_of_label("Work66") == "/Work66");
  CHECK(end_of_label("work 6") == "/work 6");
  CHECK(end_of_label("seven77") == "/seven77");
  CHECK(end_of_label("größ") == "/größ");
}

TEST_CASE("a mark c of a name, '=' and a number is a reading of the program's counter") {
  TraceBuilder b;
  b.cpu(0, 10);
  Ticks time = 10;
  for (const std::string label :
       {"queue length=3", "a=b=-12", "no number=x", "=7", "queue length=9223372036854775807",
        "queue length=9223372036854775808"}) {
    tell(b, time++, pieces_of(label));
    b.at(time++, ev::kMARK_C, number_of(label));
  }
  tell(b, time++, pieces_of("of mark a=5"));
  b.at(time++, ev::kMARK_A, number_of("of mark a=5"));
  const Replay r = replayed(b, 100);
  CHECK(labels_of(r).size() == 7);
  const Readings readings(r.info.facts);
  REQUIRE(readings.series().size() == 2);
  for (const Readings::Series& series : readings.series()) {
    CHECK(series.told.process == 10);
    CHECK_FALSE(series.told.is_total);
    std::vector<std::int64_t> values;
    for (const Readings::Value& value : series.values) values.push_back(value.value.value());
    if (series.told.name == "a=b")
      CHECK(values == std::vector<std::int64_t>{-12});
    else
      CHECK(values == std::vector<std::int64_t>{3, INT64_MAX});
  }
}

}  // namespace kutrace::test
