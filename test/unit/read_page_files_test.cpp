// SPDX-License-Identifier: BSD-3-Clause
// The page's block of files, written and read back: each call gets its file again, whatever the
// order of other threads' calls; damaged blocks are told from whole ones.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "emit/page/call_files.h"
#include "read/page/page_files.h"

namespace kutrace::test {
namespace {

struct Seen : SpanSink {
  explicit Seen(const NameTable& table) : names(table) {}
  void push(const Span&) override {}
  void call(const Call& call) override {
    files.push_back(call.details == nullptr ? "" : std::string(names.text(call.details->file)));
  }
  const NameTable& names;
  std::vector<std::string> files;
};

Call call_of(Pid pid, Ns begin, Ns end) {
  Call call;
  call.kind = SpanKind::kSyscall;
  call.pid = pid;
  call.thread = ThreadId{static_cast<std::uint32_t>(pid)};
  call.begin = begin;
  call.end = end;
  return call;
}

struct Files {
  Files() {
    tables.pids = {0, -1, 10, 20};
    for (const Pid pid : tables.pids) {
      tables.ids.push_back(pid > 0 ? ThreadId{static_cast<std::uint32_t>(pid)} : ThreadId::kNone);
    }
  }
  void add(const Call& call, ThreadIndex thread, std::string_view file) {
    CallDetails details;
    details.file = file.empty() ? kNoName : written.intern(file);
    Call with_file = call;
    with_file.details = &details;
    block.add(with_file, thread);
  }
  std::vector<std::uint8_t> bytes() const {
    const emit::Column column = block.encode(written);
    return {column.bytes().begin(), column.bytes().end()};
  }

  NameTable written;
  emit::CallFiles block;
  read::PageTables tables;
};

TEST_CASE("calls get their files back, those of other threads in between in any order") {
  Files f;
  CHECK_FALSE(f.block.any());
  f.add(call_of(10, 50, 100), 2, "/a");
  f.add(call_of(20, 90, 100), 3, "socket:[7]");
  f.add(call_of(10, 110, 120), 2, "");
  f.add(call_of(10, 130, 200), 2, "/a");
  f.add(call_of(20, 150, 220), 3, "/b");
  REQUIRE(f.block.any());
  NameTable names;
  Seen seen(names);
  read::PageFiles files(f.bytes(), f.tables, names, seen);
  files.call(call_of(20, 90, 100));
  files.call(call_of(20, 150, 220));
  files.call(call_of(10, 50, 100));
  files.call(call_of(10, 110, 120));
  files.call(call_of(10, 130, 200));
  files.call(call_of(10, 300, 400));
  CHECK(files.unfit() == nullptr);
  CHECK(seen.files == std::vector<std::string>{"socket:[7]", "/b", "/a", "", "/a", ""});
}

TEST_CASE("a page without files leaves calls as they are") {
  const Files f;
  NameTable names;
  Seen seen(names);
  read::PageFiles files({}, f.tables, names, seen);
  files.call(call_of(10, 50, 100));
  CHECK(files.unfit() == nullptr);
  CHECK(seen.files == std::vector<std::string>{""});
}

TEST_CASE("a block that is cut, or names what there is not, does not fit") {
  Files f;
  for (Ns at = 0; at < 100; at += 10) f.add(call_of(10, at, at + 5), 2, "/file");
  const std::vector<std::uint8_t> whole = f.bytes();
  const auto unfit = [&](const std::vector<std::uint8_t>& bytes) {
    NameTable names;
    Seen seen(names);
    read::PageFiles files(bytes, f.tables, names, seen);
    for (Ns at = 0; at < 100; at += 10) files.call(call_of(10, at, at + 5));
    return files.unfit() != nullptr;
  };
  CHECK_FALSE(unfit(whole));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    CHECK(unfit({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}));
  }
  for (const std::size_t from_end : {std::size_t{1}, std::size_t{12}}) {  // a file, a thread
    std::vector<std::uint8_t> other = whole;
    other.at(other.size() - from_end) = 0x7f;
    CHECK(unfit(other));
  }
}

}  // namespace
}  // namespace kutrace::test
