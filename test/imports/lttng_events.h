// SPDX-License-Identifier: BSD-3-Clause
// Tracepoints of a program with the names and fields that LTTng has for the kernel's: what its
// tracer of user space writes of them tells of switches and calls. Its headers include this one
// several times.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER kutrace_story
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_events.h"

#if !defined(KUTRACE_TEST_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define KUTRACE_TEST_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>

// clang-format off
LTTNG_UST_TRACEPOINT_EVENT(kutrace_story, sched_switch,
  LTTNG_UST_TP_ARGS(int, from, long, state, int, to),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_array_text(char, prev_comm, from == 0 ? kIdleComm : kStoryComm, 16)
    lttng_ust_field_integer(int, prev_tid, from)
    lttng_ust_field_integer(int, prev_prio, 20)
    lttng_ust_field_integer(long, prev_state, state)
    lttng_ust_field_array_text(char, next_comm, to == 0 ? kIdleComm : kStoryComm, 16)
    lttng_ust_field_integer(int, next_tid, to)
    lttng_ust_field_integer(int, next_prio, 20)))

LTTNG_UST_TRACEPOINT_EVENT(kutrace_story, sched_waking,
  LTTNG_UST_TP_ARGS(int, woken, int, cpu),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_string(comm, kStoryComm)
    lttng_ust_field_integer(int, tid, woken)
    lttng_ust_field_integer(int, prio, 20)
    lttng_ust_field_integer(int, target_cpu, cpu)))

// As perf has them: LTTng has an event of its own for each call, none of which may have a provider.
LTTNG_UST_TRACEPOINT_EVENT(kutrace_story, sys_enter,
  LTTNG_UST_TP_ARGS(long, call, const unsigned long*, arguments),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(long, id, call)
    lttng_ust_field_array(unsigned long, args, arguments, 6)))

LTTNG_UST_TRACEPOINT_EVENT(kutrace_story, sys_exit,
  LTTNG_UST_TP_ARGS(long, call, long, result),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(long, id, call)
    lttng_ust_field_integer(long, ret, result)))

LTTNG_UST_TRACEPOINT_EVENT(kutrace_story, irq_softirq_entry,
  LTTNG_UST_TP_ARGS(unsigned, number),
  LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(unsigned, vec, number)))

LTTNG_UST_TRACEPOINT_EVENT(kutrace_story, irq_softirq_exit,
  LTTNG_UST_TP_ARGS(unsigned, number),
  LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(unsigned, vec, number)))

LTTNG_UST_TRACEPOINT_EVENT(kutrace_story, irq_handler_entry,
  LTTNG_UST_TP_ARGS(int, number),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(int, irq, number)
    lttng_ust_field_string(name, "story")))

LTTNG_UST_TRACEPOINT_EVENT(kutrace_story, irq_handler_exit,
  LTTNG_UST_TP_ARGS(int, number),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(int, irq, number)
    lttng_ust_field_integer(int, ret, 1)))

// Unknown to who reads traces of the kernel.
LTTNG_UST_TRACEPOINT_EVENT(kutrace_story, chapter,
  LTTNG_UST_TP_ARGS(double, weight),
  LTTNG_UST_TP_FIELDS(lttng_ust_field_float(double, weight, weight)))
// clang-format on

#endif

#include <lttng/tracepoint-event.h>
