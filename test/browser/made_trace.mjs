// SPDX-License-Identifier: BSD-3-Clause
// A made-up machine for 0.2 s: bursts of work, idle between them, a short interrupt now and then; the
// same every time. In: how many CPUs; out: span JSON.

/** @param {number} cpus */
export function madeTrace(cpus) {
  let seed = 7;
  const random = (/** @type {number} */ most) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % most;
  };
  const events = [];
  const add = (at, ticks, cpu, pid, event, arg, result, name) => (
    events.push([1 + at / 1e8, ticks / 1e8, cpu, pid, 0, event, arg, result, 0, name]));
  const SPAN = 20_000_000;  // of 10 ns
  for (let cpu = 0; cpu < cpus; cpu++) {
    let at = 0;
    const next = (most, ...rest) => {
      const ticks = Math.min(1 + random(most), SPAN - at);
      if (ticks > 0) add(at, ticks, cpu, ...rest);
      at += ticks;
    };
    while (at < SPAN) {
      const pid = 100 + random(12);
      for (let burst = random(60); burst >= 0; burst--) {
        next(3000, pid, 0x10000 + pid, 0, 0, `worker.${pid}`);
        if (random(3) > 0) next(900, pid, 0x800 + random(5), random(9), random(3) ? random(4000) : 65525, `call${random(5)}`);
        if (random(9) === 0) next(100, pid, 0x5ec, 0, 0, 'timer');
        if (random(9) === 0) next(300, pid, 0x40e, 0, 0, 'page_fault');
      }
      next(200, pid, 0xdff, 0, 0, '-sched-');
      next(random(2) ? 400_000 : 2000, 0, 0x10000, 0, 0, '-idle-');
    }
  }
  events.sort((a, b) => a[0] - b[0]);
  return { Comment: 'V3', flags: 0, title: 'figures', tracebase: '2026-01-02_03:04:00', version: 3, axisLabelX: 'Time (sec)',
    axisLabelY: 'CPU Number', shortUnitsX: 's', shortMulX: 1, thousandsX: 1000,
    events: [...events, [999, 0, 0, 0, 0, 0, 0, 0, 0, '']] };
}
