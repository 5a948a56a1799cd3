// SPDX-License-Identifier: BSD-3-Clause
// What a compiler's hooks say of functions, as entries of a trace. In: a function begins, or ends,
// and where the stack is; out: the function's number and depth, as marks go (mark.h), and once in a
// while its name.
//
// Each thread has a list of its functions that are open. One that was left without its hook
// (longjmp, an exception) is known by the stack: what stands below the stack pointer is over. A
// signal's handler may interrupt all of this, so `busy` keeps it out.
#define _GNU_SOURCE
#include "kutrace/functions.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "functions/hooks.h"
#include "functions/names.h"
#include "kutrace/mark.h"

// A stack pointer so much higher than that of a function that is open: perhaps another stack.
#define FAR_BYTES (1ul << 20)

struct open_function {
  uintptr_t stack;  // pointer when it began
  const void* code;
  const void* caller;
  const void* hook;  // where it called the hook; null: its stack pointer is exact
  uint64_t began;    // ns; where calls are told when they end
  uint32_t number;
};

struct thread_functions {
  unsigned open;
  unsigned beyond;    // calls that are open and deeper than what is told
  uint32_t left_out;  // calls, since it was said last
  int busy;
  struct open_function function[KUTRACE_FUNCTION_DEPTHS];
};

static __thread struct thread_functions here;

int kutrace_functions_depth_ = -1;  // -1: the environment is not read yet
static uint64_t least;

void kutrace_tell_functions(unsigned depth, uint64_t least_ns) {
  __atomic_store_n(&least, least_ns, __ATOMIC_RELAXED);
  __atomic_store_n(&kutrace_functions_depth_,
                   (int)(depth < KUTRACE_FUNCTION_DEPTHS ? depth : KUTRACE_FUNCTION_DEPTHS),
                   __ATOMIC_RELEASE);
}

// "10us": nanoseconds. What is no time is 0.
static uint64_t nanoseconds(const char* text) {
  uint64_t value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + (uint64_t)(*text - '0');
  if (*text == 'u') return value * 1000;
  if (*text == 'm') return value * 1000000;
  return *text == 's' ? value * 1000000000 : value;
}

static void read_environment(void) {
  const char* const state = getenv("KUTRACE_FUNCTIONS");
  const char* const depth = getenv("KUTRACE_FUNCTIONS_DEPTH");
  const char* const shortest = getenv("KUTRACE_FUNCTIONS_LEAST");
  const int off = state != NULL && state[0] == 'o' && state[1] == 'f' && state[2] == 'f';
  const uint64_t wanted = depth != NULL ? nanoseconds(depth) : KUTRACE_FUNCTIONS_DEPTH;
  kutrace_tell_functions(
      off ? 0 : (unsigned)(wanted < KUTRACE_FUNCTION_DEPTHS ? wanted : KUTRACE_FUNCTION_DEPTHS),
      shortest != NULL ? nanoseconds(shortest) : 0);
}

// Files are opened while a program may still do so.
__attribute__((constructor(101))) static void begin(void) {
  if (kutrace_functions_depth_ >= 0) return;
  read_environment();
  if (kutrace_functions_depth_ <= 0) return;
  kutrace_look();
  kutrace_prepare_names_();
}

static uint64_t now(void) {
  struct timespec time = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint32_t with_depth(unsigned depth, uint32_t number) {
  return depth << KUTRACE_FUNCTION_DEPTH_SHIFT | number;
}

// ---- what is told ------------------------------------------------------------------------------

static void tell_begin(struct thread_functions* t, const struct open_function* f) {
  kutrace_addevent(KUTRACE_FUNCTION_ENTER, with_depth(t->open, f->number));
}

static void tell_left_out(struct thread_functions* t) {
  if (t->left_out == 0) return;
  kutrace_addevent(KUTRACE_FUNCTIONS_LEFT_OUT, t->left_out);
  t->left_out = 0;
}

// The innermost that is open ends.
static void end_last(struct thread_functions* t) {
  const struct open_function* const f = &t->function[--t->open];
  t->beyond = 0;
  if (f->began == 0) {
    tell_left_out(t);
    kutrace_tell_name_(f->number);  // a recording may have begun since
    kutrace_addevent(KUTRACE_FUNCTION_LEAVE, with_depth(t->open, f->number));
    return;
  }
  const uint64_t took = now() - f->began;
  if (took < __atomic_load_n(&least, __ATOMIC_RELAXED)) {
    ++t->left_out;
    return;
  }
  kutrace_tell_name_(f->number);
  uint64_t words[KUTRACE_MAX_WORDS] = {0};  // the kernel reads as many
  words[0] = (uint64_t)KUTRACE_WITH_WORDS(KUTRACE_KIND_FUNCTION, KUTRACE_FUNCTION_WORDS)
                 << KUTRACE_EVENT_SHIFT |
             with_depth(t->open, f->number);
  words[1] = took;
  words[2] = t->left_out;
  t->left_out = 0;
  kutrace_call_(KUTRACE_CMD_INSERTN, (uint64_t)(uintptr_t)words, KUTRACE_FUNCTION_WORDS * 8);
}

// ---- begins ------------------------------------------------------------------------------------

// Whether a handler runs here on a stack of its own, so that other functions stand elsewhere.
static int on_signal_stack(void) {
  stack_t stack;
  return sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0;
}

// Whether a function that began with this stack pointer is over when another one begins with
// `stack`.
static int is_over(const struct open_function* f, uintptr_t stack, int exact) {
  return f->stack < stack || (f->stack == stack && exact && f->hook == NULL);
}

// Functions that left without telling.
static void end_abandoned(struct thread_functions* t, const struct open_function* next) {
  while (t->open > 0) {
    const struct open_function* const last = &t->function[t->open - 1];
    if (!is_over(last, next->stack, next->hook == NULL)) break;
    if (next->stack - last->stack > FAR_BYTES && on_signal_stack()) return;
    end_last(t);
  }
  // Of functions with the same stack pointer, each lies in the one before it, as part of its code.
  // A hook that calls once more has left what it began; another caller is called from elsewhere.
  unsigned same = t->open;
  while (same > 0 && t->function[same - 1].stack == next->stack) --same;
  for (unsigned at = same; at < t->open; ++at) {
    if (t->function[at].hook != next->hook && t->function[at].caller == next->caller) continue;
    while (t->open > at) end_last(t);
  }
}

// Nothing to do for the caller, or somebody else's work is interrupted.
static int is_idle(struct thread_functions* t) {
  if (t->busy) return 1;
  if (kutrace_listening()) return 0;
  t->open = 0;
  t->beyond = 0;
  t->left_out = 0;
  return 1;
}

static void begin_function(struct open_function next) {
  struct thread_functions* const t = &here;
  const int depth = __atomic_load_n(&kutrace_functions_depth_, __ATOMIC_ACQUIRE);
  if (depth <= 0 || is_idle(t)) return;
  t->busy = 1;
  end_abandoned(t, &next);
  if (t->open >= (unsigned)depth) {
    ++t->beyond;
    ++t->left_out;
  } else {
    next.number = kutrace_function_number_(next.code);
    if (__atomic_load_n(&least, __ATOMIC_RELAXED) != 0) {
      next.began = now();
    } else {
      kutrace_tell_name_(next.number);
      tell_begin(t, &next);
    }
    t->function[t->open++] = next;
  }
  t->busy = 0;
}

// ---- ends --------------------------------------------------------------------------------------

static void end_down_to(struct thread_functions* t, unsigned open) {
  while (t->open > open) end_last(t);
}

// The stack pointer at its end need not be that at its begin: the compiler may have moved it down
// for an array, or up to where the caller left it.
static void end_by_code(struct thread_functions* t, const void* code, const void* caller,
                        uintptr_t stack) {
  unsigned innermost = 0;
  unsigned outermost = 0;  // of those that can have come down to here; both count from 1
  for (unsigned at = t->open; at > 0; --at) {
    const struct open_function* const f = &t->function[at - 1];
    if (f->code != code || f->caller != caller) continue;
    if (innermost == 0) innermost = at;
    if (f->stack > stack) break;
    // One with the stack pointer of another lies in it, and is not yet over.
    if (outermost == 0 || f->stack > t->function[outermost - 1].stack) outermost = at;
  }
  if (outermost != 0) {
    end_down_to(t, outermost - 1);
  } else if (t->beyond > 0) {
    --t->beyond;
  } else if (innermost != 0) {
    end_down_to(t, innermost - 1);
  }
}

// Its return address stands at `stack`.
static void end_exact(struct thread_functions* t, uintptr_t stack) {
  while (t->open > 0 && t->function[t->open - 1].stack < stack) end_last(t);
  if (t->open > 0 && t->function[t->open - 1].stack == stack)
    end_last(t);
  else if (t->beyond > 0)
    --t->beyond;
}

// ---- hooks -------------------------------------------------------------------------------------

void __cyg_profile_func_enter(void* function, void* call_site) {
  begin_function((struct open_function){.stack = (uintptr_t)__builtin_frame_address(0),
                                        .code = function,
                                        .caller = call_site,
                                        .hook = __builtin_return_address(0)});
}

void __cyg_profile_func_exit(void* function, void* call_site) {
  struct thread_functions* const t = &here;
  if (kutrace_functions_depth_ <= 0 || is_idle(t)) return;
  t->busy = 1;
  end_by_code(t, function, call_site, (uintptr_t)__builtin_frame_address(0));
  t->busy = 0;
}

void kutrace_fentry_(const void* code, const uintptr_t* stack) {
  begin_function((struct open_function){
      .stack = (uintptr_t)stack, .code = code, .caller = (const void*)*stack});
}

void kutrace_return_(uintptr_t stack) {
  struct thread_functions* const t = &here;
  if (is_idle(t)) return;
  t->busy = 1;
  end_exact(t, stack);
  t->busy = 0;
}

// What exit() leaves open in its thread.
__attribute__((destructor(101))) static void finish(void) {
  struct thread_functions* const t = &here;
  if (kutrace_functions_depth_ <= 0 || is_idle(t)) return;
  t->busy = 1;
  end_down_to(t, 0);
}
