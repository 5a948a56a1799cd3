// SPDX-License-Identifier: BSD-3-Clause
// Linux error numbers that system calls return, as src/format/errno_name.cpp names them.

/** From 1 on; "-": there is none. */
const NAMES = ('EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT ENOTBLK EBUSY EEXIST EXDEV '
  + 'ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK '
  + 'ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP - ENOMSG EIDRM ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG EUNATCH ENOCSI EL2HLT '
  + 'EBADE EBADR EXFULL ENOANO EBADRQC EBADSLT - EBFONT ENOSTR ENODATA ETIME ENOSR ENONET ENOPKG EREMOTE ENOLINK EADV '
  + 'ESRMNT ECOMM EPROTO EMULTIHOP EDOTDOT EBADMSG EOVERFLOW ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD ELIBSCN ELIBMAX '
  + 'ELIBEXEC EILSEQ ERESTART ESTRPIPE EUSERS ENOTSOCK EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT '
  + 'ESOCKTNOSUPPORT EOPNOTSUPP EPFNOSUPPORT EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET '
  + 'ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN ESHUTDOWN ETOOMANYREFS ETIMEDOUT ECONNREFUSED EHOSTDOWN EHOSTUNREACH '
  + 'EALREADY EINPROGRESS ESTALE EUCLEAN ENOTNAM ENAVAIL EISNAM EREMOTEIO EDQUOT ENOMEDIUM EMEDIUMTYPE ECANCELED ENOKEY '
  + 'EKEYEXPIRED EKEYREVOKED EKEYREJECTED EOWNERDEAD ENOTRECOVERABLE ERFKILL EHWPOISON').split(' ');

/** That only the kernel and its tracers see: a signal came, and the call is to be made again. */
const OF_KERNEL = ['ERESTARTSYS', 'ERESTARTNOINTR', 'ERESTARTNOHAND', 'ENOIOCTLCMD', 'ERESTART_RESTARTBLOCK'];
const FIRST_OF_KERNEL = 512;

/** @type {Map<number, string>} */
const NAME_OF = new Map([...NAMES.map((name, i) => /** @type {[number, string]} */ ([i + 1, name])).filter(([, name]) => name !== '-'),
  ...OF_KERNEL.map((name, i) => /** @type {[number, string]} */ ([FIRST_OF_KERNEL + i, name]))]);
const NUMBER_OF = new Map([...NAME_OF].map(([number, name]) => [name, number]));

/** @param {number} number @returns {string | undefined} */
export const errnoName = (number) => NAME_OF.get(number);

/** Whether a call that returned this failed. @param {number} held  low 16 bits, or more of a success that they make look like an error */
export const isError = (held) => NAME_OF.has(65536 - held);

/** @param {string} name in any case @returns {number} 0: no such error */
export const errnoNumber = (name) => NUMBER_OF.get(name.toUpperCase()) ?? 0;
