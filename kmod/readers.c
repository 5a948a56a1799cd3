// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which files read, and what each wants: a table of a few, and a bit for each in the blocks. The
 * first is whose recording it is; others join a shared one. Bookkeeping alone: what follows from it
 * is done in session.c.
 */
#include <linux/bitops.h>

#include "kutrace.h"

static struct kutrace_reader readers[KUTRACE_READERS_MOST];

static u32 bit_of(const struct kutrace_reader *reader)
{
	return 1u << (reader - readers);
}

static void set(struct kutrace_reader *reader, struct file *file,
		const struct kutrace_config *config)
{
	reader->pid = task_tgid_nr(current);
	reader->groups = config->groups;
	reader->sample_hz = config->sample_hz;
	reader->held = 0;
	reader->records = true;
	reader->stop_counter = 0;
	WRITE_ONCE(reader->file, file);
}

/* Another recording: this file reads alone; NULL: whoever may. */
void kutrace_readers_begin(struct file *file, const struct kutrace_config *config)
{
	u32 i;

	for (i = 0; i < KUTRACE_READERS_MOST; i++)
		WRITE_ONCE(readers[i].file, NULL);
	set(&readers[0], file, config);
}

/* NULL if the file does not read. */
struct kutrace_reader *kutrace_reader_of(const struct file *file)
{
	u32 i;

	for (i = 0; i < KUTRACE_READERS_MOST; i++)
		if (READ_ONCE(readers[i].file) == file)
			return &readers[i];
	return NULL;
}

/*
 * 0 if the file does not read. With kutrace_mutex held this is exact. Without it, as in poll, the
 * file may begin or cease to read at the same time: the answer was right at some moment during the
 * call.
 */
u32 kutrace_reader_bit(const struct file *file)
{
	const struct kutrace_reader *reader = kutrace_reader_of(file);

	return reader ? bit_of(reader) : 0;
}

/*
 * Blocks that this one may hold while it records, however many there are: all together at most half
 * of them, so that others find some. Who reads alone takes many at once.
 */
u32 kutrace_reader_share(const struct kutrace_reader *reader)
{
	u32 parts = reader == &readers[0] ? 4 : 4 * KUTRACE_READERS_MOST;

	return max(kutrace_buffer.count / parts, 1u);
}

/* NULL if there are too many, of all or for so few blocks. */
struct kutrace_reader *kutrace_reader_add(struct file *file, const struct kutrace_config *config)
{
	struct kutrace_reader *reader = kutrace_reader_of(NULL);
	u32 shares = 0;
	u32 i;

	for (i = 0; i < KUTRACE_READERS_MOST; i++)
		if (readers[i].file || &readers[i] == reader)
			shares += kutrace_reader_share(&readers[i]);
	if (!reader || shares > kutrace_buffer.count / 2)
		return NULL;
	set(reader, file, config);
	kutrace_buffer_new_reader(bit_of(reader));
	return reader;
}

/* What is finished is not for it any more; what was, it may still take. */
void kutrace_reader_leave(struct kutrace_reader *reader)
{
	reader->records = false;
}

void kutrace_reader_remove(struct kutrace_reader *reader)
{
	reader->records = false;
	WRITE_ONCE(reader->file, NULL);
}

/* Another one, that reads; or one for which it also records. */
struct kutrace_reader *kutrace_reader_beside(const struct kutrace_reader *reader, bool records)
{
	u32 i;

	for (i = 0; i < KUTRACE_READERS_MOST; i++)
		if (&readers[i] != reader && readers[i].file && (readers[i].records || !records))
			return &readers[i];
	return NULL;
}

/* All that the others want, for which it records. */
u32 kutrace_readers_groups(const struct kutrace_reader *without)
{
	u32 groups = 0;
	u32 i;

	for (i = 0; i < KUTRACE_READERS_MOST; i++)
		if (&readers[i] != without && readers[i].file && readers[i].records)
			groups |= readers[i].groups;
	return groups;
}

/* Whether nobody wants samples at another rate. */
bool kutrace_readers_sample_at(u32 hz)
{
	u32 i;

	for (i = 0; i < KUTRACE_READERS_MOST; i++)
		if (readers[i].file && readers[i].records && readers[i].sample_hz &&
		    readers[i].sample_hz != hz)
			return false;
	return true;
}

static u32 bits(bool records)
{
	u32 all = 0;
	u32 i;

	for (i = 0; i < KUTRACE_READERS_MOST; i++)
		if (readers[i].file && (readers[i].records || !records))
			all |= bit_of(&readers[i]);
	return all;
}

u32 kutrace_readers_count(void)
{
	return hweight32(bits(true));
}

/*
 * Blocks that are finished from here on go to the readers for which it records. If there are
 * others, even such as only take what was finished before, the oldest block is overwritten where
 * none is free.
 */
void kutrace_readers_give(void)
{
	kutrace_buffer_give_to(bits(true), hweight32(bits(false)) > 1);
}
