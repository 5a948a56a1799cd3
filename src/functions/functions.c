// SPDX-License-Identifier: BSD-3-Clause
// What a compiler's hooks say of functions, as entries of a trace. In: a function begins, or ends,
// and where the stack is; out: the function's number and depth, as marks go (mark.h), and once in a
// while its name.
//
// Each thread has a list of its functions that are open. One that was left without its hook
// (longjmp, an exception) is known by the stack: what stands below the stack pointer is over. Where
// a signal interrupts a hook, the functions of its handler have a list of their own, one deeper.
#define _GNU_SOURCE
#include "kutrace/functions.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

// Handlers that interrupt a hook in one another, and the thread itself.
#define LEVELS 4

// The functions of one level stand together, above those of the level that was interrupted.
struct level {
  unsigned first;     // of its functions
  unsigned open;      // behind the last of them
  unsigned beyond;    // calls that are open and deeper than what is told
  uint32_t left_out;  // calls, since it was said last
  uintptr_t working;  // where a hook works on it stands on the stack; 0: none does
};

struct thread_functions {
  struct level level[LEVELS + 1];  // of the last, calls that are left out
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

// Takes a whole number that fits from the front of a text.
static int take_number(const char** text, uint64_t* number) {
  const char* const begin = *text;
  *number = 0;
  for (; **text >= '0' && **text <= '9'; ++*text) {
    if (__builtin_mul_overflow(*number, 10, number) ||
        __builtin_add_overflow(*number, (uint64_t)(**text - '0'), number))
      return 0;
  }
  return *text != begin;
}

// "10us", to nanoseconds.
static int read_time(const char* text, uint64_t* ns) {
  static const struct {
    const char* text;
    uint64_t ns;
  } units[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
  if (!take_number(&text, ns)) return 0;
  for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); ++i)
    if (strcmp(text, units[i].text) == 0) return !__builtin_mul_overflow(*ns, units[i].ns, ns);
  return 0;
}

static int read_depth(const char* text, uint64_t* depth) {
  return take_number(&text, depth) && *text == '\0';
}

static void complain(const char* text) {
  const ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
}

static void read_environment(void) {
  const char* const state = getenv("KUTRACE_FUNCTIONS");
  const char* const depth = getenv("KUTRACE_FUNCTIONS_DEPTH");
  const char* const shortest = getenv("KUTRACE_FUNCTIONS_LEAST");
  uint64_t wanted = KUTRACE_FUNCTIONS_DEPTH;
  uint64_t ns = 0;
  if (depth != NULL && !read_depth(depth, &wanted)) {
    complain("kutrace: KUTRACE_FUNCTIONS_DEPTH is no whole number, so it is 64\n");
    wanted = KUTRACE_FUNCTIONS_DEPTH;
  }
  if (shortest != NULL && !read_time(shortest, &ns)) {
    complain("kutrace: KUTRACE_FUNCTIONS_LEAST is no time such as 10us, so all calls are told\n");
    ns = 0;
  }
  if (state != NULL && strcmp(state, "off") == 0) wanted = 0;
  kutrace_tell_functions(
      (unsigned)(wanted < KUTRACE_FUNCTION_DEPTHS ? wanted : KUTRACE_FUNCTION_DEPTHS), ns);
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

static void tell_left_out(struct level* t) {
  if (t->left_out == 0) return;
  kutrace_addevent(KUTRACE_FUNCTIONS_LEFT_OUT, t->left_out);
  t->left_out = 0;
}

// The innermost that is open ends.
static void end_last(struct level* t) {
  const unsigned open = t->open;
  if (open == t->first) return;
  const struct open_function* const f = &here.function[open - 1];
  t->open = open - 1;
  t->beyond = 0;
  if (f->began == 0) {
    tell_left_out(t);
    kutrace_tell_name_(f->number);  // a recording may have begun since
    kutrace_addevent(KUTRACE_FUNCTION_LEAVE, with_depth(open - 1, f->number));
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
             with_depth(open - 1, f->number);
  words[1] = took;
  words[2] = t->left_out;
  t->left_out = 0;
  kutrace_call_(KUTRACE_CMD_INSERTN, (uint64_t)(uintptr_t)words, KUTRACE_FUNCTION_WORDS * 8);
}

static void end_down_to(struct level* t, unsigned open) {
  while (t->open > open) end_last(t);
}

// ---- levels ------------------------------------------------------------------------------------

// Whether a handler runs here on a stack of its own, so that other functions stand elsewhere.
static int on_signal_stack(void) {
  stack_t stack;
  return sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0;
}

// Whether a hook at `stack` runs within the one that works on this level. What is not below that one
// is not within it, but what comes after a handler that has left both by longjmp.
static int is_interrupted(const struct level* t, uintptr_t stack) {
  return t->working != 0 && (stack < t->working || on_signal_stack());
}

// What handlers have told while a hook worked on this level is over.
static void take_over(struct level* t) {
  struct level* const above = t + 1;
  if (above->open != above->first) end_down_to(above, above->first);
  if (above->left_out != 0) t->left_out += __atomic_exchange_n(&above->left_out, 0, __ATOMIC_RELAXED);
}

// The hooks that work on this level and those above were left by longjmp.
static void take_back(struct level* t) {
  for (struct level* above = &here.level[LEVELS]; above != t; --above) {
    above->working = 0;
    take_over(above - 1);
  }
}

// The level on which a hook at `stack` may work; null: there are too many handlers in one another.
static struct level* begin_hook(uintptr_t stack) {
  struct level* t = here.level;
  while (is_interrupted(t, stack))
    if (++t == &here.level[LEVELS]) return NULL;
  if (t->working != 0) take_back(t);
  // The one that was interrupted may be about to write one more.
  if (t != here.level && t->open == t->first) t->first = t->open = (t - 1)->open + 1;
  t->working = stack;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return t;
}

static void end_hook(struct level* t) {
  take_over(t);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  t->working = 0;
}

// One call for which there is no level; those that have one may be counting just now.
static void count_left_out(void) {
  __atomic_fetch_add(&here.level[LEVELS].left_out, 1, __ATOMIC_RELAXED);
}

// Whether somebody listens; where nobody does, nothing is open.
static int is_heard(void) {
  struct level* const t = here.level;
  if (kutrace_listening()) return 1;
  t->open = 0;
  t->beyond = 0;
  t->left_out = 0;
  return 0;
}

// ---- begins ------------------------------------------------------------------------------------

// Whether a function that began with this stack pointer is over when another one begins with
// `stack`.
static int is_over(const struct open_function* f, uintptr_t stack, int exact) {
  return f->stack < stack || (f->stack == stack && exact && f->hook == NULL);
}

// Functions that left without telling.
static void end_abandoned(struct level* t, const struct open_function* next) {
  while (t->open > t->first) {
    const struct open_function* const last = &here.function[t->open - 1];
    if (!is_over(last, next->stack, next->hook == NULL)) break;
    if (next->stack - last->stack > FAR_BYTES && on_signal_stack()) return;
    end_last(t);
  }
  // Of functions with the same stack pointer, each lies in the one before it, as part of its code.
  // A hook that calls once more has left what it began; another caller is called from elsewhere.
  unsigned same = t->open;
  while (same > t->first && here.function[same - 1].stack == next->stack) --same;
  for (unsigned at = same; at < t->open; ++at) {
    if (here.function[at].hook != next->hook && here.function[at].caller == next->caller) continue;
    while (t->open > at) end_last(t);
  }
}

static void begin_function(struct open_function next) {
  const int depth = __atomic_load_n(&kutrace_functions_depth_, __ATOMIC_ACQUIRE);
  if (depth <= 0 || !is_heard()) return;
  struct level* const t = begin_hook(next.stack);
  if (t == NULL) return count_left_out();
  end_abandoned(t, &next);
  const unsigned open = t->open;
  if (open >= (unsigned)depth) {
    ++t->beyond;
    ++t->left_out;
  } else {
    next.number = kutrace_function_number_(next.code);
    if (__atomic_load_n(&least, __ATOMIC_RELAXED) != 0) {
      next.began = now();
    } else {
      kutrace_tell_name_(next.number);
      kutrace_addevent(KUTRACE_FUNCTION_ENTER, with_depth(open, next.number));
    }
    here.function[open] = next;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->open = open + 1;
  }
  end_hook(t);
}

// ---- ends --------------------------------------------------------------------------------------

// The stack pointer at its end need not be that at its begin: the compiler may have moved it down
// for an array, or up to where the caller left it.
static void end_by_code(struct level* t, const void* code, const void* caller,
                        uintptr_t stack) {
  unsigned innermost = 0;
  unsigned outermost = 0;  // of those that can have come down to here; both count from 1
  for (unsigned at = t->open; at > t->first; --at) {
    const struct open_function* const f = &here.function[at - 1];
    if (f->code != code || f->caller != caller) continue;
    if (innermost == 0) innermost = at;
    if (f->stack > stack) break;
    // One with the stack pointer of another lies in it, and is not yet over.
    if (outermost == 0 || f->stack > here.function[outermost - 1].stack) outermost = at;
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
static void end_exact(struct level* t, uintptr_t stack) {
  while (t->open > t->first && here.function[t->open - 1].stack < stack) end_last(t);
  if (t->open > t->first && here.function[t->open - 1].stack == stack)
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
  if (kutrace_functions_depth_ <= 0 || !is_heard()) return;
  const uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
  struct level* const t = begin_hook(stack);
  if (t == NULL) return;
  end_by_code(t, function, call_site, stack);
  end_hook(t);
}

void kutrace_fentry_(const void* code, const uintptr_t* stack) {
  begin_function((struct open_function){
      .stack = (uintptr_t)stack, .code = code, .caller = (const void*)*stack});
}

void kutrace_return_(uintptr_t stack) {
  struct level* const t = is_heard() ? begin_hook(stack) : NULL;
  if (t == NULL) return;
  end_exact(t, stack);
  end_hook(t);
}

// What exit() leaves open in its thread.
__attribute__((destructor(101))) static void finish(void) {
  if (kutrace_functions_depth_ <= 0 || !is_heard()) return;
  struct level* const t = begin_hook((uintptr_t)__builtin_frame_address(0));
  if (t == NULL) return;
  end_down_to(t, t->first);
  end_hook(t);
  tell_left_out(t);
}
