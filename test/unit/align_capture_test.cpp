// SPDX-License-Identifier: BSD-3-Clause
// Captured packets: both formats, either order of bytes, links, headers, damage; and which packets
// of a trace they are.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "align/capture.h"
#include "align/capture_match.h"
#include "align/captured_payload.h"

namespace kutrace::align {
namespace {

constexpr Ns kSecond = 1'000'000'000;
constexpr Ns kWall = 1'700'000'000 * kSecond;

using Bytes = std::vector<std::byte>;

// Numbers in either order of bytes.
class Writer {
 public:
  explicit Writer(std::endian order) : order_(order) {}

  template <typename Number>
  Writer& put(Number number) {
    if (order_ != std::endian::native) number = std::byteswap(number);
    const auto* bytes = reinterpret_cast<const std::byte*>(&number);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof number);
    return *this;
  }
  Writer& u16(unsigned number) { return put(static_cast<std::uint16_t>(number)); }
  Writer& u32(std::uint64_t number) { return put(static_cast<std::uint32_t>(number)); }
  Writer& raw(const Bytes& more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    return *this;
  }
  Writer& padded() {
    bytes_.resize((bytes_.size() + 3) / 4 * 4);
    return *this;
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  std::endian order_;
  Bytes bytes_;
};

Bytes hex(const std::string& text) {
  Bytes bytes;
  std::string digits = text;
  std::erase(digits, ' ');
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

Bytes operator+(Bytes one, const Bytes& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

// 32 bytes whose words come to 0x04030201 by exclusive or.
const Bytes kPayload = hex("01020304") + Bytes(28, std::byte{0});
constexpr std::uint32_t kHash =
    std::endian::native == std::endian::little ? 0x04030201 : 0x01020304;
const Bytes kUdp = hex("1f90 0050 0028 0000");  // 8080 to 80, 40 bytes
const Bytes kTcp = hex("01bb 1388 00000000 00000000 5018 0000 0000 0000");
const Bytes kIpv4Udp = hex("4500 003c 0000 0000 4011 0000 0a000001 0a000002");
const Bytes kIpv4Tcp = hex("4500 0048 0000 4000 4006 0000 0a000001 0a000002");
const Bytes kIpv6Udp =
    hex("60000000 0028 11 40 20010db8000000000000000000000001"
        "20010db8000000000000000000000002");
const Bytes kEthernet = hex("020000000001 020000000002 0800");

CapturedPayload payload_of_link(LinkType link, const Bytes& bytes) {
  return payload_of({kWall, link, bytes});
}

Bytes pcap(std::endian order, std::uint32_t magic, std::uint64_t fraction, const Bytes& frame) {
  Writer w(order);
  w.u32(magic).u16(2).u16(4).u32(0).u32(0).u32(65535).u32(1);
  w.u32(kWall / kSecond).u32(fraction).u32(frame.size()).u32(frame.size() + 100).raw(frame);
  return w.bytes();
}

// A section, a device of this resolution, that keeps this much of a packet and whose clock is so
// many seconds off.
Writer section(std::endian order, unsigned resolution, std::uint32_t most_kept = 0,
               std::int64_t offset = 0) {
  Writer w(order);
  w.u32(0x0a0d0d0a).u32(28).u32(0x1a2b3c4d).u16(1).u16(0).put(std::int64_t{-1}).u32(28);
  w.u32(1)
      .u32(44)
      .u16(1)
      .u16(0)
      .u32(most_kept)
      .u16(9)
      .u16(1)
      .raw({static_cast<std::byte>(resolution)})
      .padded();
  w.u16(14).u16(8).put(offset);
  w.u16(0).u16(0).u32(44);
  return w;
}

// Behind that, a block of no interest and a packet.
Bytes pcapng(std::endian order, unsigned resolution, std::uint64_t stamp, const Bytes& frame,
             std::int64_t offset = 0) {
  Writer w = section(order, resolution, 0, offset);
  w.u32(5).u32(16).u32(0).u32(16);
  const std::size_t length = 32 + (frame.size() + 3) / 4 * 4;
  w.u32(6).u32(length).u32(0).u32(stamp >> 32).u32(stamp).u32(frame.size()).u32(frame.size());
  return w.raw(frame).padded().u32(length).bytes();
}

struct Read {
  std::vector<std::optional<Ns>> walls;
  std::vector<std::uint32_t> hashes;
  CaptureSummary summary;
};

// The packets are in the order of the file.
CaptureMatch match_of(const std::vector<TracedPacket>& traced,
                      std::vector<CapturedPacket> captured) {
  std::vector<Ns> walls;
  for (CapturedPacket& packet : captured) {
    packet.frame = static_cast<std::uint32_t>(walls.size());
    walls.push_back(packet.wall);
  }
  return match_capture(traced, captured, walls);
}

Read read_all(const Bytes& bytes) {
  Read all;
  const auto summary = read_capture(bytes, [&](const CapturedFrame& frame) {
    all.walls.push_back(frame.wall);
    all.hashes.push_back(payload_of(frame).hash);
  });
  REQUIRE(summary);
  all.summary = *summary;
  return all;
}

}  // namespace

TEST_CASE("captures of both formats, in either order of bytes and at any resolution") {
  const Bytes frame = kEthernet + kIpv4Udp + kUdp + kPayload;
  const auto sees = [&](const Bytes& file, Ns fraction) {
    const Read all = read_all(file);
    CHECK(all.walls == std::vector<std::optional<Ns>>{kWall + fraction});
    CHECK(all.hashes == std::vector<std::uint32_t>{kHash});
    CHECK(all.summary.frames == 1);
    CHECK(all.summary.damaged == 0);
  };
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    sees(pcap(order, 0xa1b2c3d4, 123'456, frame), 123'456'000);
    sees(pcap(order, 0xa1b23c4d, 123'456'789, frame), 123'456'789);
    sees(pcapng(order, 6, kWall / 1000 + 5, frame), 5000);
    sees(pcapng(order, 9, kWall + 5, frame), 5);
    sees(pcapng(order, 0x80 | 10, (kWall / kSecond << 10) + 512, frame), kSecond / 2);
  }
}

TEST_CASE("a packet whose time no clock tells is left out, whatever the device counts") {
  const Bytes frame = kEthernet + kIpv4Udp + kUdp + kPayload;
  for (const unsigned resolution : {0u, 1u, 6u, 18u, 0x80u, 0x80u | 1u}) {
    for (const std::uint64_t stamp : {~std::uint64_t{0}, std::uint64_t{1} << 63}) {
      for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{-1}}) {
        CAPTURE(resolution, stamp, offset);
        const Read all = read_all(pcapng(std::endian::little, resolution, stamp, frame, offset));
        CHECK(all.summary.frames == (resolution == 18 ? 1 : 0));
        CHECK((all.summary.damaged == 0) == (resolution == 18));
      }
    }
  }
}

TEST_CASE("simple and obsolete packets of pcapng are read") {
  const Bytes frame = kEthernet + kIpv4Udp + kUdp + kPayload;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const std::size_t padded = (frame.size() + 3) / 4 * 4;
    Writer old = section(order, 9);
    old.u32(2).u32(32 + padded).u16(0).u16(7).u32(kWall >> 32).u32(kWall).u32(frame.size());
    old.u32(frame.size()).raw(frame).padded().u32(32 + padded);
    const Read all = read_all(old.bytes());
    CHECK(all.walls == std::vector<std::optional<Ns>>{kWall});
    CHECK(all.hashes == std::vector<std::uint32_t>{kHash});
    CHECK(all.summary.damaged == 0);

    // Simple ones do not tell when they were seen, nor how much of them was kept.
    for (const std::uint32_t most_kept :
         {std::uint32_t{0}, static_cast<std::uint32_t>(frame.size())}) {
      Writer simple = section(order, 9, most_kept);
      const std::size_t length = most_kept == 0 ? frame.size() : frame.size() + 500;
      simple.u32(3).u32(16 + padded).u32(length).raw(frame).padded().u32(16 + padded);
      const Read timeless = read_all(simple.bytes());
      CHECK(timeless.walls == std::vector<std::optional<Ns>>{std::nullopt});
      CHECK(timeless.hashes == std::vector<std::uint32_t>{kHash});
      CHECK(timeless.summary.frames == 1);
      CHECK(timeless.summary.damaged == 0);
      const auto capture = Capture::read(simple.bytes());
      REQUIRE(capture);
      CHECK(capture->frames().empty());
      CHECK(capture->timeless() == 1);
      CHECK(capture->flows().at(kHash) == "udp 10.0.0.1:8080 > 10.0.0.2:80");
    }
  }
}

TEST_CASE("what is cut off or damaged is left out and counted, what is no capture refused") {
  const Bytes frame = kEthernet + kIpv4Udp + kUdp + kPayload;
  for (const Bytes& whole : {pcap(std::endian::little, 0xa1b2c3d4, 0, frame),
                             pcapng(std::endian::big, 6, kWall / 1000, frame)}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      if (is_capture(part)) CHECK(read_all(part).summary.frames == 0);
    }
    for (std::size_t i = 0; i < whole.size(); ++i) {
      Bytes changed = whole;
      changed[i] ^= std::byte{0xff};
      if (is_capture(changed)) CHECK(read_all(changed).summary.frames <= 1);
    }
  }
  CHECK_FALSE(read_capture(hex("00112233445566778899aabbccddeeff"), [](const CapturedFrame&) {}));
}

TEST_CASE("payloads behind every link and header that recorders know") {
  const auto flow = [](LinkType link, const Bytes& bytes) {
    const CapturedPayload payload = payload_of_link(link, bytes);
    return payload.state == PayloadState::kHashed && payload.hash == kHash ? payload.flow : "-";
  };
  const Bytes udp = kIpv4Udp + kUdp + kPayload;
  const std::string of_udp = "udp 10.0.0.1:8080 > 10.0.0.2:80";
  CHECK(flow(LinkType::kEthernet, kEthernet + udp) == of_udp);
  CHECK(flow(LinkType::kEthernet, hex("020000000001 020000000002 8100 0005 0800") + udp) == of_udp);
  CHECK(flow(LinkType::kRaw, udp) == of_udp);
  CHECK(flow(static_cast<LinkType>(12), udp) == of_udp);
  CHECK(flow(LinkType::kNull, hex("02000000") + udp) == of_udp);
  CHECK(flow(LinkType::kCooked, hex("0000 0001 0006 0000000000000000 0800") + udp) == of_udp);
  CHECK(flow(LinkType::kCooked2, hex("0800 0000 00000001 0001 00 06 0000000000000000") + udp) ==
        of_udp);
  CHECK(flow(LinkType::kRaw, kIpv4Tcp + kTcp + kPayload) == "10.0.0.1:443 > 10.0.0.2:5000");
  CHECK(flow(LinkType::kRaw, kIpv6Udp + kUdp + kPayload) ==
        "udp [2001:db8::1]:8080 > [2001:db8::2]:80");
}

TEST_CASE("packets that recorders leave out have no hash, and those that were cut short say so") {
  const auto state = [](const Bytes& bytes) {
    return payload_of_link(LinkType::kRaw, bytes).state;
  };
  Bytes fragment = kIpv4Udp;
  fragment[7] = std::byte{1};
  Bytes icmp = kIpv4Udp;
  icmp[9] = std::byte{1};
  Bytes small = kIpv4Udp;
  small[3] = std::byte{0x3b};
  CHECK(state(fragment + kUdp + kPayload) == PayloadState::kOther);
  CHECK(state(icmp + kUdp + kPayload) == PayloadState::kOther);
  CHECK(state(small + kUdp + kPayload) == PayloadState::kOther);
  CHECK(state({}) == PayloadState::kOther);
  Bytes extended = kIpv6Udp;
  extended[5] = std::byte{0x30};
  extended[6] = std::byte{60};
  CHECK(state(extended + hex("1100010400000000") + kUdp + kPayload) == PayloadState::kOther);
  CHECK(state(kIpv4Udp + hex("1f90")) == PayloadState::kCut);
  CHECK(state(kIpv4Udp + kUdp + hex("0102")) == PayloadState::kCut);
}

TEST_CASE("packets have the names and lengths that tcpdump gives them") {
  const auto told = [](LinkType link, const Bytes& bytes, std::uint32_t length = 0) {
    const CapturedPayload payload = payload_of({kWall, link, bytes, length});
    return payload.flow + "|" + payload.flags + "|" + std::to_string(payload.bytes);
  };
  const auto changed = [](Bytes bytes, std::size_t at, unsigned value) {
    bytes[at] = static_cast<std::byte>(value);
    return bytes;
  };
  CHECK(told(LinkType::kRaw, kIpv4Udp + kUdp + kPayload) == "udp 10.0.0.1:8080 > 10.0.0.2:80||32");
  CHECK(told(LinkType::kRaw, kIpv4Tcp + kTcp) == "10.0.0.1:443 > 10.0.0.2:5000|[P.]|32");
  const Bytes syn = changed(changed(kTcp, 12, 0x50), 13, 0x02);
  CHECK(told(LinkType::kRaw, changed(kIpv4Tcp, 3, 40) + syn) ==
        "10.0.0.1:443 > 10.0.0.2:5000|[S]|0");
  CHECK(told(LinkType::kRaw, changed(kIpv4Tcp, 3, 40) + changed(kTcp, 13, 0)) ==
        "10.0.0.1:443 > 10.0.0.2:5000|[none]|0");
  CHECK(told(LinkType::kRaw, changed(kIpv4Udp, 9, 1)) == "icmp 10.0.0.1 > 10.0.0.2||40");
  CHECK(told(LinkType::kRaw, changed(kIpv4Udp, 7, 1)) == "udp 10.0.0.1 > 10.0.0.2||40");
  CHECK(told(LinkType::kRaw, changed(kIpv4Udp, 9, 132)) == "protocol 132 10.0.0.1 > 10.0.0.2||40");
  // More than 64 KiB: what is on the wire tells how long.
  const Bytes large = kEthernet + changed(changed(kIpv4Tcp, 2, 0), 3, 0) + kTcp;
  CHECK(told(LinkType::kEthernet, large, 14 + 20 + 20 + 70'000) ==
        "10.0.0.1:443 > 10.0.0.2:5000|[P.]|70000");
  CHECK(told(LinkType::kEthernet, changed(kEthernet, 13, 0x06) + kPayload, 42) == "arp||42");
  CHECK(told(LinkType::kEthernet, changed(kEthernet, 12, 0x88) + kPayload, 60) ==
        "ethertype 0x8800||60");
  CHECK(told(LinkType::kEthernet, changed(changed(kEthernet, 12, 0), 13, 38) + kPayload, 60) ==
        "frame||60");  // a length, of IEEE 802.3
  CHECK(told(static_cast<LinkType>(900), kPayload, 60) == "frame||60");
}

TEST_CASE("UDP says itself how long it is") {
  const auto bytes = [](const std::string& length) {
    return payload_of_link(LinkType::kRaw, kIpv4Udp + hex("1f90 0050" + length + "0000") + kPayload)
        .bytes;
  };
  CHECK(bytes("1390") == 5000);  // the first fragment of it
  CHECK(bytes("000b") == 3);     // something else follows
  CHECK(bytes("0007") == 0);
  CHECK(bytes("0000") == 32);
}

TEST_CASE("behind the headers that extend IPv6 stands what it carries") {
  const auto told = [](unsigned first, const Bytes& rest) {
    Bytes header = kIpv6Udp;
    header[5] = static_cast<std::byte>(rest.size());
    header[6] = static_cast<std::byte>(first);
    const CapturedPayload payload = payload_of_link(LinkType::kRaw, header + rest);
    return payload.flow + "|" + payload.flags + "|" + std::to_string(payload.bytes);
  };
  const std::string udp = "udp [2001:db8::1]:8080 > [2001:db8::2]:80||32";
  CHECK(told(0, hex("1100010400000000") + kUdp + kPayload) == udp);
  CHECK(told(43, hex("1101000000000000 0000000000000000") + kUdp + kPayload) == udp);
  CHECK(told(60, hex("0600010400000000") + kTcp + kPayload) ==
        "[2001:db8::1]:443 > [2001:db8::2]:5000|[P.]|32");
  CHECK(told(0, hex("3c00010400000000 3a00010400000000") + hex("8000000000010002")) ==
        "icmp6 2001:db8::1 > 2001:db8::2||8");
  // Of fragments only the first has ports.
  CHECK(told(44, hex("1100000100000007") + kUdp + kPayload) == udp);
  CHECK(told(44, hex("1100000900000007") + kUdp + kPayload) == "udp 2001:db8::1 > 2001:db8::2||40");
  // Cut off, or longer than the packet.
  CHECK(told(0, hex("11000104")) == "protocol 0 2001:db8::1 > 2001:db8::2||4");
  CHECK(told(0, hex("11ff010400000000") + kUdp) == "protocol 0 2001:db8::1 > 2001:db8::2||16");
}

TEST_CASE("each packet is found once, whatever the clocks do, and the error is what they leave") {
  std::mt19937_64 random(7);
  std::vector<TracedPacket> traced;
  std::vector<CapturedPacket> captured;
  constexpr Ns kAhead = 1'234'567;
  constexpr Ns kMostLate = 4000;
  constexpr std::uint32_t kPackets = 5000;
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    const Ns time = kWall + i * 1'000'000 + static_cast<Ns>(random() % 500'000);
    const auto hash = static_cast<std::uint32_t>(random() % 4000);  // some are of the same bytes
    traced.push_back({hash, time, i % 2 == 0});
    const Ns drifted = time + kAhead + (time - kWall) / 100'000;  // 10 ppm
    captured.push_back({hash, drifted + static_cast<Ns>(random() % kMostLate), 0});
  }
  captured.push_back({5000, kWall + 5, 0});              // of another machine
  traced.push_back({5001, kWall + 2 * kSecond, true});   // not captured
  traced.push_back({5002, kWall - 50 * kSecond, true});  // before the capture
  std::ranges::shuffle(captured, random);
  const CaptureMatch match = match_of(traced, captured);
  CHECK(match.sent == kPackets / 2);
  CHECK(match.received == kPackets / 2);
  CHECK(match.captured_only == 1);
  CHECK(match.traced_only == 1);
  CHECK(std::abs(match.clock.ahead() - kAhead - kMostLate / 2) < kMostLate / 2);
  const auto drift = match.clock.course().drift;
  REQUIRE(drift);
  CHECK(std::abs(*drift - 10'000) < 1000);
  CHECK(match.median_error <= match.p95_error);
  CHECK(match.most_error < kMostLate);
}

TEST_CASE("on a loopback device a packet is sent and received, and captured once") {
  std::vector<TracedPacket> traced;
  std::vector<CapturedPacket> captured;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const Ns time = kWall + i * 1'000'000;
    traced.push_back({i, time, true});
    traced.push_back({i, time + 3000, false});
    captured.push_back({i, time + 3500, 0});
  }
  const CaptureMatch match = match_of(traced, captured);
  CHECK(match.matched() == 100);
  CHECK(match.captured_only == 0);
  CHECK(match.frames.size() == 100);
  CHECK(match.frames.front() == 0);
  CHECK(match.frames.back() == 99);
  // A packet of the capture alone is put where the trace would have it.
  CHECK(match.clock.of_trace(0, kWall + 3500) == kWall + 3000);
  CHECK(match.traced_only == 99);  // they were sent; the first one before the capture saw it
}

TEST_CASE("packets with the same bytes are all found, however far the clocks are apart") {
  for (const Ns ahead : {0, 100'000, 1'000'000, 1'000'000'000}) {
    std::vector<TracedPacket> traced;
    std::vector<CapturedPacket> captured;
    for (std::uint32_t i = 0; i < 200; ++i) {
      const Ns request = kWall + i * 1'000'000;
      const Ns reply = request + 60'000 + (i * 7919 % 200) * 1000;
      for (const Ns time : {request, reply}) {  // sent, received, and captured where it was sent
        traced.push_back({i, time, time == request});
        traced.push_back({i, time + 8000, time == reply});
        captured.push_back({i, time + ahead + (time == request ? 0 : 8000), 0});
      }
    }
    const CaptureMatch match = match_of(traced, captured);
    CHECK(match.matched() == 400);
    CHECK(match.captured_only == 0);
  }
}

TEST_CASE("captures of another time or machine have nothing in common with a trace") {
  const CaptureMatch other = match_of({{1, kWall, true}}, {{2, kWall, 0}});
  CHECK(other.matched() == 0);
  CHECK(other.vote.in_both == 0);
  CHECK(other.captured_only == 1);
  CHECK(match_of({}, {}).vote.in_both == 0);
}

}  // namespace kutrace::align
