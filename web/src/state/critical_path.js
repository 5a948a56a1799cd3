// SPDX-License-Identifier: BSD-3-Clause
// Why an interval of a thread took as long as it did: the way that led to its end, walked backwards through those
// who woke it. It is src/reports/critical_path.cpp, which says how, in the page's language; a test holds both equal
// over generated traces. In: what happened, an interval; out: pieces, latest first, each with its cause. They are
// disjoint and add up to the interval.
import { isIdle } from '../model/kinds.js';
import { machineOfThread } from '../model/machines.js';
import { KIND, RX_PACKET, TX_PACKET } from '../model/tables.js';
import { Turns } from '../model/breathe.js';

/**
 * Threads are places in the page's table, 0: none; texts are '' and CPUs -1 where there are none.
 * @typedef {object} Cause
 * @property {string} kind    as `kutrace why` calls it
 * @property {string} waited  letter of the wait in which the interval's thread was then
 * @property {boolean} ofLock that wait is in a call that waits for locks alone, not for threads
 * @property {boolean} atEnd  nobody ended it before the trace did
 * @property {number} thread  whose piece it is: the interval's, or one that ended its wait
 * @property {number} other
 * @property {string} name
 * @property {string} waker   routine that ended the wait
 * @property {number} cpu     of what kept it ready; of what is not known: where events are missing
 *
 * @typedef {{begin: number, end: number, cpu: number, cause: Cause}} PathPiece
 * @typedef {{piece: Piece, time: number}} Sender  what a thread of another machine did as it sent a packet, and when
 * @typedef {import('./happenings.js').Happenings} Happenings @typedef {import('./happenings.js').Piece} Piece
 * @typedef {import('./happenings.js').Packet} Packet
 */

/** Of a chain of wakers, each of which had waited for the next. */
const MOST_WAKERS = 64;
/** So long the input waits for its turn, ms; the clock is looked at after so many steps. */
const TURN_MS = 8;
const STEPS = 4;

/** Softirqs of disks and timers, by the kernel's numbers: they are never work of a thread's call. */
const ENDS_REQUESTS = new Set([1, 4, 5, 7, 8, 9]);
/** Threads of this name run softirqs for whoever raised them: they are not their own. */
const SOFTIRQ_THREAD = 'ksoftirqd/';
/** @type {Record<number, string>} */
const EXECUTED_AS = { [KIND.syscall]: 'call', [KIND.trap]: 'fault', [KIND.scheduler]: 'scheduler', [KIND.irq]: 'interrupt', [KIND.softirq]: 'softirq' };
/** What an interrupt ended, by the reason of the wait. @type {Record<string, string>} */
const ENDED_BY_INTERRUPT = { t: 'timer', d: 'disk', n: 'network' };
const READY = 'c';
const UNEXPLAINED = 'z';
const LOCK = 'l';
/** The interval's thread does not wait. */
const NO_WAIT = { waited: '', ofLock: false };

/** Calls that wait for locks alone. A futex looks the same, whatever it is for. */
const FOR_LOCKS_ALONE = ['fcntl', 'flock', 'semop', 'semtimedop'];

/** @param {Piece} wait @param {string} call */
const waitIn = (wait, call) => ({ waited: wait.letter, ofLock: wait.letter === LOCK && FOR_LOCKS_ALONE.includes(call) });

/** @param {number} what */
const isInterrupt = (what) => what === KIND.irq || what === KIND.softirq;
/** @param {number} what */
const isUser = (what) => what === KIND.user || what === KIND.kernelThread;

/** @param {Partial<Cause> & {kind: string}} known @returns {Cause} */
const causeOf = (known) => ({ waited: '', ofLock: false, atEnd: false, thread: 0, other: 0, name: '', waker: '', cpu: -1, ...known });
/** @param {Cause} a @param {Cause} b */
const isSame = (a, b) => a.kind === b.kind && a.waited === b.waited && a.ofLock === b.ofLock && a.thread === b.thread && a.other === b.other
  && a.name === b.name && a.waker === b.waker && a.cpu === b.cpu && a.atEnd === b.atEnd;

export class CriticalPath {
  /** @param {Happenings} happenings @param {number} [mostWakers]  at the last one the way ends, and its name is the cause */
  constructor(happenings, mostWakers = MOST_WAKERS) {
    this.happenings = happenings;
    this.mostWakers = mostWakers;
    /** @type {PathPiece[]} */
    this.pieces = [];
    /** Each followed back to `floor`, where the wait began that it ended; the interval's thread first. @type {{thread: number, floor: number}[]} */
    this.followed = [];
    /** Its wait, while others are followed. */
    this.wait = NO_WAIT;
    this.now = 0;
  }

  /**
   * @param {{begin: number, end: number, thread: number}} interval @param {() => boolean} [cancelled]
   * @param {(share: number) => void} [told]  of the interval, while it is walked
   * @returns {Promise<PathPiece[] | null>} null: cancelled
   */
  async walk({ begin, end, thread }, cancelled = () => false, told = () => {}) {
    this.pieces = [];
    this.wait = NO_WAIT;
    this.now = end;
    this.followed = [{ thread: this.happenings.trace.threads[thread].first, floor: begin }];
    const turns = new Turns(TURN_MS);
    for (let steps = 1; this.followed.length > 0; steps++) {
      await this.#step();
      if (cancelled()) return null;
      if (steps % STEPS > 0 || !turns.over) continue;
      told((end - this.now) / (end - begin));
      await turns.end();
    }
    return this.pieces;
  }

  /** From there to `now`, which goes back to it. @param {number} from @param {number} cpu @param {Cause} cause */
  #put(from, cpu, cause) {
    const told = { ...cause, ...this.wait };
    const open = this.pieces.at(-1);
    if (open && open.begin === this.now && open.cpu === cpu && isSame(open.cause, told)) open.begin = from;
    else this.pieces.push({ begin: from, end: this.now, cpu, cause: told });
    this.now = from;
  }

  async #step() {
    const last = this.followed[this.followed.length - 1];
    if (this.now <= last.floor) {
      this.followed.pop();
      if (this.followed.length === 1) this.wait = NO_WAIT;
      return;
    }
    const piece = await this.happenings.ofThread(last.thread, this.now);
    if (!piece || piece.end < this.now) {
      await this.#unknown(Math.max(last.floor, piece?.end ?? -Infinity), last.thread);
      return;
    }
    const from = Math.max(last.floor, piece.begin);
    if (piece.what !== KIND.wait) {
      const cause = causeOf({ kind: EXECUTED_AS[piece.what] ?? 'user', thread: piece.thread, name: isUser(piece.what) ? '' : piece.name });
      this.#put(from, piece.cpu, cause);
    } else if (piece.letter === READY) {
      await this.#wasReady(piece, from);
    } else {
      await this.#wasBlocked(piece, from);
    }
  }

  /** @param {number} from @param {number} thread */
  async #unknown(from, thread) {
    this.#put(from, -1, causeOf({ kind: 'unknown', thread, cpu: await this.happenings.lost(from, this.now) }));
  }

  /**
   * What the CPU did before `now`, of those that a ready thread left and ran on next; since when. Null: nothing is told.
   * @param {number} left @param {number} next @param {number} from @returns {Promise<{had: Piece | null, begin: number}>}
   */
  async #inFront(left, next, from) {
    let begin = from;
    for (const cpu of [left, next]) {
      const had = await this.happenings.ofCpu(cpu, this.now);
      if (!had) continue;
      const isTold = had.end >= this.now;
      begin = Math.max(begin, isTold ? had.begin : had.end);
      const hadWork = !isIdle(had.what) && had.thread > 0;
      if (isTold && (cpu === next || hadWork || isInterrupt(had.what))) return { had, begin };
    }
    return { had: null, begin };
  }

  /** Its CPU did something else meanwhile. @param {Piece} wait @param {number} from */
  async #wasReady(wait, from) {
    const next = (await this.happenings.afterInThread(wait))?.cpu ?? -1;
    const left = (await this.happenings.beforeInThread(wait))?.cpu ?? next;
    while (this.now > from) {
      const { had, begin } = await this.#inFront(left, next, from);
      if (!had) await this.#unknown(begin, wait.thread);
      else this.#put(begin, had.cpu, this.#keptReady(wait.thread, had));
    }
  }

  /** @param {number} thread @param {Piece} had */
  #keptReady(thread, had) {
    const cause = causeOf({ kind: 'ready', thread, other: had.thread, cpu: had.cpu });
    if (isInterrupt(had.what)) return { ...cause, kind: 'ready_interrupt', name: had.name, other: 0 };
    if (had.what === KIND.cExit) return { ...cause, kind: 'idle_exit' };
    if (isIdle(had.what) || (had.what === KIND.scheduler && had.thread === 0)) return { ...cause, kind: 'wakeup' };
    if (had.thread !== 0 && had.thread !== thread) return cause;
    return causeOf({ kind: 'unknown', thread, cpu: had.what === KIND.loss ? had.cpu : -1 });
  }

  /** @param {string} kind @param {Piece} wait @param {number} from @param {number} [waker] @param {string} [routine] */
  async #blockedFor(kind, wait, from, waker = 0, routine = '') {
    const name = await this.happenings.callOf(wait);
    // Of a wait that nothing explains, in no call, nothing is told.
    const told = kind === '' ? (wait.letter === UNEXPLAINED && !name ? 'unknown' : 'waker') : kind;
    const followedFor = this.wait;
    if (this.wait === NO_WAIT) this.wait = waitIn(wait, name);
    const atEnd = waker === 0 && routine === '' && this.happenings.lastsToEnd(wait);
    this.#put(from, -1, causeOf({ kind: told, atEnd, thread: wait.thread, other: waker, name, waker: routine }));
    this.wait = followedFor;
  }

  /** Interrupts that follow each other, of which that is the last. @param {Piece} interrupt */
  async #firstOfInterrupts(interrupt) {
    let first = interrupt;
    for (let before = await this.happenings.beforeOnCpu(first); before && isInterrupt(before.what); before = await this.happenings.beforeOnCpu(first)) {
      first = before;
    }
    return first;
  }

  /** Whose work a softirq does: that of the interrupt behind which it began, or of a thread in a call. @param {Piece} softirq @returns {Promise<Piece | null>} */
  async #bornOf(softirq) {
    const first = await this.#firstOfInterrupts(softirq);
    if (first.what === KIND.irq) return first;
    if (ENDS_REQUESTS.has(softirq.arg)) return null;
    const before = await this.happenings.beforeOnCpu(first);
    const runsThem = before?.what === KIND.kernelThread && before.name.startsWith(SOFTIRQ_THREAD);
    return before && before.thread > 0 && before.what !== KIND.user && !runsThem ? before : null;
  }

  /** @param {Piece} wait @param {import('./happenings.js').Wakeup} wakeup @param {number} from */
  async #wasWokenBy(wait, { cpu, time }, from) {
    const at = await this.happenings.ofCpu(cpu, time + 1);
    if (!at || at.end < time) return this.#blockedFor('waker', wait, from);
    const takesPackets = at.what === KIND.softirq && !ENDS_REQUESTS.has(at.arg);
    if (takesPackets && this.happenings.trace.machines.all.length > 0) {
      const { begin } = await this.#firstOfInterrupts(at);
      const got = (await this.happenings.packets(RX_PACKET, begin, time)).filter((packet) => packet.cpu === at.cpu);
      const by = await this.#onlySender(wait, got, from);
      if (by) {
        await this.#blockedFor('network', wait, by.time, by.piece.thread, at.name);
        return this.#follow(wait, by.piece, from);
      }
    }
    const source = at.what === KIND.softirq ? await this.#bornOf(at) : at;
    if (!source || (isInterrupt(at.what) && isInterrupt(source.what))) {
      return this.#blockedFor(ENDED_BY_INTERRUPT[wait.letter] ?? 'device', wait, from, 0, at.name);
    }
    await this.#follow(wait, source, from);
  }

  /** Who on another machine sent a packet. @param {Piece} wait @param {Packet} got @param {Packet[]} sent  during the wait @returns {Promise<Sender | null>} */
  async #sender(wait, got, sent) {
    const machine = (/** @type {number} */ thread) => machineOfThread(this.happenings.trace.threads[thread].pid);
    for (const { cpu, time } of sent.filter((packet) => packet.hash === got.hash && packet.time < got.time).reverse()) {
      let at = await this.happenings.ofCpu(cpu, time + 1);
      if (!at || at.end < time) continue;
      if (at.what === KIND.softirq) at = await this.#bornOf(at);
      if (at && at.thread !== 0 && machine(at.thread) !== machine(wait.thread)) return { piece: at, time };
    }
    return null;
  }

  /**
   * Of packets before a wakeup. The last one's, unless others came from somebody else: a softirq may take several before
   * it wakes those whom they are for.
   * @param {Piece} wait @param {Packet[]} got @param {number} from
   */
  async #onlySender(wait, got, from) {
    const newest = got.at(-1);
    if (!newest) return null;
    const sent = (await this.happenings.packets(TX_PACKET, from, newest.time)).filter(({ time }) => time > from);
    const last = await this.#sender(wait, newest, sent);
    for (const packet of last ? got.slice(0, -1) : []) {
      const one = await this.#sender(wait, packet, sent);
      if (one && one.piece.thread !== last?.piece.thread) return null;
    }
    return last;
  }

  /** The thread whose piece that is did it; what it did since the wait began comes next. @param {Piece} wait @param {Piece} source @param {number} from */
  async #follow(wait, source, from) {
    const waker = source.thread;
    if (waker === 0 || this.followed.some(({ thread }) => thread === waker) || this.followed.length > this.mostWakers) {
      return this.#blockedFor('waker', wait, from, waker, isUser(source.what) ? '' : source.name);
    }
    if (this.followed.length === 1) this.wait = waitIn(wait, wait.letter === LOCK ? await this.happenings.callOf(wait) : '');
    this.followed.push({ thread: waker, floor: from });
  }

  /** @param {Piece} wait @param {number} from */
  async #wasBlocked(wait, from) {
    // It goes on behind the interval, or behind the time at which the thread woke another.
    const wakeup = wait.end === this.now ? await this.happenings.wakeup(wait.thread, wait.end) : null;
    if (wakeup) await this.#wasWokenBy(wait, wakeup, from);
    else await this.#blockedFor('', wait, from);
  }
}
