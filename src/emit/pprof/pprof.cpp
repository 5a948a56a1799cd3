// SPDX-License-Identifier: BSD-3-Clause
// Fields by the names of profile.proto. Each name is a function with one location.
#include "emit/pprof/pprof.h"

#include <libdeflate.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/wall_clock.h"
#include "emit/stream/protobuf.h"
#include "emit/stream/stack_frames.h"

namespace kutrace::emit {

namespace {

namespace profile {
constexpr unsigned kSampleType = 1;
constexpr unsigned kSample = 2;
constexpr unsigned kLocation = 4;
constexpr unsigned kFunction = 5;
constexpr unsigned kStringTable = 6;
constexpr unsigned kTimeNanos = 9;
constexpr unsigned kDurationNanos = 10;
constexpr unsigned kPeriodType = 11;
constexpr unsigned kPeriod = 12;
constexpr unsigned kDefaultSampleType = 14;
}  // namespace profile
namespace value_type {
constexpr unsigned kType = 1;
constexpr unsigned kUnit = 2;
}  // namespace value_type
namespace sample {
constexpr unsigned kLocationId = 1;
constexpr unsigned kValue = 2;
constexpr unsigned kLabel = 3;
}  // namespace sample
namespace label {
constexpr unsigned kKey = 1;
constexpr unsigned kStr = 2;
}  // namespace label
namespace location {
constexpr unsigned kId = 1;
constexpr unsigned kLine = 4;
constexpr unsigned kFunctionId = 1;
}  // namespace location
namespace function {
constexpr unsigned kId = 1;
constexpr unsigned kName = 2;
}  // namespace function

constexpr int kLevel = 1;  // a quarter of the time of level 6, a tenth larger

class Strings {
 public:
  Strings() { number(""); }
  std::uint64_t number(const std::string& text) {
    const auto [at, is_new] = numbers_.emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return at->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, std::uint64_t> numbers_;
  std::vector<std::string> texts_;
};

class Profile {
 public:
  std::string_view write(const StackSums& sums, const TraceInfo& info) {
    value_type(profile::kSampleType, "spans", "count");
    value_type(profile::kSampleType, "time", "nanoseconds");
    StackFrames frames(sums);
    for (std::size_t node = 0; node < sums.nodes().size(); ++node) {
      const StackSums::Node& stack = sums.nodes()[node];
      if (stack.time != 0) sample(stack, frames.of(node), frames.texts(), info);
    }
    for (std::uint64_t name = 0; name < functions_.size(); ++name) function(name + 1);
    bytes_.signed_number(profile::kTimeNanos, wall_ns(info.wall_usec));
    bytes_.signed_number(profile::kDurationNanos, info.end - info.begin);
    value_type(profile::kPeriodType, "time", "nanoseconds");
    bytes_.number(profile::kPeriod, 1);
    bytes_.number(profile::kDefaultSampleType, strings_.number("time"));
    for (const std::string& text : strings_.texts()) bytes_.text(profile::kStringTable, text);
    return bytes_.bytes();
  }

 private:
  void value_type(unsigned field, const char* type, const char* unit) {
    const Protobuf::Message one = bytes_.begin(field);
    bytes_.number(value_type::kType, strings_.number(type));
    bytes_.number(value_type::kUnit, strings_.number(unit));
    bytes_.end(one);
  }
  // A key and its value, which get their numbers when they are met first.
  struct Label {
    std::uint64_t key = 0;
    std::uint64_t value = 0;
  };
  void label(Label& numbers, const char* key, const std::string& value) {
    if (numbers.key == 0) numbers = {strings_.number(key), strings_.number(value)};
    const Protobuf::Message one = bytes_.begin(sample::kLabel);
    bytes_.number(label::kKey, numbers.key);
    bytes_.number(label::kStr, numbers.value);
    bytes_.end(one);
  }
  // Also the number of its only location.
  std::uint64_t function_of(std::uint32_t frame, const std::vector<std::string>& texts) {
    if (frame >= numbers_.size()) numbers_.resize(texts.size());
    if (numbers_[frame] == 0) {
      functions_.push_back(strings_.number(texts[frame]));
      numbers_[frame] = functions_.size();
    }
    return numbers_[frame];
  }
  void sample(const StackSums::Node& stack, std::span<const std::uint32_t> frames,
              const std::vector<std::string>& texts, const TraceInfo& info) {
    const Protobuf::Message one = bytes_.begin_long(profile::kSample);
    for (std::size_t i = frames.size(); i-- != 0;)
      bytes_.number(sample::kLocationId, function_of(frames[i], texts));
    bytes_.number(sample::kValue, stack.count);
    bytes_.signed_number(sample::kValue, stack.time);
    if (stack.wait) {
      label(waiting_, "state", "waiting");
    } else {
      label(running_, "state", "running");
    }
    if (!info.host_name.empty()) label(host_, "host", info.host_name);
    bytes_.end(one);
  }
  void function(std::uint64_t id) {
    const Protobuf::Message one = bytes_.begin(profile::kFunction);
    bytes_.number(function::kId, id);
    bytes_.number(function::kName, functions_[id - 1]);
    bytes_.end(one);
    const Protobuf::Message place = bytes_.begin(profile::kLocation);
    bytes_.number(location::kId, id);
    const Protobuf::Message line = bytes_.begin(location::kLine);
    bytes_.number(location::kFunctionId, id);
    bytes_.end(line);
    bytes_.end(place);
  }

  Protobuf bytes_;
  Strings strings_;
  Label running_;
  Label waiting_;
  Label host_;
  std::vector<std::uint64_t> numbers_;    // of functions, by frame; 0: none yet
  std::vector<std::uint64_t> functions_;  // names by number - 1
};

}  // namespace

Status PprofSink::finish(const TraceInfo& info) {
  Profile profile;
  const std::string_view bytes = profile.write(sums(), info);
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(kLevel), &libdeflate_free_compressor);
  if (compressor == nullptr) return fail(internal_error("no memory for the compressor"));
  std::string packed(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  packed.resize(libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(),
                                         packed.data(), packed.size()));
  take(packed);
  return {};
}

}  // namespace kutrace::emit
