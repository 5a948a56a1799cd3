// SPDX-License-Identifier: BSD-3-Clause
// What each rule of doc/spans.md repaired, in a line for people.

/** @type {Record<string, string>} */
export const REPAIR_TEXT = {
  missing_return: 'a call’s return was not seen; it ended where the next event proves it had',
  return_without_call: 'a return whose call was not seen; the open span became that call',
  return_number_lost: 'a return without its number ended the system call below it',
  missing_sched_return: 'the scheduler’s return was not seen; it ended at the switch',
  resumed_in_user: 'a thread had left its call unseen; it was in user mode since the switch',
  bh_closes_reschedule: 'an older kernel ended a reschedule interrupt as a softirq',
  switch_to_running_thread: 'a switch to the thread that already ran',
  block_pid_mismatch: 'a switch was lost; the time since the last event became loss',
  unseen_switch: 'another thread ran than the one last switched to; that time became loss',
  fork_is_wakeup: 'a new thread was taken as woken where its creator’s call returned',
  late_store: 'an entry that was stored late went back to its time',
  time_clamped: 'an event older than the open span took that span’s start',
  stack_overflow: 'more than 7 calls in one another; the innermost was dropped',
  c_exit_measured: 'an interrupt measured how long its CPU took to wake',
};
