// SPDX-License-Identifier: BSD-3-Clause
// Times as text. In: ns; out: "12.4 µs", axis ticks that share a base, wall-clock times in UTC.

/** Of a length of time. */
const DIGITS = 4;
const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];

/** @param {number} value @param {number} digits significant ones */
function significant(value, digits) {
  if (value === 0) return '0';
  const before = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(digits))))) + 1;
  return value.toFixed(Math.max(0, Math.min(3, digits - before)));
}

/** A length of time with its unit. @param {number} ns */
export function durationText(ns) {
  if (!Number.isFinite(ns)) return '–';
  const rounded = Math.abs(Number(ns.toPrecision(DIGITS)));  // 999,999 ns are 1.000 ms
  const [size, name] = UNITS.find(([unit]) => rounded >= Number(unit)) ?? UNITS[3];
  return `${significant(ns / Number(size), DIGITS)} ${name}`;
}

/**
 * Seconds after the start, to the ns: "1.234 567 890 s".
 * @param {number} ns
 */
export function exactTime(ns) {
  const sign = ns < 0 ? '-' : '';
  const all = Math.round(Math.abs(ns));
  const rest = String(all % 1e9).padStart(9, '0');
  return `${sign}${Math.floor(all / 1e9)}.${rest.slice(0, 3)}\u202f${rest.slice(3, 6)}\u202f${rest.slice(6)} s`;
}

/** A time with as many digits as one pixel can tell apart. @param {number} ns @param {number} perPixel ns */
export function timeAtPixel(ns, perPixel) {
  const digits = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(Math.max(1, perPixel)))));
  const text = exactTime(ns).replace(' s', '');
  const [whole, fraction] = text.split('.');
  const kept = fraction.replace(/\D/g, '').slice(0, digits).replace(/(\d{3})(?=\d)/g, '$1\u202f');
  return `${whole}${kept ? `.${kept}` : ''} s`;
}

/** Rounded down, before 1970, too. @param {number | null} usec since 1970; null: not known @param {number} digits of the second */
export function wallText(usec, digits) {
  if (usec === null) return '';
  const seconds = Math.floor(usec / 1e6);
  const whole = new Date(seconds * 1000).toISOString();
  const micro = String(usec - seconds * 1e6).padStart(6, '0');
  return `${whole.slice(0, 10)} ${whole.slice(11, 19)}${digits > 0 ? `.${micro.slice(0, digits)}` : ''} UTC`;
}

/** A step of 1, 2 or 5 times a power of ten. @param {number} ns @param {number} count */
export function tickStep(ns, count) {
  const rough = ns / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((f) => f * power >= rough) ?? 10;
  return Math.max(1, factor * power);
}

/**
 * Ticks of a view: labels count from a base that is printed once.
 * @param {number} t0 @param {number} t1 @param {number} count about so many ticks
 * @returns {{ticks: {time: number, label: string}[], base: number, unit: string}}
 */
export function timeTicks(t0, t1, count) {
  const step = tickStep(t1 - t0, count);
  const [size, unit] = UNITS.find(([u]) => step >= Number(u)) ?? UNITS[3];
  const scale = Number(size);
  const digits = Math.max(0, -Math.floor(Math.log10(step / scale) + 1e-9));
  const base = scale === 1e9 ? 0 : Math.floor(Math.max(0, t0) / (scale * 1000)) * scale * 1000;
  const ticks = [];
  for (let i = Math.ceil(t0 / step); i * step <= t1; i++) {
    const time = i * step;
    ticks.push({ time, label: `${((time - base) / scale).toFixed(digits)} ${unit}` });
  }
  return { ticks, base, unit: String(unit) };
}

/** "32.6 MB". @param {number} bytes */
export function bytesText(bytes) {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
