// SPDX-License-Identifier: GPL-2.0-only
/*
 * kutrace-kmodsim [RUNS [SEED]]: runs so many schedules, from that seed on; without a seed, from
 * one that the clock gives. A failure names its seed; the same seed alone is the same schedule.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

enum { RUNS = 1000 };

static unsigned long long first, seed;

/* Called by the thread sanitizer. */
void __tsan_on_report(void* report);

void __tsan_on_report(void* report) {
  (void)report;
  sim_tell_seed();
}

/* All of it again, for what one recording leaves the next one finds. */
void sim_tell_seed(void) {
  fprintf(stderr, "the same again: kutrace-kmodsim %llu %llu\n", seed - first + 1, first);
}

static void run_one(void) {
  const u64 dice = seed * 0x9e3779b97f4a7c15;
  const struct sim_limits limits = {
      .switch_every = 2u << (dice >> 60 & 3) * 2,
      .delay_every = 4u << (dice >> 58 & 3),
      .interrupt_every = 8u << (dice >> 56 & 3) * 2,
      .fail_every = seed & 1 && dice >> 55 & 1 ? 30 : 0,
  };

  sim_plan(seed & 1 ? SIM_CHAOS : SIM_COUNTED, dice >> 16);
  account_begin(0);
  sim_prepare_cpus();
  if (sim_load_module() != 0) sim_fail("the module does not load");
  sim_run(seed, &limits);
  sim_unload_module();
  if (sim_allocated()) sim_fail("%zu pages are left", sim_allocated());
  if (sim_percpu_allocated()) sim_fail("%u per-CPU areas are left", sim_percpu_allocated());
}

int main(int count, char** arguments) {
  const int runs = count > 1 ? atoi(arguments[1]) : RUNS;
  unsigned long long steps = 0;

  first = count > 2 ? strtoull(arguments[2], NULL, 10) : (unsigned long long)time(NULL) << 20;
  printf("%d schedules from seed %llu\n", runs, first);
  sim_create_threads(sim_body, sim_in_irq_load, sim_in_nmi_load);
  for (seed = first; seed < first + (unsigned)runs; seed++) {
    run_one();
    steps += sim_steps();
  }
  printf("%llu steps: nothing hung, nothing was lost untold, nothing freed was touched\n", steps);
  return 0;
}
