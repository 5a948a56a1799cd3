/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Calls of a program's own functions in a trace of it, without a line of its source changed: compile it with
 * -finstrument-functions (GCC, Clang), or for x86-64 with -pg -mfentry -minstrument-return=call (GCC), and
 * link it with libkutrace-functions.a. doc/functions.md says more.
 *
 * The environment says how much is told:
 *
 *   KUTRACE_FUNCTIONS=off         nothing
 *   KUTRACE_FUNCTIONS_DEPTH=8     functions in one another, 1 to 255 (64); deeper calls are counted
 *   KUTRACE_FUNCTIONS_LEAST=10us  only calls that take so long: told when they end; the others are counted
 */
#ifndef KUTRACE_FUNCTIONS_H
#define KUTRACE_FUNCTIONS_H

#include <stdint.h>

#define KUTRACE_FUNCTIONS_DEPTH 64u

#ifdef __cplusplus
extern "C" {
#endif

/* From here on; depth 0 reports nothing. least_ns 0: each call is reported at its begin and its end. */
void kutrace_tell_functions(unsigned depth, uint64_t least_ns);

#ifdef __cplusplus
}
#endif

#endif
