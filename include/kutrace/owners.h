/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Whose a thread is, in blocks that several users read: entries that name a thread which runs or
 * wakes (userpid, runnable) then have the owner's number above that of the thread. Such blocks never
 * leave the process that records; what a reader gets has the bits cleared.
 *
 * A thread has an owner if a user may look into it, by the rules of ptrace: his number is its real,
 * its effective and its saved one, the same is true of his group's, its memory may be dumped, it has
 * no capability but in a user namespace that he made, and it is none of the kernel. So no program
 * that runs with other rights than his is his. What a call changes of that holds from its end on; of
 * what a call ends up as, its return already tells nothing.
 */
#ifndef KUTRACE_OWNERS_H
#define KUTRACE_OWNERS_H

#define KUTRACE_OWNER_SHIFT 22 /* no kernel has threads beyond 2^22 */
#define KUTRACE_OWNERS_MOST 127u /* numbers of owners; 0: nobody who reads */
#define KUTRACE_OWNER_GROUP_SHIFT 32 /* in the key of an owner, above his user */
#define KUTRACE_OWNER_PID_MASK ((1u << KUTRACE_OWNER_SHIFT) - 1)

#endif
