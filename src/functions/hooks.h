// SPDX-License-Identifier: BSD-3-Clause
// What compilers call, and what hooks_x86_64.S calls for them. None of it may be instrumented.
#ifndef KUTRACE_FUNCTIONS_HOOKS_H
#define KUTRACE_FUNCTIONS_HOOKS_H

#include <stdint.h>

// -finstrument-functions. call_site: where the function returns to.
void __cyg_profile_func_enter(void* function, void* call_site);
void __cyg_profile_func_exit(void* function, void* call_site);

#pragma GCC visibility push(hidden)

// -pg -mfentry, and -minstrument-return=call. stack: where the function's return address stands.
void kutrace_fentry_(const void* code, const uintptr_t* stack);
void kutrace_return_(uintptr_t stack);

// How many functions in one another are told; 0: none, -1: not known yet.
extern int kutrace_functions_depth_;

#pragma GCC visibility pop

#endif
