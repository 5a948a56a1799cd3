// SPDX-License-Identifier: BSD-3-Clause
// A made-up server for 20 ms: one thread serves requests, workers wait in futex, most of them for work, some
// for a lock that the server holds; many wakeups, samples of code without names. In: how many workers, and
// how many of them want the lock; out: span JSON.

/** @param {{workers?: number, wanting?: number, cpus?: number}} shape */
export function poolTrace({ workers = 600, wanting = 1, cpus = 2 } = {}) {
  const SERVER = 100;
  const END = 20_000;  // µs
  const LOCK = 77;
  /** @type {any[]} */
  const events = [];
  const add = (at, time, cpu, pid, event, arg, result, name) => (
    events.push([1 + at / 1e6, time / 1e6, cpu, pid, 0, event, arg, result, 0, name]));
  for (let at = 0; at < END; at += 100) {
    add(at, 60, 0, SERVER, 0x10000 + SERVER, 0, 0, `server.${SERVER}`);
    add(at + 60, 40, 0, SERVER, 0x801, 4, 40, 'write');
    add(at, 100, -1, SERVER, 0x280, 0, 0, `PC=${(0x7f0012340000 + at * 16).toString(16)}`);
    events.at(-1)[2] = 0;
    // A worker runs for a moment on the other CPU, woken by the server.
    const worker = 1000 + (at / 100) % workers;
    add(at, 80, 1, 0, 0x10000, 0, 0, '-idle-');
    add(at + 80, 20, 1, worker, 0x10000 + worker, 0, 0, `worker.${worker}`);
    add(at + 70, 10, 0, SERVER, -3, 1, worker, '-wakeup-');
    for (let cpu = 2; cpu < cpus; cpu++) add(at, 100, cpu, SERVER + cpu, 0x10000 + SERVER + cpu, 0, 0, `busy.${SERVER + cpu}`);
  }
  add(10, END - 20, -1, SERVER, 642, LOCK, 0, '=queue');
  for (let i = 0; i < workers; i++) {
    const pid = 1000 + i;
    const ran = i < END / 100 ? i * 100 + 80 : END;
    if (ran > 0) add(0, Math.min(ran, END), -1, pid, 0x300 + 11, 0, 0, 'wait_lock');
    if (ran + 20 < END) add(ran + 20, END - ran - 20, -1, pid, 0x300 + 11, 0, 0, 'wait_lock');
    if (i < wanting) add(20, END - 40, -1, pid, 643, LOCK, 0, '~queue');
  }
  events.sort((a, b) => a[0] - b[0]);
  return { Comment: 'V3', flags: 0, title: 'a pool', tracebase: '2026-01-02_03:04:00', version: 3, axisLabelX: 'Time (sec)',
    axisLabelY: 'CPU Number', shortUnitsX: 's', shortMulX: 1, thousandsX: 1000,
    events: [...events, [999, 0, 0, 0, 0, 0, 0, 0, 0, '']] };
}
