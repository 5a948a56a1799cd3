// SPDX-License-Identifier: BSD-3-Clause
// Causes in words, as src/emit/text/cause_text.cpp puts them. In: a cause, and whose interval it is; out: "it was
// ready, and CPU 1 ran gcc.77".

/** @typedef {import('./critical_path.js').Cause} Cause */

/** In place of a thread: of many, each of which stands for all of its name. */
export const OF_MANY = -1;

/** @type {Record<string, string>} */
const FOR = { c: 'a CPU', d: 'the disk', k: 'another task', l: 'a lock or thread', m: 'memory', n: 'a message on a socket', p: 'a pipe or queue', r: 'RCU', s: 'the scheduler', t: 'a timer' };
/** @param {string} letter @param {boolean} [ofLock]  in a call that waits for locks alone, not for threads */
const waitedFor = (letter, ofLock = false) => (ofLock ? 'a lock' : FOR[letter] ?? 'something');

/** @type {Record<string, string>} */
const NOT_CALLED_FOR = { c: 'ready, not yet running', t: 'sleeping until a time' };
/** "waiting for the disk". @param {string} letter */
export const waitingFor = (letter) => NOT_CALLED_FOR[letter] ?? `waiting for ${waitedFor(letter)}`;

/** What an interrupt ended. @type {Record<string, string>} */
const ENDED = { timer: 'slept', disk: 'waited for the disk', network: 'waited for the network', device: 'waited' };

export class CauseText {
  /** @param {import('../model/trace.js').Trace} trace */
  constructor(trace) {
    this.trace = trace;
  }

  /** "gcc.77". @param {number} thread */
  thread(thread) {
    return this.trace.threadLabel(thread);
  }

  /** @param {number} thread @param {number} own */
  #who(thread, own) {
    return own !== OF_MANY ? this.thread(thread) : this.trace.threadName(thread) || 'a thread without a name';
  }

  /** @param {Cause} cause @param {number} own */
  #endedBy({ waker, other }, own) {
    if (!waker) return '';
    return other === 0 ? `, until ${waker} ended it` : `, until ${waker} brought what ${this.#who(other, own)} sent`;
  }

  /** @param {Cause} cause @param {number} own @param {boolean} isOwn */
  #waited(cause, own, isOwn) {
    const within = cause.name ? ` in ${cause.name}` : '';
    const ended = ENDED[cause.kind];
    if (ended) return `${ended}${within}${this.#endedBy(cause, own)}`;
    const what = isOwn ? `waited for ${waitedFor(cause.waited, cause.ofLock)}${within}` : `waited${within}`;
    if (cause.atEnd) return `${what} until the trace ended`;
    if (cause.other === 0) return `${what}; who ended that is not known`;
    return `${what}, until ${this.#who(cause.other, own)} ended it${cause.waker ? ` in ${cause.waker}` : ''}`;
  }

  /** @param {Cause} cause @param {number} own @param {boolean} isOwn */
  #did(cause, own, isOwn) {
    const cpu = cause.cpu < 0 || own === OF_MANY ? 'its CPU' : `CPU ${cause.cpu}`;
    switch (cause.kind) {
      case 'user': return 'ran its own code';
      case 'call': case 'fault': return `was on a CPU in ${cause.name}`;
      case 'scheduler': return 'was in the scheduler';
      case 'interrupt': case 'softirq': return `lost its CPU to ${cause.kind} ${cause.name}`;
      case 'ready': return `was ready, and ${cpu} ran ${this.#who(cause.other, own)}`;
      case 'ready_interrupt': return `was ready, and ${cpu} handled ${cause.name}`;
      case 'wakeup': return `was ready, and ${cpu}, idle, had yet to switch to it`;
      case 'idle_exit': return `was ready, and ${cpu} had to leave an idle state`;
      case 'unknown': return `did what the trace does not tell${this.#missing(cause, own)}`;
      default: return this.#waited(cause, own, isOwn);
    }
  }

  /** @param {Cause} cause @param {number} own */
  #missing(cause, own) {
    return cause.cpu < 0 || own === OF_MANY ? '' : `, as events of CPU ${cause.cpu} are missing`;
  }

  /** @param {Cause} cause @param {number} thread  whose interval it is @param {number} [own]  the same, or OF_MANY */
  words(cause, thread, own = thread) {
    if (cause.thread === thread || cause.thread === 0) {
      return cause.kind === 'unknown' ? `not known${this.#missing(cause, own)}` : `it ${this.#did(cause, own, true)}`;
    }
    return `it waited for ${waitedFor(cause.waited, cause.ofLock)}, and ${this.#who(cause.thread, own)} ${this.#did(cause, own, false)}`;
  }
}
