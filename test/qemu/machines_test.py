#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two machines that talk to each other, booted beside each other, each recorded by itself; then aligned.

The clocks of the guests have nothing to do with each other. In the trace of both no message arrives before it was
sent, each answer of the server lies within the request of its client, what a request waited for is told on both
machines, and every nanosecond is accounted for.

    machines_test.py --build build/dev
"""
import argparse
import json
import pathlib
import re
import socket
import subprocess
import sys
import threading

import guest
import kernels

KERNEL = "linux-image-6.12-cloud-amd64"
REQUESTS = 60
FIRST_RPC = 100
PORT = 5000
NETWORK_MODULES = ["failover", "net_failover", "virtio_net"]
SCRIPT = f"""
for module in {' '.join(NETWORK_MODULES)}; do
  if [ -e /modules/$module.ko ]; then insmod /modules/$module.ko; fi
done
ifconfig eth0 {{own}} netmask 255.255.255.0 up
kutrace record -o /out/trace.raw -- {{command}} 2>/out/log
"""
MACHINES = {"client": ("10.0.0.1", f"kutrace-talk ask 10.0.0.2 {PORT} {REQUESTS}"),
            "server": ("10.0.0.2", f"kutrace-talk serve {PORT}")}
RX, TX = "214", "215"
THREADS = 1 << 22


def free_ports(count):
    """Of UDP; free a moment ago."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wire(number, own, other):
    """A network card of the guest, and the cable to the other one."""
    return ["-netdev", f"socket,id=wire,udp=127.0.0.1:{other},localaddr=127.0.0.1:{own}",
            "-device", f"virtio-net-pci,netdev=wire,mac=52:54:00:00:00:0{number}"]


def boot_both(of, folder, build):
    """What went wrong while both ran."""
    ports = free_ports(2)
    programs = [build / "kutrace", build / "kutrace-talk"]
    findings = []

    def run(number, name):
        own, command = MACHINES[name]
        out = folder / name
        out.mkdir(parents=True, exist_ok=True)
        modules = of.unpacked_modules(NETWORK_MODULES, out)
        passed, console = guest.run(of, SCRIPT.format(own=own, command=command), out, programs, modules,
                                    devices=wire(number, ports[number - 1], ports[2 - number]))
        if not passed:
            findings.append(f"{name}: the script did not reach its end:\n{console[-2000:]}")

    threads = [threading.Thread(target=run, args=(i + 1, name)) for i, name in enumerate(MACHINES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return findings


class Both:
    """The traces, and what the program says of them."""

    def __init__(self, arguments, folder):
        self.program = pathlib.Path(arguments.build) / "kutrace"
        self.client, self.server, self.both = (folder / name for name in
                                               ("client/trace.raw", "server/trace.raw", "both.raw"))
        self.findings = []

    def expect(self, good, what):
        if not good:
            self.findings.append(what)

    def kutrace(self, *words):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, check=False)
        self.expect(done.returncode == 0, f"kutrace {words[0]}: {done.returncode} {done.stdout} {done.stderr}")
        return done.stdout

    def query(self, sql):
        return json.loads(self.kutrace("query", self.both, "--format", "json", sql))

    def judge_messages(self, cpus):
        """Each message, sent by one machine and received by the other, in this order."""
        seen = {}
        for line in self.kutrace("dump", "--stage", "events", self.both).splitlines():
            words = line.split()
            if len(words) >= 5 and words[2] in (RX, TX):
                machine = int(int(words[1]) >= cpus)
                seen.setdefault(int(words[4]), []).append((int(words[0]), words[2], machine))
        whole = [times for times in seen.values()
                 if len(times) == 2 and {event for _, event, _ in times} == {RX, TX}
                 and {machine for _, _, machine in times} == {0, 1}]
        self.expect(len(whole) >= 2 * REQUESTS, f"{len(whole)} messages went from one machine to the other")
        late = [times for times in whole if sorted(times)[0][1] != TX]
        self.expect(not late, f"{len(late)} of {len(whole)} messages arrive before they were sent")

    def judge_rpcs(self):
        """What the server did for a request lies within what its client did."""
        rows = self.query(f"select rpc, pid / {THREADS} as machine, min(start_ns) as first, max(end_ns) as last "
                          f"from spans where rpc >= {FIRST_RPC} and pid > 0 group by rpc, machine")
        ends = {(row["rpc"], row["machine"]): (row["first"], row["last"]) for row in rows}
        rpcs = {rpc for rpc, _ in ends}
        self.expect(len(rpcs) == REQUESTS, f"{len(rpcs)} RPCs of {REQUESTS}")
        for rpc in rpcs:
            client, server = ends.get((rpc, 0)), ends.get((rpc, 1))
            good = client and server and client[0] < server[0]
            self.expect(good, f"RPC {rpc}: client {client}, server {server}")

    def judge_answer(self):
        """The way of a request goes on with the server: its time and the network's are told apart."""
        told = json.loads(self.kutrace("why", "--rpc", "echo", "--format", "json", self.both))
        path = told["path"]
        self.expect(sum(piece["duration_ns"] for piece in path) == told["duration_ns"], "causes do not add up")
        servers = {piece["thread"] for piece in path if int(piece["thread"].rpartition(".")[2]) >= THREADS}
        brought = [piece["text"] for piece in path if "brought what" in piece["text"]]
        others = [text for text in brought if "BH:rx brought" not in text]
        self.expect(not others, f"brought by what takes no packets: {others}")
        self.expect(servers and any(server in text for server in servers for text in brought),
                    f"the way leads to {servers} by {brought}")

    def judge(self):
        table = self.kutrace("align", self.client, self.server)
        print(table)
        self.kutrace("align", self.client, self.server, "-o", self.both)
        within = re.search(r"(\d+\.\d+) us +\S+server/trace.raw", table)
        self.expect(within and float(within[1]) < 5000, f"the clock is not known well:\n{table}")
        self.kutrace("check", self.both)
        cpus = len(json.loads(self.kutrace("query", self.client, "--format", "json", "select cpu from cpus")))
        self.judge_messages(cpus)
        self.judge_rpcs()
        self.judge_answer()
        return self.findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    arguments = parser.parse_args()
    build = pathlib.Path(arguments.build)
    folder = build / "qemu" / "machines"
    try:
        guest.require_tools()
        of = kernels.kernel(KERNEL)
    except kernels.Unavailable as why:
        sys.exit(guest.skipped(why))
    findings = boot_both(of, folder, build)
    sys.exit(guest.verdict(findings or Both(arguments, folder).judge()))


if __name__ == "__main__":
    main()
