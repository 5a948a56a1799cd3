/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What GCC and Clang call for -pg -mfentry before a function's own code, and GCC for
 * -minstrument-return=call before its return: with arguments, or results, in their registers. All of these
 * stay as they are; of vectors their lower 16 bytes, as nothing here writes the upper ones.
 */
#if defined(__x86_64__)

	.section .note.GNU-stack, "", @progbits
	.text
	.hidden kutrace_functions_depth_
	.hidden kutrace_fentry_
	.hidden kutrace_return_

	/*
	 * Keeps what may hold an argument or a result, and aligns the stack, which the compiler does not do for
	 * calls between functions that it knows. %rbp is the stack pointer with the registers on top.
	 */
	.macro KEEP
	.irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rbp
	push %\register
	.cfi_adjust_cfa_offset 8
	.endr
	.cfi_rel_offset rbp, 0
	mov %rsp, %rbp
	.cfi_def_cfa_register rbp
	sub $128, %rsp
	and $-16, %rsp
	.irp number, 0, 1, 2, 3, 4, 5, 6, 7
	movaps %xmm\number, \number * 16(%rsp)
	.endr
	.endm

	.macro GIVE_BACK
	.irp number, 0, 1, 2, 3, 4, 5, 6, 7
	movaps \number * 16(%rsp), %xmm\number
	.endr
	mov %rbp, %rsp
	.cfi_def_cfa_register rsp
	.irp register, rbp, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	pop %\register
	.cfi_adjust_cfa_offset -8
	.endr
	.cfi_restore rbp
	.endm

	.set KEPT, 10 * 8

	.globl __fentry__
	.type __fentry__, @function
__fentry__:
	.cfi_startproc
	cmpl $0, kutrace_functions_depth_(%rip)
	jle 1f
	KEEP
	mov KEPT(%rbp), %rdi	/* behind the call in the function, which is no more than 6 bytes long */
	sub $5, %rdi
	lea KEPT + 8(%rbp), %rsi
	call kutrace_fentry_
	GIVE_BACK
1:	ret
	.cfi_endproc
	.size __fentry__, . - __fentry__

	.globl __return__
	.type __return__, @function
__return__:
	.cfi_startproc
	cmpl $0, kutrace_functions_depth_(%rip)
	jle 1f
	KEEP
	lea KEPT + 8(%rbp), %rdi
	call kutrace_return_
	GIVE_BACK
1:	ret
	.cfi_endproc
	.size __return__, . - __return__

#endif
