/* SPDX-License-Identifier: BSD-3-Clause */
/* A 32-bit ARM program: getppid a hundred times, with an argument that tells it, and exit. */
	.syntax unified
	.text
	.globl _start
_start:
	mov	r4, #100
again:
	movw	r0, #0x5a5a
	mov	r7, #64
	svc	#0
	subs	r4, r4, #1
	bne	again
	mov	r0, #0
	mov	r7, #1
	svc	#0
