// SPDX-License-Identifier: BSD-3-Clause
// Names of sockets: whose they are, and what is never removed.
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "files/local_socket.h"
#include "files/small_file.h"

namespace kutrace::test {
namespace {

namespace fs = std::filesystem;
using files::LocalSocket;

class Place {
 public:
  Place() : folder_(mkdtemp(std::string("/tmp/kutrace-socket-XXXXXX").data())) {}
  ~Place() { fs::remove_all(folder_); }
  std::string path() const { return folder_ / "socket"; }

 private:
  fs::path folder_;
};

}  // namespace

TEST_CASE("a socket has its name as long as it lives, and nobody else meanwhile") {
  const Place place;
  {
    auto first = LocalSocket::listen_at(place.path(), "hint");
    REQUIRE(first);
    CHECK((fs::status(place.path()).permissions() & fs::perms::all) ==
          (fs::perms::owner_read | fs::perms::owner_write));
    const auto second = LocalSocket::listen_at(place.path(), "hint");
    REQUIRE_FALSE(second);
    CHECK(second.error().hint == "hint");
    const auto client = files::connect_to_socket(place.path());
    REQUIRE(client);
    CHECK(client->get() >= 0);
  }
  CHECK_FALSE(fs::exists(place.path()));
  const auto client = files::connect_to_socket(place.path());
  REQUIRE(client);
  CHECK(client->get() < 0);
}

TEST_CASE("what is no socket stays where it is") {
  const Place place;
  std::ofstream(place.path()) << "precious";
  const auto refused = LocalSocket::listen_at(place.path(), "");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kOutput);
  CHECK(refused.error().file == place.path());
  CHECK(files::read_text(place.path()) == "precious");
  fs::remove(place.path());
  fs::create_symlink("nothing", place.path());
  CHECK_FALSE(LocalSocket::listen_at(place.path(), ""));
  CHECK(fs::is_symlink(place.path()));
}

TEST_CASE("who was killed leaves a name that is taken over") {
  const Place place;
  {
    auto killed = LocalSocket::listen_at(place.path(), "");
    REQUIRE(killed);
    fs::rename(place.path(), place.path() + ".kept");
  }
  fs::rename(place.path() + ".kept", place.path());
  CHECK(LocalSocket::listen_at(place.path(), ""));
}

TEST_CASE("who ends does not take the name from who has it by then") {
  const Place place;
  auto first = LocalSocket::listen_at(place.path(), "");
  REQUIRE(first);
  fs::remove(place.path());
  const auto second = LocalSocket::listen_at(place.path(), "");
  REQUIRE(second);
  first->remove_name();
  CHECK(fs::is_socket(place.path()));
}

TEST_CASE("a name that cannot be a socket's is wrong usage") {
  for (const std::string& name : {std::string(), std::string(200, 'x')}) {
    const auto refused = LocalSocket::listen_at(name, "");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::kUsage);
  }
  const auto nowhere = LocalSocket::listen_at("/nowhere/socket", "");
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().kind == ErrorKind::kOutput);
}

}  // namespace kutrace::test
