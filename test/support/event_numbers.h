// SPDX-License-Identifier: BSD-3-Clause
// Event numbers that tests use by name: calls of x86-64, its interrupts, and what makes a return.
#pragma once

#include "base/units.h"

namespace kutrace::test {

constexpr EventNum kRead = 0x800;
constexpr EventNum kWrite = 0x801;
constexpr EventNum kClone = 0x838;
constexpr EventNum kFutex = 0x8ca;
constexpr EventNum kFault = 0x40e;
constexpr EventNum kTimer = 0x5ec;
constexpr EventNum kCallFunction = 0x5fb;
constexpr EventNum kReschedule = 0x5fd;
constexpr EventNum kSched = 0xdff;
constexpr EventNum kReturn = 0x200;  // added to a call's number

}  // namespace kutrace::test
