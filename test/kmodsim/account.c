// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was inserted while all of it must be recorded, against what is in the blocks: each entry is
 * there once or counted as lost, in the order of time, with its own return.
 */
#include "events.h"
#include "put.h"
#include "sim.h"

enum { IDS = 1 << 16 };

static struct {
  u32 mode;
  u64 ids;      /* given out */
  s64 inserted; /* entries and returns */
  s64 stored, lost_told;
  u8 seen[IDS];
  u8 sequences[SIM_CPUS][IDS / 8];
  u64 blocks[SIM_CPUS];
} account;

void account_begin(u32 mode) {
  memset(&account, 0, sizeof(account));
  account.mode = mode;
}

void account_inserted(void) { __atomic_add_fetch(&account.inserted, 1, __ATOMIC_RELAXED); }

u64 account_next_id(void) {
  const u64 id = __atomic_fetch_add(&account.ids, 1, __ATOMIC_RELAXED);

  if (id >= IDS && account.mode) sim_fail("too many entries");
  return id % IDS;
}

u8 account_result_of(u64 id) { return (u8)(id * 37 % 100); }

static void see(u64 id) {
  if (account.seen[id]++) sim_fail("entry %llu is there twice", (unsigned long long)id);
}

/* A call holds its id; so does what else was inserted. */
static void take_entry(u64 word) {
  const u32 event = word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
  const u32 delta = word >> KUTRACE_DELTA_SHIFT & 0xff;
  const u64 id = word & 0xffff;

  if (event == KUTRACE_MARK_A) {
    see(id);
    account.stored++;
    return;
  }
  if (event != KUTRACE_SYSCALL64 && event != SIM_IRQ &&
      event != (KUTRACE_SYSCALL64 | KUTRACE_RETURN_BIT) && event != (SIM_IRQ | KUTRACE_RETURN_BIT))
    return;
  account.stored++;
  if (event & KUTRACE_RETURN_BIT) return;
  see(id);
  if (!delta) return;
  account.stored++;
  if ((u8)(word >> KUTRACE_RESULT_SHIFT) != account_result_of(id))
    sim_fail("entry %llu has another's return", (unsigned long long)id);
}

static void take_loss(const u64* words, u64 block_begin) {
  if (words[1] > words[2] || words[2] > block_begin)
    sim_fail("a loss from %llu to %llu in a block from %llu", (unsigned long long)words[1],
             (unsigned long long)words[2], (unsigned long long)block_begin);
  if (words[3] != KUTRACE_LOSS_UNKNOWN_COUNT) account.lost_told += words[3];
}

static void take_sequence(u32 cpu, u64 sequence) {
  u8* bits = &account.sequences[cpu][sequence % IDS / 8];

  if (*bits >> sequence % 8 & 1)
    sim_fail("CPU %u has two blocks %llu", cpu, (unsigned long long)sequence);
  *bits |= 1u << sequence % 8;
  account.blocks[cpu]++;
}

static void check_time(u64 word, u64 before, u32 event) {
  const u64 gap = ((word >> KUTRACE_TIME_SHIFT) - before) & KUTRACE_TIME_MASK;

  if (event != KUTRACE_TSDELTA && gap > KUTRACE_TSDELTA_TICKS)
    sim_fail("an entry is %llu ticks before the one before it",
             (unsigned long long)(KUTRACE_TIME_MASK + 1 - gap));
}

void account_told(const struct kutrace_block_info* info) {
  if (info->end < KUTRACE_HEADER_WORDS + KUTRACE_BLOCK_WORDS_USED ||
      info->end >= KUTRACE_BLOCK_WORDS || info->cpu >= SIM_CPUS)
    sim_fail("block %u was never begun: end %u", info->index, info->end);
}

static void account_entry(const struct kutrace_block_info* info, const u64* words, u64 begin) {
  const u32 event = *words >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
  const u32 kind = event & ~(KUTRACE_LENGTH_MASK << KUTRACE_LENGTH_SHIFT);

  if (event < 0x200 && kind == KUTRACE_KIND_LOSS)
    take_loss(words, begin);
  else if (event < 0x200 && kind == KUTRACE_KIND_BLOCK)
    take_sequence(info->cpu, words[1]);
  else if (event < 0x200 && kind == KUTRACE_KIND_PID_NAME)
    see(words[1]), account.stored++;
  else
    take_entry(*words);
}

static void walk_block(const struct kutrace_block_info* info,
                       void (*entry)(const struct kutrace_block_info* info, const u64* words,
                                     u64 begin)) {
  const u64* words = kutrace_buffer.blocks[info->index].words;
  const u64 begin = words[0] & KUTRACE_LOW56_MASK;
  u64 last = begin & KUTRACE_TIME_MASK;

  if (!begin) sim_fail("block %u was never begun", info->index);
  for (u32 i = KUTRACE_HEADER_WORDS; i < info->end;) {
    const u32 event = words[i] >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;

    if (!words[i]) sim_fail("block %u: word %u of %u is missing", info->index, i, info->end);
    check_time(words[i], last, event);
    last = words[i] >> KUTRACE_TIME_SHIFT;
    if (entry) entry(info, &words[i], begin);
    i += event < 0x200 ? event >> KUTRACE_LENGTH_SHIFT & KUTRACE_LENGTH_MASK : 1;
  }
  for (u32 i = info->end; i < KUTRACE_BLOCK_WORDS; i++)
    if (words[i]) sim_fail("block %u: word %u is behind its end %u", info->index, i, info->end);
}

void account_block(const struct kutrace_block_info* info) { walk_block(info, account_entry); }
void account_look(const struct kutrace_block_info* info) { walk_block(info, NULL); }

#if KUTRACE_CONTROL_VERSION > 6
static u64 lapped_of(const struct kutrace_status* status) { return status->lapped; }
#else
static u64 lapped_of(const struct kutrace_status* status) { return 0; }
#endif

/* What the reader did not get was overwritten, and he is told how many blocks. */
static void check_sequences(u64 lapped) {
  u64 missing = 0;

  for (u32 cpu = 0; cpu < SIM_CPUS; cpu++) {
    const u64 begun = per_cpu_ptr(&kutrace_cpu, cpu)->sequence;

    for (u64 i = 0; i < begun; i++) missing += !(account.sequences[cpu][i / 8] >> i % 8 & 1);
    if (account.blocks[cpu] > begun) sim_fail("CPU %u: more blocks than it began", cpu);
  }
  if (missing != lapped)
    sim_fail("%llu blocks are missing, of %llu the reader is told", (unsigned long long)missing,
             (unsigned long long)lapped);
}

void account_end(const struct kutrace_status* status, u64 lost_on_cpus) {
  const s64 missing = account.inserted - account.stored - (s64)status->lost;

  if (account.mode == KUTRACE_MODE_WRAP) {
    /* A word is an entry, or a call and its return. */
    if (missing < 0 || missing > 2 * (s64)status->discarded)
      sim_fail("%lld inserted, %lld stored, %lld lost, %lld words overwritten",
               (long long)account.inserted, (long long)account.stored, (long long)status->lost,
               (long long)status->discarded);
    return;
  }
  check_sequences(lapped_of(status));
  if (missing < 0 || missing > 2 * KUTRACE_BLOCK_WORDS * (s64)lapped_of(status))
    sim_fail("%lld inserted, %lld stored, %lld lost", (long long)account.inserted,
             (long long)account.stored, (long long)status->lost);
  /* What was overwritten may have told of losses. */
  if (!lapped_of(status) && account.lost_told + (s64)lost_on_cpus != (s64)status->lost)
    sim_fail("%lld lost, but %lld told in blocks and %lld by the CPUs", (long long)status->lost,
             (long long)account.lost_told, (long long)lost_on_cpus);
}
