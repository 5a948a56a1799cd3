/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Marks that a program puts into a trace of itself. C11 and C++17, nothing to link.
 *
 *   #include <kutrace/mark.h>
 *   kutrace_mark("load the index");    a label of any length, in UTF-8
 *   ...
 *   kutrace_mark("/load the index");   a leading / ends what the label began
 *   kutrace_mark_d(request_id);        a number
 *   KUTRACE_MARK_SCOPE("answer");      both marks of a block (GCC, Clang)
 *   kutrace_counter("queue", length);  a number that changes: a track on the page
 *   kutrace_mark_a("query");           a label of up to six of a-z 0-9 - . /, as KUtrace writes them
 *
 * RPCs, locks and queues have rows of their own (doc/spans.md):
 *
 *   kutrace_name_method(id, "get");                this RPC is one of method "get"
 *   kutrace_rpc_request(id, bytes); ... kutrace_rpc_response(id, bytes); kutrace_rpc_done();
 *   kutrace_async_begin(id, "fetch"); ... kutrace_async_end(id);   in another thread
 *   kutrace_name_lock(7, "table");
 *   kutrace_lock_try(7); ... kutrace_lock_acquired(7); ... kutrace_lock_released(7);
 *   kutrace_name_queue(2, "disk"); kutrace_enqueue(2); ... kutrace_dequeue(2);
 *
 * While nobody records, a mark is the read of a word: when the program starts it maps a page in
 * which recorders tell that they listen (listeners.h). While somebody does, a mark is one system
 * call that fails at once, and that a recorder which watches system calls sees: a write to a
 * descriptor that cannot be open, or, where the kernel module listens, call 1023, which no kernel
 * implements (KUtrace's own choice). errno is left as it was. A label that is longer than six letters,
 * or has other characters, becomes a number of 32 bits. Its text is sent with its first mark in each
 * 16th of a second, so that a recorder that starts later learns it. Where the page is not mapped, the
 * program has no such clock: the text is then sent with its first mark of every 8. What it costs:
 * doc/overhead.md.
 *
 * A program that calls kutrace_use_buffer() writes its marks to memory, where a recorder reads them:
 * one system call for 32 marks.
 *
 * A label or name that is NULL is left out.
 *
 * A mark does no harm under seccomp: a filter that lets a program write lets it make marks, and
 * strict mode does. Of a write it can do nothing but fail. Call 1023 is made only by programs that
 * had no filter when they started; one that installs a filter later calls kutrace_filtered() first.
 * One whose filter kills it for a write to other descriptors than it lists calls kutrace_mute().
 *
 * Where there is no such page (no recorder since the machine started, in a container), and in
 * programs that are linked statically, a mark is the write, whether somebody listens or not;
 * kutrace_look() maps the page in the latter. With KUTRACE_MARK_BY_CALL defined marks are call 1023
 * always, as KUtrace's own recorder knows them.
 *
 * A program can state only what is its own business: marks, RPCs, locks, queues, resources, the
 * hashes of its own messages, and names for these (events.def says which). All else would speak for
 * the kernel; a recorder refuses and counts it.
 */
#ifndef KUTRACE_MARK_H
#define KUTRACE_MARK_H

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kutrace/abi.h"
#include "kutrace/event_numbers.h"
#include "kutrace/labels.h"
#include "kutrace/listeners.h"
#include "kutrace/mark_buffer.h"

#ifdef __cplusplus
#ifdef __clang__ /* C's casts are the only ones that both languages have */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wold-style-cast"
#endif
extern "C" {
#endif

/* These are declared only with extensions, which a strict program may have switched off. */
long syscall(long number, ...)
#ifdef __cplusplus
    noexcept(true)
#endif
    ;
int clock_gettime(int clock, struct timespec *time)
#ifdef __cplusplus
    noexcept(true)
#endif
    ;

/* What a program knows of recorders: one for all its files. */
struct kutrace_marks_ {
	const struct kutrace_listeners *page; /* NULL: there is none */
	int was_looked_for;
	int filtered; /* unknown system calls may do harm */
};

extern __attribute__((visibility("hidden"))) struct kutrace_marks_ kutrace_marks_;
__attribute__((weak, visibility("hidden"))) struct kutrace_marks_ kutrace_marks_ = {NULL, 0, 0};

/* Whether marks are left in the threads' buffers, and the buffers. */
extern __attribute__((visibility("hidden"))) int kutrace_uses_buffers_;
__attribute__((weak, visibility("hidden"))) int kutrace_uses_buffers_ = 0;
extern __attribute__((visibility("hidden"))) __thread struct kutrace_mark_buffer kutrace_buffer_;
__attribute__((weak, visibility("hidden"))) __thread struct kutrace_mark_buffer kutrace_buffer_ = {
    0, 0, 0, 0, 0, 0, {{0, 0}}};

/* From here on the program has a filter of system calls. */
static inline void kutrace_filtered(void)
{
	kutrace_marks_.filtered = 1;
	kutrace_uses_buffers_ = 0;
}

/* From here on no marks: for a program whose own filter looks at what it writes to. */
static inline void kutrace_mute(void)
{
	static const struct kutrace_listeners nobody = {KUTRACE_LISTENERS_MAGIC, 0, 0, {0}, {0}};

	kutrace_marks_.page = &nobody;
}

/* The calls of a program's loader, which any filter that lets it start lets pass. */
static inline long kutrace_read_file_(const char *path, void *buffer, size_t bytes, const void **page)
{
	const long fd = syscall(SYS_openat, -100L /* AT_FDCWD */, path, O_RDONLY | 02000000L /* O_CLOEXEC */);
	long got;

	if (fd < 0)
		return -1;
	got = syscall(SYS_read, fd, buffer, bytes);
	if (page)
		*page = mmap(NULL, KUTRACE_LISTENERS_BYTES, PROT_READ, MAP_SHARED, (int)fd, 0);
	syscall(SYS_close, fd);
	return got;
}

/* Whether a filter of system calls is known not to be there; a kernel without filters reports none. */
static inline int kutrace_is_unfiltered_(void)
{
	static const char wanted[] = "\nSeccomp:\t";
	char status[4096];
	const long got = kutrace_read_file_("/proc/thread-self/status", status, sizeof(status), NULL);
	long i;

	for (i = 0; i + (long)sizeof(wanted) <= got; i++)
		if (memcmp(status + i, wanted, sizeof(wanted) - 1) == 0)
			return status[i + (long)sizeof(wanted) - 1] == '0';
	return got > 0 && got < (long)sizeof(status);
}

/*
 * Looks for the page of recorders, once. It opens, reads and maps a file, which a filter might not
 * allow; so it is done unasked only where the program's loader did the same before.
 */
static inline void kutrace_look(void)
{
	const int saved = errno;
	const void *page = MAP_FAILED;
	uint64_t magic = 0;

	if (kutrace_marks_.was_looked_for)
		return;
	kutrace_marks_.was_looked_for = 1;
	if (kutrace_read_file_(KUTRACE_LISTENERS_FILE, &magic, sizeof(magic), &page) == sizeof(magic) &&
	    magic == KUTRACE_LISTENERS_MAGIC && page != MAP_FAILED) {
		kutrace_marks_.filtered |= !kutrace_is_unfiltered_();
		kutrace_marks_.page = (const struct kutrace_listeners *)page;
	}
	errno = saved;
}

__attribute__((constructor)) static void kutrace_look_at_start_(void)
{
	if (getauxval(AT_BASE) != 0)
		kutrace_look();
}

/* By what marks can be heard now: KUTRACE_BY_WRITE and others, as bits; 0: nobody listens. */
static inline uint32_t kutrace_listening(void)
{
#ifdef KUTRACE_MARK_BY_CALL
	return KUTRACE_BY_CALL;
#else
	const struct kutrace_listeners *page = kutrace_marks_.page;

	return page ? __atomic_load_n(&page->carriers, __ATOMIC_RELAXED) : KUTRACE_BY_WRITE;
#endif
}

/*
 * From here on marks are left in a buffer of the thread that makes them, where recorders can read it:
 * each costs a reading of the clock, and a system call is made for one in 32 of them. To be said once, by
 * one of the files that make up the program (itself, or one of its libraries), and not before a program
 * goes into seccomp's strict mode, where to read the clock is to be killed. A program that had a filter
 * of system calls when it started goes on as before.
 */
static inline void kutrace_use_buffer(void)
{
	kutrace_look();
	kutrace_uses_buffers_ = kutrace_marks_.page != NULL && !kutrace_marks_.filtered;
}

/*
 * A recorder that knows the buffer reads on; to one that does not, those since the last time are new, or,
 * as it may have begun with this beat, the newest. What is noted comes after the call, as a signal's
 * handler may make marks before it.
 */
static inline void kutrace_tell_buffer_(struct kutrace_mark_buffer *buffer, uint32_t beat)
{
	const uint32_t marks = buffer->marks;
	const uint32_t from = buffer->beat == beat ? buffer->told : marks - 1;
	const int saved = errno;

	syscall(SYS_write, KUTRACE_BUFFER_FD, (uint64_t)(uintptr_t)buffer, (uint64_t)from);
	errno = saved;
	buffer->told = marks;
	buffer->beat = beat;
}

/*
 * Writes an entry of one word to the thread's buffer; 0: there is no room now. Whoever reads the buffer
 * does so on this CPU, in place of the thread: so the order of stores is all that matters, and the
 * compiler alone is to keep it.
 */
static inline int kutrace_leave_(uint64_t entry)
{
	struct kutrace_mark_buffer *buffer = &kutrace_buffer_;
	struct kutrace_buffered_mark *mark;
	struct timespec now = {0, 0};
	uint32_t marks, beat;

	if (buffer->busy) /* this is the handler of a signal that came while one was being left */
		return 0;
	buffer->busy = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	clock_gettime(1 /* CLOCK_MONOTONIC */, &now);
	marks = buffer->marks;
	mark = &buffer->mark[marks % KUTRACE_BUFFER_MARKS];
	mark->ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	mark->entry = entry;
	buffer->magic = KUTRACE_BUFFER_MAGIC ^ (uint64_t)(uintptr_t)buffer;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	buffer->marks = marks + 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	buffer->busy = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	beat = __atomic_load_n(&kutrace_marks_.page->beat, __ATOMIC_RELAXED);
	if (buffer->beat != beat || buffer->marks - buffer->told >= KUTRACE_BUFFER_MARKS / 2)
		kutrace_tell_buffer_(buffer, beat);
	return 1;
}

/* An entry by its address, or, of one word (0 bytes), by its value. */
static inline void kutrace_call_(uint64_t command, uint64_t argument, uint64_t bytes)
{
	const uint32_t carriers = kutrace_listening();
	int saved;

	if (!carriers)
		return;
	if (carriers & KUTRACE_BY_BUFFER && kutrace_uses_buffers_ && !bytes && kutrace_leave_(argument))
		return;
	saved = errno;
	if (carriers & KUTRACE_BY_CALL && !kutrace_marks_.filtered)
		syscall((long)KUTRACE_SYSCALL, command, argument);
	else if (carriers & KUTRACE_BY_WRITE)
		syscall(SYS_write, bytes ? KUTRACE_ENTRY_FD : KUTRACE_WORD_FD, argument, bytes);
	errno = saved;
}

/* A point event that events.def gives to programs, with its argument; others are refused. */
static inline void kutrace_addevent(uint64_t event, uint32_t argument)
{
	kutrace_call_(KUTRACE_CMD_INSERT1, event << KUTRACE_EVENT_SHIFT | argument, 0);
}

/* Up to six characters in base 40, the first in the lowest place. Others than a-z 0-9 - . / are '.'. */
static inline uint32_t kutrace_label(const char *text)
{
	uint32_t value = 0;
	uint32_t place = 1;
	int i;

	for (i = 0; i < 6 && text[i] != '\0'; i++) {
		const char c = text[i];
		uint32_t digit = 38;

		if (c >= 'a' && c <= 'z')
			digit = (uint32_t)(c - 'a') + 1;
		else if (c >= 'A' && c <= 'Z')
			digit = (uint32_t)(c - 'A') + 1;
		else if (c >= '0' && c <= '9')
			digit = (uint32_t)(c - '0') + 27;
		else if (c == '-')
			digit = 37;
		else if (c == '/')
			digit = 39;
		value += digit * place;
		place *= 40;
	}
	return value;
}

static inline void kutrace_mark_six_(uint64_t event, const char *label)
{
	if (label && kutrace_listening())
		kutrace_addevent(event, kutrace_label(label));
}

static inline void kutrace_mark_a(const char *label)
{
	kutrace_mark_six_(KUTRACE_MARK_A, label);
}

static inline void kutrace_mark_b(const char *label)
{
	kutrace_mark_six_(KUTRACE_MARK_B, label);
}

static inline void kutrace_mark_c(const char *label)
{
	kutrace_mark_six_(KUTRACE_MARK_C, label);
}

static inline void kutrace_mark_d(uint32_t number)
{
	kutrace_addevent(KUTRACE_MARK_D, number);
}

/* A name of 1 to KUTRACE_NAME_BYTES. */
static inline void kutrace_add_name_(uint64_t kind, uint32_t number, const char *name, size_t length)
{
	uint64_t entry[KUTRACE_MAX_WORDS] = {0};
	uint64_t words = 1 + (length + 7) / 8;

	memcpy(&entry[1], name, length);
	entry[0] = (kind | words << KUTRACE_LENGTH_SHIFT) << KUTRACE_EVENT_SHIFT | number;
	kutrace_call_(KUTRACE_CMD_INSERTN, (uint64_t)(uintptr_t)entry, words * 8);
}

/*
 * Names item `number` of a kind that events.def gives to programs (3 an RPC method, 7 a lock, 0x105 a
 * queue), for this process and those that it starts. At most 56 bytes of the name are kept.
 */
static inline void kutrace_addname(uint64_t kind, uint32_t number, const char *name)
{
	size_t length = name ? strlen(name) : 0;

	if (length > 0)
		kutrace_add_name_(kind, number, name, length < KUTRACE_NAME_BYTES ? length : KUTRACE_NAME_BYTES);
}

/* Whether text of this length can stand as it is in six letters of base 40. */
static inline int kutrace_is_short_(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (!((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= '0' && text[i] <= '9') ||
		      text[i] == '-' || text[i] == '.' || text[i] == '/'))
			return 0;
	/* What ends a label of six letters is cut. */
	return length <= 6 || (length == 7 && text[0] == '/');
}

/* The number that stands for a label: none that six letters have. Also for what a piece of it leaves. */
static inline uint32_t kutrace_label_number_(const char *text, size_t length)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	size_t i;

	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return KUTRACE_FIRST_LONG_LABEL + hash % (UINT32_MAX - KUTRACE_FIRST_LONG_LABEL);
}

/*
 * What a number stands for. A name entry holds 56 bytes; of a longer label each but the last ends, behind a
 * zero, with the number that stands for the rest.
 */
static inline void kutrace_name_text_(uint32_t number, const char *text, size_t length)
{
	char piece[KUTRACE_NAME_BYTES + 1] = {0};
	uint32_t rest;

	while (length > KUTRACE_NAME_BYTES) {
		memcpy(piece, text, KUTRACE_LABEL_PIECE);
		text += KUTRACE_LABEL_PIECE;
		length -= KUTRACE_LABEL_PIECE;
		rest = kutrace_label_number_(text, length);
		memcpy(piece + KUTRACE_NAME_BYTES - sizeof(rest), &rest, sizeof(rest));
		kutrace_add_name_(KUTRACE_KIND_LOCK_NAME, number, piece, KUTRACE_NAME_BYTES);
		number = rest;
	}
	kutrace_add_name_(KUTRACE_KIND_LOCK_NAME, number, text, length);
}

/*
 * The time in 16ths of a second, as recorders tell it; without them, in marks. No clock: in seccomp's strict
 * mode to read one is to be killed.
 */
static inline uint32_t kutrace_beat_(void)
{
	static uint32_t marks;

	if (kutrace_marks_.page)
		return __atomic_load_n(&kutrace_marks_.page->beat, __ATOMIC_RELAXED);
	return __atomic_fetch_add(&marks, 1, __ATOMIC_RELAXED) >> 3;
}

/* One number of 64 bits for a text and a moment: the same text has another at another moment. */
static inline uint64_t kutrace_text_at_(const char *text, size_t length, uint32_t beat)
{
	uint64_t hash = ((uint64_t)length << 32 | beat) + 1;
	uint64_t word;

	for (; length >= sizeof(word); text += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, text, length);
	return (hash ^ word) * 0x9e3779b97f4a7c15u;
}

/* Sends the name of a label, unless it was sent lately, and no other with its number since. */
static inline void kutrace_name_lately_(uint32_t number, const char *text, size_t length)
{
	static uint64_t sent[64]; /* which label, and when */
	uint64_t *slot = &sent[number % 64];
	const uint64_t now = kutrace_text_at_(text, length, kutrace_beat_());

	if (__atomic_load_n(slot, __ATOMIC_ACQUIRE) == now)
		return;
	kutrace_name_text_(number, text, length);
	/* Not before: another thread that finds it sent marks at once. Two at a time send it twice. */
	__atomic_store_n(slot, now, __ATOMIC_RELEASE);
}

/* A mark that somebody hears, of a label that need not end with a zero. */
static inline void kutrace_mark_text_(uint64_t event, const char *label, size_t length)
{
	char six[8] = {0};
	uint32_t number;

	if (kutrace_is_short_(label, length)) {
		memcpy(six, label, length);
		kutrace_addevent(event, kutrace_label(six));
		return;
	}
	number = kutrace_label_number_(label, length);
	kutrace_name_lately_(number, label, length);
	kutrace_addevent(event, number);
}

/*
 * A label of up to KUTRACE_LABEL_BYTES, or one less if it begins something, so that its end is as long. What
 * is longer is cut.
 */
static inline void kutrace_mark(const char *label)
{
	size_t length, most;

	if (!label || !kutrace_listening())
		return;
	length = strlen(label);
	most = label[0] == '/' ? KUTRACE_LABEL_BYTES : KUTRACE_LABEL_BYTES - 1;
	kutrace_mark_text_(KUTRACE_MARK_A, label, length < most ? length : most);
}

/*
 * A counter of the program's own is this now, and until it is another: a track on the page, rows of
 * `kutrace stat --every`. Threads of a process that count under one name count the same. A reading is a mark
 * c with the label "name=value".
 */
static inline void kutrace_counter(const char *name, int64_t value)
{
	char label[KUTRACE_LABEL_BYTES];
	char digits[20];
	uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	size_t length, n = 0;

	if (!name || !kutrace_listening())
		return;
	length = strlen(name);
	if (length > sizeof(label) - sizeof(digits) - 2)
		length = sizeof(label) - sizeof(digits) - 2;
	memcpy(label, name, length);
	label[length++] = '=';
	if (value < 0)
		label[length++] = '-';
	do
		digits[n++] = (char)('0' + left % 10);
	while ((left /= 10) != 0);
	while (n > 0)
		label[length++] = digits[--n];
	kutrace_mark_text_(KUTRACE_MARK_C, label, length);
}

/*
 * RPCs. The number, 1 to 65535, is the same at both ends; the lengths of messages are in bytes. From
 * one of these points on what the thread does counts for the RPC, until kutrace_rpc_done(). A client
 * says request before it sends and response when the answer is there; a server says request when it
 * has read one and response before it answers; middle takes a thread on to an RPC begun elsewhere.
 */

/* What KUtrace writes for a length: ten times its logarithm to base 2, 0..255; 0 for one byte or none. */
static inline uint32_t kutrace_length(uint32_t bytes)
{
	/* Millionths of 2^((k + 0.5) / 10), k = 0..9: from there on k + 1 is nearer. */
	static const uint32_t next[] = {1035265, 1109569, 1189207, 1274561, 1366040,
					1464086, 1569168, 1681793, 1802501, 1931873};
	uint32_t tenths = 0;
	uint64_t power = 1;

	while (bytes >= power * 2) {
		power *= 2;
		tenths += 10;
	}
	for (int i = 0; i < 10 && (uint64_t)bytes * 1000000 >= power * next[i]; i++)
		tenths++;
	return tenths > 255 ? 255 : tenths;
}

static inline void kutrace_rpc_(uint64_t event, uint32_t rpc, uint32_t bytes)
{
	kutrace_addevent(event, kutrace_length(bytes) << 16 | (rpc & 0xffff));
}

static inline void kutrace_name_method(uint32_t rpc, const char *method)
{
	kutrace_addname(KUTRACE_KIND_METHOD_NAME, rpc & 0xffff, method);
}

static inline void kutrace_rpc_request(uint32_t rpc, uint32_t bytes)
{
	kutrace_rpc_(KUTRACE_RPC_REQUEST, rpc, bytes);
}

static inline void kutrace_rpc_middle(uint32_t rpc)
{
	kutrace_rpc_(KUTRACE_RPC_MIDDLE, rpc, 0);
}

static inline void kutrace_rpc_response(uint32_t rpc, uint32_t bytes)
{
	kutrace_rpc_(KUTRACE_RPC_RESPONSE, rpc, bytes);
}

/*
 * Work that begins in one thread and ends in any other of this process is an RPC with one end: it has the
 * rows and answers of RPCs. The number is free again when it has ended.
 */
static inline void kutrace_async_begin(uint32_t number, const char *name)
{
	kutrace_name_method(number, name);
	kutrace_rpc_request(number, 0);
}

static inline void kutrace_async_end(uint32_t number)
{
	kutrace_rpc_response(number, 0);
}

/* What the thread does from here on is for no RPC. */
static inline void kutrace_rpc_done(void)
{
	kutrace_rpc_(KUTRACE_RPC_MIDDLE, 0, 0);
}

/*
 * Locks of the program, by a number of its own choice, 1 to 65535. try: it was not free, the thread
 * begins to wait; acquired; released. A lock that is never contended needs no points.
 */
static inline void kutrace_name_lock(uint32_t lock, const char *name)
{
	kutrace_addname(KUTRACE_KIND_LOCK_NAME, lock & 0xffff, name);
}

static inline void kutrace_lock_try(uint32_t lock)
{
	kutrace_addevent(KUTRACE_LOCK_TRY, lock & 0xffff);
}

static inline void kutrace_lock_acquired(uint32_t lock)
{
	kutrace_addevent(KUTRACE_LOCK_ACQUIRE, lock & 0xffff);
}

static inline void kutrace_lock_released(uint32_t lock)
{
	kutrace_addevent(KUTRACE_LOCK_RELEASE, lock & 0xffff);
}

/*
 * Queues of RPCs, by number. The RPC that the thread works on is queued from its next RPC point or
 * switch on; it leaves the queue where another thread says dequeue, and then a point of that RPC.
 */
static inline void kutrace_name_queue(uint32_t queue, const char *name)
{
	kutrace_addname(KUTRACE_KIND_QUEUE_NAME, queue, name);
}

static inline void kutrace_enqueue(uint32_t queue)
{
	kutrace_addevent(KUTRACE_ENQUEUE, queue);
}

static inline void kutrace_dequeue(uint32_t queue)
{
	kutrace_addevent(KUTRACE_DEQUEUE, queue);
}

#ifdef __GNUC__
static inline void kutrace_end_scope_(const char **label)
{
	char end[1 + KUTRACE_LABEL_BYTES];
	size_t length;

	if (!*label || !kutrace_listening())
		return;
	end[0] = '/';
	length = strlen(*label);
	if (length > KUTRACE_LABEL_BYTES - 1)
		length = KUTRACE_LABEL_BYTES - 1;
	memcpy(end + 1, *label, length);
	kutrace_mark_text_(KUTRACE_MARK_A, end, 1 + length);
}

#define KUTRACE_MARK_SCOPE_(label, number) \
	const char *kutrace_scope_##number __attribute__((cleanup(kutrace_end_scope_))) = (label); \
	kutrace_mark(kutrace_scope_##number)
#define KUTRACE_MARK_SCOPE_AT_(label, number) KUTRACE_MARK_SCOPE_(label, number)
/* Marks the label here, and its end where the block is left, whichever way. */
#define KUTRACE_MARK_SCOPE(label) KUTRACE_MARK_SCOPE_AT_(label, __COUNTER__)
#endif

#ifdef __cplusplus
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#endif

#endif
