/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Labels of marks that are more than six letters of base 40. In a mark stands a number of 32 bits, made from
 * the label, that no six letters have; what it stands for is told by name entries of the kind of locks, whose
 * own numbers have 16 bits, with this number. A label of more than KUTRACE_NAME_BYTES is told in pieces: each but
 * the last is KUTRACE_LABEL_PIECE bytes, a zero, and the number (in the processor's order of bytes) that
 * stands for the rest.
 */
#ifndef KUTRACE_LABELS_H
#define KUTRACE_LABELS_H

#define KUTRACE_FIRST_LONG_LABEL 4096000000u /* 40 to the power of 6 */
#define KUTRACE_LABEL_PIECE 51u
#define KUTRACE_LABEL_BYTES 1024u /* the most of a label */

/*
 * Names of functions are told in the same way, with numbers of 24 bits between those of locks and those of
 * labels: a program's own (kutrace/functions.h), and those that the recorder gives to functions that it probes.
 */
#define KUTRACE_FIRST_FUNCTION 0x10000u
#define KUTRACE_FIRST_PROBED_FUNCTION 0x800000u
#define KUTRACE_FUNCTION_MASK 0xffffffu

#endif
