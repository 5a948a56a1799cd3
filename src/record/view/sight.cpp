// SPDX-License-Identifier: BSD-3-Clause
// The list.
#include "record/view/sight.h"

#include "format/event_table.h"

namespace kutrace::record {

namespace {

Sight sight_of_name(EventNum number, std::uint32_t argument) {
  switch (name_kind(number)) {
    case kind::kLOSS:
      return Sight::kLoss;
    case kind::kTASK:
      return Sight::kOwnFamily;
    // What a program says of itself.
    case kind::kPID_NAME:
    case kind::kFUNCTION:
    case kind::kFILE_NAME:
    case kind::kMETHOD_NAME:
    case kind::kLOCK_NAME:
    case kind::kQUEUE_NAME:
    case kind::kRESOURCE_NAME:
    // What it gives to the kernel in a call, and gets back.
    case kind::kARGUMENTS:
    case kind::kWIDE:
    case kind::kCALL_DATA:
      return Sight::kOwn;
    // Moments: of most, interrupts tell in the middle of anybody's time.
    case kind::kPOINT:
      return argument == ev::kFUTEX_WAIT ? Sight::kOwn : Sight::kHidden;
    default:
      return Sight::kHidden;
  }
}

Sight sight_of_point(EventNum number) {
  switch (number) {
    case ev::kUSERPID:
      return Sight::kSwitch;
    case ev::kRUNNABLE:
      return Sight::kWakeup;
    case ev::kMWAIT:
    case ev::kMONITOR_EXIT:
      return Sight::kIdle;
    // Marks, which only the program itself makes.
    case ev::kRPC_REQUEST:
    case ev::kRPC_RESPONSE:
    case ev::kRPC_MIDDLE:
    case ev::kMARK_A:
    case ev::kMARK_B:
    case ev::kMARK_C:
    case ev::kMARK_D:
    case ev::kLEFT_MARK:
    case ev::kRIGHT_MARK:
    case ev::kLOCK_TRY:
    case ev::kLOCK_ACQUIRE:
    case ev::kLOCK_RELEASE:
    case ev::kRX_USER:
    case ev::kTX_USER:
    case ev::kRESOURCE:
    case ev::kENQUEUE:
    case ev::kDEQUEUE:
    case ev::kFUNCTION_ENTER:
    case ev::kFUNCTION_LEAVE:
    case ev::kFUNCTIONS_LEFT_OUT:
      return Sight::kOwn;
    default:
      return Sight::kHidden;
  }
}

}  // namespace

Sight sight_of_user(EventNum number, std::uint32_t argument) {
  switch (event_class(number)) {
    case EventClass::kName:
      return sight_of_name(number, argument);
    case EventClass::kPoint:
      return sight_of_point(number);
    case EventClass::kPcSample:
      return number == ev::kPC_USER ? Sight::kOwn : Sight::kHidden;
    case EventClass::kSyscall:
    case EventClass::kSyscallReturn:
      return Sight::kOwn;
    case EventClass::kIrq:
    case EventClass::kIrqReturn:
      return (number & ~ev::kReturnBit) == ev::kBottomHalf ? Sight::kOwnSoftirq : Sight::kOwnNumber;
    case EventClass::kTrap:
    case EventClass::kTrapReturn:
      return Sight::kOwnNumber;
    case EventClass::kUnassigned:
      break;
  }
  return Sight::kHidden;
}

}  // namespace kutrace::record
