// SPDX-License-Identifier: BSD-3-Clause
// Numbers that the page shares with the program: events, kinds of span, sorts of rows, flags of threads,
// pieces of calls, reasons of losses. Made by make_tables.mjs from the program's sources: `npm run build` writes it anew.

// Events, KUTRACE_POINT and KUTRACE_PSEUDO of events.def.
export const USERPID = 0x200;
export const RPC_REQUEST = 0x201;
export const RPC_RESPONSE = 0x202;
export const RPC_MIDDLE = 0x203;
export const RX_MESSAGE = 0x204;
export const TX_MESSAGE = 0x205;
export const RUNNABLE = 0x206;
export const SEND_IPI = 0x207;
export const MWAIT = 0x208;
export const FREQUENCY = 0x209;
export const MARK_A = 0x20a;
export const MARK_B = 0x20b;
export const MARK_C = 0x20c;
export const MARK_D = 0x20d;
export const LEFT_MARK = 0x20e;
export const RIGHT_MARK = 0x20f;
export const LOCK_TRY = 0x210;
export const LOCK_ACQUIRE = 0x211;
export const LOCK_RELEASE = 0x212;
export const RX_PACKET = 0x214;
export const TX_PACKET = 0x215;
export const RX_USER = 0x216;
export const TX_USER = 0x217;
export const LINK_SPEED = 0x218;
export const RESOURCE = 0x219;
export const ENQUEUE = 0x21a;
export const DEQUEUE = 0x21b;
export const FREQUENCY_NOTICE = 0x21c;
export const TSDELTA = 0x21d;
export const MONITOR_STORE = 0x21e;
export const MONITOR_EXIT = 0x21f;
export const PC_USER = 0x280;
export const PC_KERNEL = 0x281;
export const LOCK_HELD = 0x282;
export const LOCK_WANTED = 0x283;
export const WAIT_FIRST = 0x300;
export const SCHEDULER = 0xdff;
export const SCHEDULER_OLD = 0x9ff;
export const USER = 0x10000;
export const IDLE = 0x10000;
export const C_EXIT = 0x20000;
export const LOSS_SPAN = 0x20001;
export const HIDDEN_SPAN = 0x20002;

/** Kinds of span: enum SpanKind. */
export const KIND = Object.freeze({
  user: 0,
  kernelThread: 1,
  syscall: 2,
  trap: 3,
  irq: 4,
  softirq: 5,
  scheduler: 6,
  idle: 7,
  idleLowPower: 8,
  cExit: 9,
  hidden: 10,
  loss: 11,
  wait: 12,
  lockHeld: 13,
  lockWanted: 14,
  queued: 15,
  rpc: 16,
  message: 17,
  frequency: 18,
  sample: 19,
  mark: 20,
  point: 21,
  rename: 22,
  wakeupArc: 23,
  ipiArc: 24,
});

/** So many of them say what a CPU did; the others lie over that. */
export const EXECUTION_KINDS = 12;

/** What has a row beside CPUs and threads: enum ObjectSort. */
export const OBJECT = Object.freeze({
  rpc: 0,
  lock: 1,
  queue: 2,
  frequency: 3,
  network: 4,
  marks: 5,
});

/** Flags of a thread. */
export const THREAD = Object.freeze({
  kernelThread: 1,
  recorder: 2,
  command: 4,
});

/** What a span of a kind that can be a call is: enum CallPiece. */
export const PIECE = Object.freeze({
  whole: 0,
  part: 1,
  last: 2,
  ofOther: 3,
});

/** What of a call was not seen; they may be added. */
export const INFERRED = Object.freeze({
  begin: 1,
  end: 2,
});

/** In place of the number of reasons that a call waited for: as the call before. */
export const SAME_WAITS = 27;

/** Why something was lost: enum kutrace_loss_reason. */
export const LOSS_REASONS = Object.freeze([
  'unknown',
  'buffer full',
  'missed hook',
  'disk',
  'overwritten',
  'limit reached',
  'damaged or missing block',
  'CPU offline',
  'not in the file of spans',
  'unseen switch',
]);
