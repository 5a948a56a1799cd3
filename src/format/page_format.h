// SPDX-License-Identifier: BSD-3-Clause
// What writer and reader of our own pages agree on, beside the text of doc/page-format.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kutrace {

constexpr std::uint32_t kPageFormat = 3;
constexpr std::uint32_t kPageFormatWithoutCalls = 2;  // is read, too
constexpr std::size_t kSlabSpans = 131072;            // most of one slab

// Parts of a slab that can be unpacked separately, where the header lists them.
enum class SlabPart : std::uint8_t {
  kHead,  // unit, base, sections and kinds
  kDurations,
  kGapsAndThreads,
  kArguments,
  kResults,  // IPC and RPC numbers, too
  kRest,     // overlays and calls
};
constexpr std::size_t kSlabParts = 6;

// How a block begins in a page; its id and `">` follow, `</script>` ends it.
constexpr std::string_view kPageBlock = R"(<script type="application/x-kutrace" id=")";
constexpr std::string_view kPageBlockEnd = "</script>";
constexpr std::string_view kHeaderBlock = "kutrace-header";
constexpr std::string_view kOverviewBlock = "kutrace-overview";
constexpr std::string_view kLongBlock = "kutrace-long";
constexpr std::string_view kFarBlock = "kutrace-far";               // may be missing
constexpr std::string_view kSumsBlock = "kutrace-sums";             // may be missing
constexpr std::string_view kFilesBlock = "kutrace-files";           // may be missing
constexpr std::string_view kBacktraceBlock = "kutrace-backtraces";  // may be missing
constexpr std::string_view kRunsBlock = "kutrace-runs";             // may be missing
constexpr std::string_view kSlabBlock = "kutrace-slab-";            // and its number
// Views and notes, in a copy that a page saved of itself.
constexpr std::string_view kSavedBlock = R"(<script type="application/json" id="kutrace-saved">)";

// A container: magic, format and size of the header, 32 bits each, then the blocks.
constexpr std::string_view kContainerMagic{"kutrace\0", 8};
constexpr std::size_t kContainerHead = 16;

// A thread's number in the page. 0 is the idle thread, 1 is "no thread".
using ThreadIndex = std::uint32_t;
constexpr ThreadIndex kIdleThread = 0;
constexpr ThreadIndex kNoThread = 1;

// The number of what spans have in common.
using KindIndex = std::uint32_t;

// What a span of a kind that can be a call is.
enum class CallPiece : std::uint8_t {
  kWhole,    // the call: it returned what this did, and nothing lay within
  kPart,     // one of several of a call of the slab that is no more than its pieces
  kLast,     // the last one of such a call
  kOfOther,  // of a call that is written in full
};

// In place of the number of reasons that a call waited for: as the call before.
constexpr unsigned kPageSameWaits = 27;

// Added to the low 16 bits of a result: the call succeeded, though they look like an error's.
constexpr std::uint32_t kPageSuccess = 0x10000;

// Flags of a call.
constexpr unsigned kPageBeginInferred = 1;
constexpr unsigned kPageEndInferred = 2;

// The header's last key: CRC-32 of the text before the comma in front of it.
constexpr std::string_view kHeaderChecksum = "crc";

// Flags of a thread.
constexpr unsigned kPageKernelThread = 1;
constexpr unsigned kPageRecorder = 2;
constexpr unsigned kPageCommand = 4;
constexpr unsigned kPageUnknown = 8;  // spans name it, but nothing is known of it
// From this bit on: how many functions stand in one another at most.
constexpr unsigned kPageFunctionsShift = 8;

}  // namespace kutrace
