// SPDX-License-Identifier: BSD-3-Clause
// Lines of the daemon's protocol, in both directions, and its policy, of any bytes: each is
// understood, or refused with words that say enough; what is understood says the same when it is
// written again.
#include <string>

#include "fuzz/fuzz_target.h"
#include "kutrace/abi.h"
#include "record/served/served_protocol.h"
#include "serve/policy.h"

namespace {

using namespace kutrace;

template <typename T>
void look_at(const Result<T>& result, ErrorKind kind) {
  if (!result && (result.error().sentence.empty() || result.error().kind != kind))
    test::broken_promise("an error says too little");
}

void requests(const std::string& text) {
  const auto request = record::parse_request(text);
  look_at(request, ErrorKind::kUsage);
  if (!request) return;
  const std::string line = record::line_of(*request);
  const auto again = record::parse_request(line);
  if (!again || record::line_of(*again) != line || again->arguments != request->arguments)
    test::broken_promise("a request is not the same when it is written again");
  if (line.size() > record::kLongestRequest || line.find('\n') != line.size() - 1)
    test::broken_promise("a request is not one short line");
}

void answers(const std::string& text) {
  if (const auto answer = record::parse_answer(text); answer) {
    const std::string line = record::line_of(*answer);
    const auto again = record::parse_answer(line);
    if (!again || again->cpus != answer->cpus || again->own_only != answer->own_only)
      test::broken_promise("an answer is not the same when it is written again");
  }
  if (const auto piece = record::parse_piece(text)) {
    if (piece->words == 0 || piece->at + piece->words > KUTRACE_BLOCK_WORDS)
      test::broken_promise("a piece that is in no block");
    const auto again = record::parse_piece(record::line_of(*piece));
    if (!again || again->block != piece->block || again->until != piece->until)
      test::broken_promise("a piece is not the same when it is written again");
  }
  if (const auto end = record::parse_end(text)) {
    const auto again = record::parse_end(record::line_of(*end));
    if (!again || again->stop != end->stop || again->losses.size() != end->losses.size() ||
        again->skipped.size() != end->skipped.size())
      test::broken_promise("an end is not the same when it is written again");
  }
  record::parse_begin(text);
  record::parse_order(text);
  record::parse_refusal(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  requests(text);
  answers(text);
  const auto policy = serve::parse_policy(text, "kutrace.conf");
  look_at(policy, ErrorKind::kUsage);
  if (policy && (policy->memory == 0 || policy->duration < 0))
    test::broken_promise("a policy that allows nothing, or what cannot be");
  return 0;
}

std::vector<test::Input> test::fuzz_seeds() {
  record::ServedAnswer answer;
  answer.groups = EventGroups::standard();
  answer.cpus = {0, 1, 17};
  answer.unseen = {"what \"others\" do\n"};
  record::ServedEnd end;
  end.stop = 77;
  end.losses = {{1, 5, 6}};
  end.skipped = {{"sys_enter", 2, 3, 4}};
  std::vector<Input> seeds;
  for (const std::string& text :
       {record::line_of(record::ServedRequest{EventGroups::standard(), true}),
        record::line_of(answer), record::line_of(end),
        record::line_of(record::Piece{1, 2, 3, 4, 5}), record::line_of(host_error("no")),
        record::line_of_begin(9), std::string(record::kEndLine),
        std::string("# all\nusers = own\ngroups = -net,+disk\nmemory = 3\nduration = 1.5s\n")})
    seeds.emplace_back(text.begin(), text.end());
  return seeds;
}
