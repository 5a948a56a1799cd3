// SPDX-License-Identifier: BSD-3-Clause
// How fast the network of this machine is, as messages on the link are drawn with it. In:
// /sys/class/net; out: Mbit/s.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kutrace::record {

// Of the fastest device with a carrier; nothing if none tells its speed. `folder` is /sys/class/net
// or stands for it.
std::optional<std::uint32_t> link_speed(const std::string& folder);

}  // namespace kutrace::record
