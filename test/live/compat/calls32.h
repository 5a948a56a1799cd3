/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of 32-bit code by int 0x80, which 64-bit code can make, too. */
#ifndef KUTRACE_TEST_CALLS32_H
#define KUTRACE_TEST_CALLS32_H

static inline long call32(long number, long a, long b, long c) {
  long result;

  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"(number), "b"(a), "c"(b), "d"(c)
                   : "memory"
#ifdef __x86_64__
                     ,
                     "r8", "r9", "r10", "r11"
#endif
  );
  return result;
}

/* Numbers of 32-bit code; what the same number is in 64-bit code stands behind it. */
enum call32_number {
  EXIT_32 = 1,     /* write */
  READ_32 = 3,     /* close */
  WRITE_32 = 4,    /* stat */
  OPEN_32 = 5,     /* fstat */
  CLOSE_32 = 6,    /* lstat */
  WAITPID_32 = 7,  /* poll */
  EXECVE_32 = 11,  /* munmap */
  GETPID_32 = 20,  /* writev */
  DUP2_32 = 63,    /* uname */
  GETPPID_32 = 64, /* semget */
  VFORK_32 = 190,  /* lremovexattr */
  UNKNOWN_32 = 999,
};

#endif
