// SPDX-License-Identifier: BSD-3-Clause
// How long many spans lasted: durations enter, sums and quantiles leave that are at most 1/16 off.
// Buckets are eighths of powers of two, the same as src/reports/duration_histogram.cpp has.

const FINE_BITS = 3;
const FINE = 1 << FINE_BITS;

/** @param {number} ns */
export function bucketOf(ns) {
  if (ns < 2 ** 31) {
    const whole = ns > 0 ? ns | 0 : 0;
    if (whole < FINE) return whole;
    const places = 31 - FINE_BITS - Math.clz32(whole);
    return places * FINE + (whole >>> places);
  }
  const value = Math.floor(ns);
  const shift = Math.floor(Math.log2(value)) - FINE_BITS;
  return shift * FINE + Math.floor(value / 2 ** shift);
}

/** Where a bucket begins, ns. @param {number} bucket */
export function bucketBegin(bucket) {
  if (bucket < 2 * FINE) return bucket;
  const shift = (bucket >> FINE_BITS) - 1;
  return (bucket - shift * FINE) * 2 ** shift;
}

/** @param {number} bucket */
const bucketMiddle = (bucket) => (bucket < 2 * FINE ? bucket
  : bucketBegin(bucket) + 2 ** ((bucket >> FINE_BITS) - 1) / 2);

/**
 * @typedef {object} Durations
 * @property {number} count
 * @property {number} time     ns
 * @property {number} min
 * @property {number} max
 * @property {number[]} buckets  as far as the longest needs
 */

/** @returns {Durations} */
export const noDurations = () => ({ count: 0, time: 0, min: Infinity, max: 0, buckets: [] });

/** @param {Durations} into @param {number} ns */
export function addDuration(into, ns) {
  into.count++;
  into.time += ns;
  if (ns < into.min) into.min = ns;
  if (ns > into.max) into.max = ns;
  const bucket = bucketOf(ns);
  const { buckets } = into;
  while (buckets.length <= bucket) buckets.push(0);
  buckets[bucket]++;
}

/** @param {Durations} into @param {Durations} from */
export function addDurations(into, from) {
  into.count += from.count;
  into.time += from.time;
  into.min = Math.min(into.min, from.min);
  into.max = Math.max(into.max, from.max);
  while (into.buckets.length < from.buckets.length) into.buckets.push(0);
  from.buckets.forEach((n, i) => { into.buckets[i] += n; });
}

/** @param {Durations} from @returns {Durations} */
export const copyOf = (from) => ({ ...from, buckets: from.buckets.slice() });

/** The duration that a share of the spans does not exceed. @param {Durations} durations @param {number} part 0..1 */
export function quantile(durations, part) {
  const rank = Math.max(1, Math.ceil(part * durations.count));
  let seen = 0;
  for (let i = 0; i < durations.buckets.length; i++) {
    seen += durations.buckets[i];
    if (seen >= rank) return Math.min(bucketMiddle(i), durations.max);
  }
  return durations.max;
}

/** @template K @param {Map<K, Durations>} map @param {K} key */
export function durationsOf(map, key) {
  let found = map.get(key);
  if (!found) {
    found = noDurations();
    map.set(key, found);
  }
  return found;
}
