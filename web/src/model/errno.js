// SPDX-License-Identifier: BSD-3-Clause
// Linux error numbers that system calls return.

const NAMES = ('EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES '
  + 'EFAULT ENOTBLK EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY '
  + 'EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK ENAMETOOLONG ENOLCK ENOSYS '
  + 'ENOTEMPTY ELOOP').split(' ');

/** @type {Record<number, string>} */
const LATER = {
  42: 'ENOMSG', 61: 'ENODATA', 62: 'ETIME', 71: 'EPROTO', 75: 'EOVERFLOW', 84: 'EILSEQ',
  88: 'ENOTSOCK', 90: 'EMSGSIZE', 95: 'EOPNOTSUPP', 97: 'EAFNOSUPPORT', 98: 'EADDRINUSE',
  99: 'EADDRNOTAVAIL', 101: 'ENETUNREACH', 103: 'ECONNABORTED', 104: 'ECONNRESET', 105: 'ENOBUFS',
  106: 'EISCONN', 107: 'ENOTCONN', 110: 'ETIMEDOUT', 111: 'ECONNREFUSED', 113: 'EHOSTUNREACH',
  114: 'EALREADY', 115: 'EINPROGRESS', 116: 'ESTALE', 125: 'ECANCELED',
};

/** @param {number} number @returns {string | undefined} */
export const errnoName = (number) => NAMES[number - 1] ?? LATER[number];

const LAST = 133;
const NONE = [41, 58];
/** That only the kernel and its tracers see: a signal came, and the call is to be made again. */
const OF_KERNEL = [512, 513, 514, 515, 516];

/** Whether a call that returned this failed. @param {number} low  16 bits */
export function isError(low) {
  const number = 65536 - low;
  return (number >= 1 && number <= LAST && !NONE.includes(number)) || OF_KERNEL.includes(number);
}

const LATER_NAMES = new Map(Object.entries(LATER).map(([number, name]) => [name, Number(number)]));

/** @param {string} name in any case @returns {number} 0: no such error */
export function errnoNumber(name) {
  const wanted = name.toUpperCase();
  return NAMES.indexOf(wanted) + 1 || (LATER_NAMES.get(wanted) ?? 0);
}
