// SPDX-License-Identifier: BSD-3-Clause
// What each rule of doc/spans.md and doc/span-json.md repaired or found damaged, in a line for people.

/** @type {Record<string, string>} */
export const REPAIR_TEXT = {
  missing_return: 'a call’s return was not seen; it ended where the next event proves it had',
  return_without_call: 'a return whose call was not seen; the open span became that call',
  fault_failed: 'a page fault that could not be resolved, or is taken again; it ended where the next event proves it had',
  began_before_start: 'a thread was in a call when the recording began',
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
  json_rounding_gap: 'a gap of up to 10 ns went to the span before it',
  json_zero_length: 'a span without length was left out',
  json_overlap: 'two spans of one CPU overlapped; the earlier one ends where the later one starts',
  json_unsorted: 'a span that stood behind later ones was put in order',
  json_drawing_left_out: 'something that was drawn by hand was left out',
  json_cut: 'the list of spans does not end; it was read as far as it goes',
  json_record_unreadable: 'a record that could not be read was left out',
  json_record_of_other_shape: 'a record that is no span was left out',
  json_record_without_meaning: 'a span of an unknown event, of negative length or of an impossible time was left out',
  json_tail_unreadable: 'what stands behind the spans could not be read',
  packed_input_cut: 'the packed data end early',
  c_exit_measured: 'an interrupt measured how long its CPU took to wake',
};
