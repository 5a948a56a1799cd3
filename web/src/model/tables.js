// SPDX-License-Identifier: BSD-3-Clause
// Numbers that the page shares with the program: events, kinds of span, sorts of rows, flags of threads,
// pieces of calls, counters, reasons of losses. Made by make_tables.mjs from the program's sources: `npm run build` writes it anew.

// Events, KUTRACE_POINT and KUTRACE_PSEUDO of events.def.
export const RPC_REQUEST = 0x201;
export const RPC_RESPONSE = 0x202;
export const RPC_MIDDLE = 0x203;
export const RX_MESSAGE = 0x204;
export const RUNNABLE = 0x206;
export const SEND_IPI = 0x207;
export const MARK_A = 0x20a;
export const MARK_D = 0x20d;
export const RX_PACKET = 0x214;
export const TX_PACKET = 0x215;
export const RX_USER = 0x216;
export const TX_USER = 0x217;
export const CAPTURED = 0x245;
export const PC_KERNEL = 0x281;
export const LOCK_HELD = 0x282;
export const LOCK_WANTED = 0x283;
export const WAIT_FIRST = 0x300;
export const USER = 0x10000;
export const IDLE = 0x10000;
export const C_EXIT = 0x20000;

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
  function: 25,
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
  functionsShift: 8,
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

/** Added to the low 16 bits of a result: the call succeeded, though they look like an error's. */
export const SUCCESS = 0x10000;

/** In place of the number of reasons that a call waited for: as the call before. */
export const SAME_WAITS = 27;

/** What was counted of a trace, by name: the sentences of counters.def. */
export const COUNTERS = Object.freeze({
  c_exit_measured: 'an interrupt measured how long its CPU took to wake',
  call_not_reported: 'a system call returned that began unreported, as one that seccomp refuses; it has no duration',
  chrome_async_not_whole: 'an asynchronous slice has no begin, and was left out, or no end',
  chrome_event_left_out: 'an event of Chrome’s JSON that has no place among spans was left out',
  counter_turned_over: 'the time counter passed its largest value; times are right',
  event_of_group_off: 'an event of a group that was being switched on or off was left out',
  files_forgotten: 'too many descriptors were open at once; the files of earlier ones are not told',
  function_begin_not_seen: 'a function ended that had begun before it was seen; it is not shown',
  functions_left_out: 'calls of functions that were too deep or too short to be told',
  json_drawing_left_out: 'something that was drawn by hand was left out',
  json_unsorted: 'a span that stood behind later ones was put in order',
  late_store: 'an entry that was stored late went back to its time',
  began_before_start: 'a thread was in a call when the recording began',
  bh_closes_reschedule: 'an older kernel ended a reschedule interrupt as a softirq',
  block_pid_mismatch: 'a switch was lost; the time since the last event became loss',
  chrome_slice_overlap: 'a function began in another one and ended after it; both are shown as told',
  fault_failed: 'a page fault that could not be resolved, or is taken again; it ended where the next event proves it had',
  fork_is_wakeup: 'a new thread was taken as woken where its creator’s call returned',
  function_end_not_seen: 'a function was left unseen; it ended where the next event proves it had',
  json_overlap: 'two spans of one CPU overlapped; the earlier one ends where the later one starts',
  json_rounding_gap: 'a gap of up to 10 ns went to the span before it',
  json_zero_length: 'a span without length was left out',
  left_unseen: 'a thread ran on another CPU than the one it was last seen on; that one became loss',
  missing_return: 'a call’s return was not seen; it ended where the next event proves it had',
  missing_sched_return: 'the scheduler’s return was not seen; it ended at the switch',
  resumed_in_user: 'a thread had left its call unseen; it was in user mode since the switch',
  return_number_lost: 'a return without its number ended the system call below it',
  return_without_call: 'a return whose call was not seen; the open span became that call',
  signal_without_fault: 'a signal that ends page faults came, and none was open',
  stack_overflow: 'more than 7 calls in one another; the innermost was dropped',
  switch_to_running_thread: 'a switch to the thread that already ran',
  time_clamped: 'an event older than the open span took that span’s start',
  unseen_switch: 'another thread ran than the one last switched to; that time became loss',
  block_cpu_contradicted: 'a block whose entries and header name different CPUs was left out',
  block_cut_in_header: 'the file ends in the header of a block',
  block_order_contradicted: 'a block whose number and time contradict its neighbours was left out',
  block_time_outside: 'a block of a time outside the recording was left out',
  block_without_sequence: 'a block without a number, where others have one, was left out',
  clock_pair_distrusted: 'the start and stop times contradict the blocks, which set the clock instead',
  duplicate_block: 'a block that is in the file twice was read once',
  entry_bad_length: 'an entry of an impossible length was left out',
  entry_past_block_end: 'an entry that is longer than the rest of its block was left out',
  file_cut: 'the file ends in a block',
  json_cut: 'the list of spans does not end; it was read as far as it goes',
  json_record_of_other_shape: 'a record that is no span was left out',
  json_record_unreadable: 'a record that could not be read was left out',
  json_record_without_meaning: 'a span of an unknown event, of negative length or of an impossible time was left out',
  json_tail_unreadable: 'what stands behind the spans could not be read',
  loss_record_unusable: 'a record of a loss that contradicts the recording was left out',
  packed_input_cut: 'the packed data end early',
  recording_not_complete: 'blocks are missing at the end: the recorder was killed or the file was cut',
  tsdelta_refused: 'an entry about a gap contradicts its own time and was left out',
  version_contradicted: 'the version in the file contradicts its blocks, which were believed',
});

/** Keys of what is known of a trace: facts.def. */
export const FACT = Object.freeze({
  source: 'source',
  hooks: 'hooks',
  tickNs: 'tick_ns',
  clock: 'clock',
  startMonotonicNs: 'start_monotonic_ns',
  mode: 'mode',
  cpusOnline: 'cpus_online',
  uname: 'uname',
  bootId: 'boot_id',
  title: 'title',
  commandLine: 'cmdline',
  recorderPid: 'recorder_pid',
  commandPid: 'command_pid',
  events: 'events',
  groupsChange: 'groups_change',
  faultReturns: 'fault_returns',
  arguments: 'arguments',
  cgroups: 'cgroups',
  cgroup: 'cgroup',
  cgroupMoves: 'cgroup_moves',
  counterPeriod: 'counter_period_ns',
  counter: 'counter',
  reading: 'reading',
  otherRecorders: 'other_recorders',
  recordedThreads: 'recorded_threads',
  processesChange: 'processes_change',
  costNsPerEvent: 'cost_ns_per_event',
  unseen: 'unseen',
  blocks: 'blocks',
  costPercent: 'cost_percent',
  skippedRuns: 'skipped_runs',
  endedBy: 'ended_by',
  discardedEvents: 'discarded_events',
  trigger: 'trigger',
  triggersBefore: 'triggers_before',
  timeZero: 'time_zero',
  cut: 'cut',
  sourceEvents: 'source_events',
  filter: 'filter',
  leftOut: 'left_out',
  row: 'row',
  wallClock: 'wall_clock',
  linkSpeed: 'mbit_sec',
  extra: 'extra',
  callouts: 'callouts',
  savedView: 'savedview',
  saved: 'saved',
  firstBadByte: 'first_bad_byte',
});

/** What each of them says, by key. */
export const FACT_MEANINGS = Object.freeze({
  source: 'what recorded; its files keep this project’s rules',
  hooks: 'how the kernel called the source',
  tick_ns: 'nanoseconds per tick',
  clock: 'which clock the counter is',
  start_monotonic_ns: 'CLOCK_MONOTONIC at the start',
  mode: 'stream, fill or wrap',
  cpus_online: 'CPUs that were recorded',
  uname: 'system, host, release, version, machine',
  boot_id: 'this start of the machine, for which addresses hold',
  title: 'what the trace is to be called',
  cmdline: 'command line of the recorder',
  recorder_pid: 'process of the recorder',
  command_pid: 'process of the recorded command',
  events: 'groups of events that are recorded',
  groups_change: 'time in ns, groups that are recorded (+) or not (-) from then on; repeats',
  fault_returns: 'whether page faults have a return',
  arguments: 'system calls whose arguments are all recorded',
  cgroups: 'whether control groups of processes are told',
  cgroup: 'process, time in ns, path of its control group; repeats',
  cgroup_moves: 'whether each move to another control group is told, and when',
  counter_period_ns: 'time between two readings of counters',
  counter: 'number, level or total, unit, process, name; repeats',
  reading: 'time in ns, number=value of what changed; repeats',
  other_recorders: 'how many recorded already',
  recorded_threads: 'which threads are recorded',
  processes_change: 'time in ns, processes that are recorded (+) or not (-) from then on; repeats',
  cost_ns_per_event: 'what an event costs, in nanoseconds',
  unseen: 'a kind of event that is not seen; repeats',
  blocks: 'blocks in the file',
  cost_percent: 'events x cost, in percent of all CPUs’ time',
  skipped_runs: 'a hook whose runs were skipped; repeats',
  ended_by: 'what ended the recording',
  discarded_events: 'events that were overwritten',
  trigger: 'what asked for the snapshot, as JSON; repeats',
  triggers_before: 'triggers since the snapshot before, for which none was made',
  time_zero: 'counter at time 0 of the whole recording',
  cut: 'which piece of a recording this is',
  source_events: 'events of the trace that was filtered',
  filter: 'what a filter kept; repeats',
  left_out: 'spans that a filter left out; repeats',
  row: 'number and name of a row that is no CPU, as of a profile; repeats',
  wall_clock: 'the wall clock that the file names, where it is not plain',
  mbit_sec: 'speed of the network link',
  extra: 'what was drawn by hand, as JSON',
  callouts: 'callouts, as JSON',
  savedview: 'KUtrace’s saved views, as JSON',
  saved: 'a page’s saved views, as JSON',
  first_bad_byte: 'where damaged JSON begins',
});

/** Calls whose first argument is the file that they are about, and those that return one: interval_finder.cpp. */
export const NAMES_FILE = new Set(['read', 'write', 'readv', 'writev', 'pread64', 'pwrite64', 'preadv', 'pwritev', 'recvfrom', 'sendto', 'recvmsg', 'sendmsg', 'recvmmsg', 'sendmmsg', 'close', 'shutdown', 'fsync', 'fdatasync', 'sendfile', 'ftruncate', 'lseek', 'fallocate', 'splice', 'preadv2', 'pwritev2', 'connect', 'getdents64']);
export const RETURNS_FILE = new Set(['accept', 'accept4', 'open', 'openat', 'socket', 'openat2']);

/** Calls that make a thread, which returns from them as well: syscalls.cpp. */
export const MAKERS = new Set(['clone', 'clone3', 'fork', 'vfork']);

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
  'no CPU in the file',
]);
