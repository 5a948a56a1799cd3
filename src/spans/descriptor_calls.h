// SPDX-License-Identifier: BSD-3-Clause
// What system calls do to the descriptors of their process. In: the name of a call; out: its work.
#pragma once

#include <cstdint>
#include <string_view>

namespace kutrace::spans {

enum class DescriptorWork : std::uint8_t {
  kNone,  // it may use some
  // From here to kAccept, it returns a new one.
  kOpen,  // of a file
  kMake,  // of what is no file
  kMemory,
  kSocket,
  kAccept,
  kConnect,
  kBind,
  kLocalName,   // tells the address of this end
  kRemoteName,  // of the other
  kPipe,
  kSocketPair,
  kDuplicate,
  kDuplicateTo,
  kControl,  // fcntl
  kClose,
  kCloseRange,
  kRing,             // asks the kernel for calls that nobody sees
  kUnknown,          // one of several calls, which only its arguments tell
  kEnterPath,        // another folder
  kEnterDescriptor,  // likewise
  kExec,
  kExit,
};

struct DescriptorCall {
  DescriptorWork work = DescriptorWork::kNone;
  std::string_view makes;  // kMake: the name of what is returned
};

// kNone for a call that changes no descriptor, or that is not known.
DescriptorCall descriptor_call(std::string_view call);

}  // namespace kutrace::spans
