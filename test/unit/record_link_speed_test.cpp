// SPDX-License-Identifier: BSD-3-Clause
// The speed of the network, as folders of devices tell it.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "record/proc/link_speed.h"
namespace kutrace::record {

TEST_CASE("the fastest device with a carrier tells the speed of the link") {
  const std::filesystem::path folder = mkdtemp(std::string("/tmp/kutrace-devices-XXXXXX").data());
  const auto device = [&](const char* name, const char* speed) {
    std::filesystem::create_directory(folder / name);
    if (speed != nullptr) std::ofstream(folder / name / "speed") << speed;
  };
  CHECK_FALSE(link_speed(folder / "nothing"));
  CHECK_FALSE(link_speed(folder));
  device("lo", nullptr);
  device("wlan0", "-1\n");
  CHECK_FALSE(link_speed(folder));
  device("eth0", "1000\n");
  device("eth1", "25000\n");
  device("eth2", "100\n");
  CHECK(link_speed(folder) == 25'000);
  std::filesystem::remove_all(folder);
}

}  // namespace kutrace::record
