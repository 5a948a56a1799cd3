// SPDX-License-Identifier: BSD-3-Clause
// Control groups of processes, and the containers and pods that their paths tell of. In: the page's facts
// ("cgroup": process, time, path; the last one of a process holds) and who made whom; out: a path of each process.
// As model/cgroups.h and format/container_name.h of the program have it.
import { FACT } from './tables.js';

/** @typedef {'control group' | 'container' | 'pod'} CgroupPart */
/** @type {CgroupPart[]} */
export const CGROUP_PARTS = ['control group', 'container', 'pod'];

const SHORT_DIGITS = 12;

/** Of the last part of a path in which there is one. @param {string} path @param {(part: string) => string} find */
const lastPart = (path, find) => path.split('/').reverse().map(find).find(Boolean) ?? '';

/** Behind nothing or "-"; conmon watches one. @param {string} part */
const containerIn = (part) => /^(?!.*conmon-[^-]*$)(?:.*-)?([0-9a-f]{64})(?:\.scope)?$/.exec(part)?.[1] ?? '';

/** @param {string} part  names of slices have _ for - */
const podIn = (part) => /(?:^|-)pod([0-9a-f]{32}|[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})(?:\.slice)?$/.exec(part)?.[1].replaceAll('_', '-') ?? '';

/** What a path says: "-": none, "?": it is not told. @param {string} path @param {CgroupPart} part */
export function cgroupLabel(path, part) {
  if (path === '' || part === 'control group') return path || '?';
  return (part === 'container' ? lastPart(path, containerIn).slice(0, SHORT_DIGITS) : lastPart(path, podIn)) || '-';
}

export class Cgroups {
  /** @param {[string, string][]} meta */
  constructor(meta) {
    this.told = meta.some(([key, value]) => key === FACT.cgroups && value === 'on');
    /** @type {Map<number, string>} by process */
    this.paths = new Map();
    if (!this.told) return;
    for (const [key, text] of meta) {
      const [, process, path] = (key === FACT.cgroup && /^(\d+) \d+ (.+)$/.exec(text)) || [];
      if (path !== undefined) this.paths.set(Number(process), path);
    }
  }

  /** Of which there are some in this trace. @returns {CgroupPart[]} */
  get parts() {
    const paths = [...this.paths.values()];
    return this.told ? CGROUP_PARTS.filter((part) => paths.some((path) => !['-', '/'].includes(cgroupLabel(path, part)))) : [];
  }

  /** A process of which nothing is said has that of its parent. @param {number} process @param {(process: number) => number | undefined} parentOf @returns {string} */
  of(process, parentOf) {
    if (!this.told) return '';
    /** @type {number[]} */
    const asked = [];
    let at = process;
    while (!this.paths.has(at) && !asked.includes(at)) {
      asked.push(at);
      at = parentOf(at) ?? at;
    }
    const path = this.paths.get(at) ?? '/';
    for (const one of asked) this.paths.set(one, path);
    return path;
  }
}
