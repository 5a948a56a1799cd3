// SPDX-License-Identifier: BSD-3-Clause
// Numbers of 128 bits, for products and keys that 64 cannot hold.
#pragma once

namespace kutrace {

// NOLINTBEGIN(modernize-use-using): takes no __extension__
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;
// NOLINTEND(modernize-use-using)

}  // namespace kutrace
