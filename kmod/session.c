// SPDX-License-Identifier: GPL-2.0-only
/*
 * One recording at a time: who owns it, how it starts and ends, CPUs that come and go meanwhile,
 * and sleep, which ends it because the counter may jump.
 *
 * A recording belongs to the file that switched it on until that is closed (attached), or to nobody
 * (detached); then a reference keeps the module loaded. Or it is shared: other files join it and
 * read, too. What all of them want is recorded, until the last one has left.
 */
#define pr_fmt(format) KBUILD_MODNAME ": " format

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/suspend.h>
#include <linux/timekeeping.h>

#include "put.h"

static struct {
	struct kutrace_config config;
	struct file *owner;
	pid_t owner_pid;
	u32 lifetime;
	u32 joins;
	u32 ended;
	bool recording;
	bool sleeps; /* the machine is about to sleep, or does */
	bool privileged; /* whoever began what is recorded may see the kernel's addresses */
	u64 start_counter;
	u64 start_real_ns;
	u64 stop_counter;
} session;

/*
 * Whether CPUs that come start, and CPUs that go stop. The hotplug callbacks read it; it is changed
 * with cpus_read_lock() held, so none of them runs meanwhile.
 */
static bool cpus_record;
static int hotplug_state;

/* ---- on and off ------------------------------------------------------------------------------ */

/*
 * A detached recording is nobody's; yet a file that may see less than the one that began it has no
 * say.
 */
static bool is_above(const struct file *file)
{
	return session.privileged && !kutrace_sees_kernel(file);
}

/* Others read, and cannot be asked. */
static bool is_foreign(const struct file *file)
{
	if (!session.owner)
		return is_above(file);
	return session.owner != file || kutrace_reader_beside(kutrace_reader_of(file), false);
}

/* Neither whose recording it is nor, where it is shared, one of those who read it. */
static bool is_stranger(const struct file *file)
{
	return session.owner ? !kutrace_reader_of(file) : is_above(file);
}

static void set_owner(struct file *file, pid_t pid)
{
	session.owner = file;
	session.owner_pid = pid;
}

/* Who runs here comes first: the first block says it. Interrupts are off. */
static void start_here(void *unused)
{
	kutrace_filter_switch(current);
	kutrace_owner_begin();
	kutrace_cpu_start();
}

static void stop_here(void *unused)
{
	kutrace_cpu_stop(false);
}

static void flush_here(void *unused)
{
	kutrace_cpu_flush();
}

/*
 * After calls were switched off: a return that comes when they are on again is not that of the
 * newest call in the block.
 */
static void forget_call_here(void *unused)
{
	kutrace_forget_call();
}

static void on_every_cpu(void (*function)(void *unused), bool then_record)
{
	unsigned int cpu;

	cpus_read_lock();
	cpus_record = then_record;
	for_each_online_cpu(cpu)
		smp_call_function_single(cpu, function, NULL, 1);
	cpus_read_unlock();
}

/*
 * Ends blocks on every CPU, then gives the readers those that were held back: after a grace period,
 * because writers run with preemption off, so every store to these blocks is done then.
 */
static void end_blocks(void (*function)(void *unused), bool then_record)
{
	struct kutrace_block *held = NULL;
	unsigned int cpu;

	on_every_cpu(function, then_record);
	for_each_possible_cpu(cpu)
		held = kutrace_cpu_take_held(cpu, held);
	kutrace_wait_for_probes();
	kutrace_blocks_finish(held);
}

/*
 * For a new recording. Nothing records, so every cursor is KUTRACE_STOPPED, and is left so:
 * programs may try to insert at any moment, and read the rest, too, hence WRITE_ONCE().
 */
static void clear_cpus(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct kutrace_cpu *st = per_cpu_ptr(&kutrace_cpu, cpu);

		WRITE_ONCE(st->last, 0);
		WRITE_ONCE(st->last_counted, 0);
		WRITE_ONCE(st->call_end, KUTRACE_NO_CALL);
		WRITE_ONCE(st->folds, !(session.config.flags & KUTRACE_CONFIG_NO_FOLD));
		WRITE_ONCE(st->counts, kutrace_counting(&session.config));
		/* So a probe that is interrupted by the start leaves out what it was about. */
		WRITE_ONCE(st->hidden, kutrace_filters());
		WRITE_ONCE(st->sequence, 0);
		WRITE_ONCE(st->told, 0);
		WRITE_ONCE(st->lost_begin, 0);
		WRITE_ONCE(st->recorded, false);
		WRITE_ONCE(st->offline, false);
		local_set(&st->lost, 0);
	}
}

static void clear_recording(void)
{
	kutrace_settings.hide_kernel = true;
	kutrace_buffer_reset(session.config.mode);
	clear_cpus();
	atomic64_set(&kutrace_misses.packets_unhashed, 0);
	atomic64_set(&kutrace_misses.inserts_refused, 0);
	atomic64_set(&kutrace_misses.inserts_unreadable, 0);
	atomic64_set(&kutrace_misses.foreign_frequency, 0);
	atomic64_set(&kutrace_misses.stacks_lost, 0);
	kutrace_stacks_clear();
	session.privileged = false;
	session.start_counter = 0;
	session.stop_counter = 0;
	session.ended = KUTRACE_ENDED_NOT;
}

static void apply_settings(const struct file *file)
{
	const struct kutrace_config *config = &session.config;
	bool every_packet = config->packet_mask == KUTRACE_PACKET_ALL;

	memcpy(kutrace_settings.idle_hint, config->idle_hint, sizeof(kutrace_settings.idle_hint));
	kutrace_set_packet_filter(every_packet ? kutrace_pktmask : config->packet_mask,
				  every_packet ? kutrace_pktmatch : config->packet_match);
	kutrace_settings.hide_kernel = !kutrace_sees_kernel(file) ||
				       atomic_read(&kutrace_buffer.limited_mappings);
	kutrace_settings.trailer_flags = config->flags & (KUTRACE_CONFIG_IPC | KUTRACE_CONFIG_LLC);
	kutrace_settings.name_at_exit = config->mode == KUTRACE_MODE_WRAP;
}

static void stop_recording(u32 why)
{
	u64 full;

	session.stop_counter = kutrace_clock();
	end_blocks(stop_here, false);
	kutrace_hooks_detach();
	kutrace_perf_detach();
	kutrace_buffer_settle();
	session.recording = false;
	session.ended = why;
	full = atomic64_read(&kutrace_buffer.full_counter);
	if (full) {
		session.stop_counter = full;
		session.ended = KUTRACE_ENDED_FULL;
	}
	if (session.lifetime == KUTRACE_ON_DETACHED)
		module_put(THIS_MODULE);
	wake_up_interruptible_all(&kutrace_buffer.readers);
}

static int attach_everything(void)
{
	int error = kutrace_hooks_attach(&session.config);

	if (error)
		return error;
	error = kutrace_perf_attach(&session.config);
	if (error)
		kutrace_hooks_detach();
	return error;
}

/*
 * Hooks first, while no block is open, then the CPUs: what a CPU is doing is its first entry, and
 * nothing of it is missed from there on.
 */
static int start_recording(struct file *file, u32 lifetime)
{
	int error;

	clear_recording();
	apply_settings(file);
	error = attach_everything();
	if (error)
		return error;
	session.lifetime = lifetime;
	session.joins = 0;
	session.privileged = kutrace_sees_kernel(file);
	set_owner(lifetime == KUTRACE_ON_DETACHED ? NULL : file, task_tgid_nr(current));
	kutrace_readers_begin(session.owner, &session.config);
	session.start_real_ns = ktime_get_real_ns();
	session.start_counter = kutrace_clock();
	session.recording = true;
	if (lifetime == KUTRACE_ON_DETACHED)
		__module_get(THIS_MODULE);
	on_every_cpu(start_here, true);
	kutrace_perf_make_up(); /* for a CPU that came meanwhile */
	return 0;
}

/* ---- commands; kutrace_mutex held ------------------------------------------------------------ */

static bool is_zero(const u64 *words, size_t count)
{
	while (count--)
		if (words[count])
			return false;
	return true;
}

static int check_config(const struct kutrace_config *config)
{
	bool samples = config->groups & KUTRACE_GROUP_SAMPLES;

	if (config->mode < KUTRACE_MODE_STREAM || config->mode > KUTRACE_MODE_WRAP)
		return -EINVAL;
	if (config->groups & ~KUTRACE_GROUPS_ALL || config->flags & ~KUTRACE_CONFIG_FLAGS)
		return -EINVAL;
	/* Several users' blocks have nothing beside them. */
	if (config->flags & KUTRACE_CONFIG_OWNERS &&
	    config->flags & (KUTRACE_CONFIG_IPC | KUTRACE_CONFIG_LLC | KUTRACE_CONFIG_STACKS))
		return -EINVAL;
	if (config->reserved_word || !is_zero(config->reserved, ARRAY_SIZE(config->reserved)))
		return -EINVAL;
	if (config->sample_hz > KUTRACE_MAX_SAMPLE_HZ || samples != !!config->sample_hz)
		return -EDOM;
	return 0;
}

/* Arguments and addresses that no group of users is to see. */
static bool shows_more(const struct kutrace_config *config)
{
	return config->flags & (KUTRACE_CONFIG_ARGUMENTS | KUTRACE_CONFIG_STACKS);
}

/* What was allocated for a configuration that is not, or not any more, in force. */
static void free_unwanted(void)
{
	kutrace_arguments_keep(&session.config);
	kutrace_stacks_keep(&session.config);
}

/*
 * All that can fail comes first and takes nothing from the configuration that is in force. One
 * thing does: the old blocks are freed before new ones are allocated, so after ENOMEM there are
 * none.
 */
int kutrace_configure(struct file *file, const struct kutrace_config *config)
{
	u32 blocks = config->blocks;
	int error = check_config(config);

	if (error)
		return error;
	if (!blocks)
		blocks = kutrace_buffer.count ?: kutrace_default_blocks();
	if (is_foreign(file) || session.recording)
		return -EBUSY;
	if (shows_more(config) && !kutrace_sees_kernel(file))
		return -EPERM;
	error = kutrace_counters_check(config) ?: kutrace_arguments_prepare(config) ?:
		kutrace_stacks_prepare(config) ?:
		kutrace_buffer_resize(blocks, kutrace_counting(config),
				      kutrace_sees_kernel(file));
	if (!error) {
		session.config = *config;
		session.config.blocks = blocks;
	}
	free_unwanted();
	if (error)
		return error;
	kutrace_arguments_clear();
	kutrace_filter_clear();
	kutrace_owners_set(config);
	set_owner(file, task_tgid_nr(current));
	kutrace_readers_begin(file, &session.config);
	clear_recording();
	return 0;
}

/*
 * Of which system calls, also while it records, and what, in a recording with
 * KUTRACE_CONFIG_ARGUMENTS.
 */
int kutrace_choose_arguments(struct file *file, const struct kutrace_arguments *arguments)
{
	if (is_foreign(file))
		return -EBUSY;
	if (!(session.config.flags & KUTRACE_CONFIG_ARGUMENTS))
		return -ENODATA;
	if (!kutrace_sees_kernel(file))
		return -EPERM;
	return kutrace_arguments_choose(arguments, session.recording);
}

/* Whose doings, in place of everybody's. */
int kutrace_choose_threads(struct file *file, const struct kutrace_filter *filter)
{
	if (is_foreign(file) || session.recording)
		return -EBUSY;
	if (session.owner != file)
		return -ENODATA;
	return filter->flags && !(session.config.groups & KUTRACE_GROUP_SCHED) ?
		       -EOPNOTSUPP :
		       kutrace_filter_set(filter);
}

/* Also while it records. */
int kutrace_choose_processes(struct file *file, const u32 *processes, u32 count, u32 what)
{
	return is_foreign(file) ? -EBUSY : kutrace_filter_tell(processes, count, what);
}

/*
 * What is new is attached before anything is taken off, and the moment is between the two. What
 * cannot be attached changes nothing.
 */
static int change_groups(u32 groups, u32 sample_hz, u64 *at)
{
	struct kutrace_config old = session.config, *config = &session.config;
	int error;

	config->groups = groups;
	config->sample_hz = sample_hz;
	error = kutrace_hooks_add(config) ?: kutrace_perf_add(config);
	if (error)
		*config = old;
	*at = kutrace_clock();
	kutrace_hooks_keep(config);
	kutrace_perf_keep(config);
	kutrace_perf_make_up(); /* for a CPU that came while there were none */
	if (old.groups & ~config->groups & KUTRACE_GROUP_SYSCALLS)
		on_every_cpu(forget_call_here, true);
	return error;
}

/* From here on threads of this user have a number in entries, or none any more. */
int kutrace_number_owner(struct file *file, struct kutrace_owner *owner)
{
	bool is_to_go = owner->number;
	int number;

	if (owner->reserved || (is_to_go && (owner->uid || owner->gid)))
		return -EINVAL;
	if (is_foreign(file))
		return -EBUSY;
	if (!kutrace_sees_kernel(file))
		return -EPERM;
	number = is_to_go ? kutrace_owner_forget(owner->number) : kutrace_owner_number(owner);
	if (number < 0)
		return number;
	owner->number = number;
	if (session.recording)
		on_every_cpu(kutrace_owner_find, true);
	if (is_to_go && session.recording) {
		/* A probe may have read the number before: nobody gets it until these are over. */
		kutrace_wait_for_probes();
		on_every_cpu(kutrace_owner_find, true);
	}
	return 0;
}

/* Also while it records, and only then. What others want stays on. */
int kutrace_switch_groups(struct file *file, struct kutrace_group_switch *what)
{
	struct kutrace_reader *reader = kutrace_reader_of(file);
	u32 groups = what->groups | (reader ? kutrace_readers_groups(reader) : 0);
	int error;

	if (what->groups & ~KUTRACE_GROUPS_ALL || what->reserved)
		return -EINVAL;
	if (is_stranger(file))
		return -EBUSY;
	if (!session.recording || (reader && !reader->records))
		return -EALREADY;
	if (what->groups & KUTRACE_GROUP_SAMPLES && !session.config.sample_hz)
		return -EDOM;
	if (kutrace_filters() && !(what->groups & KUTRACE_GROUP_SCHED))
		return -EOPNOTSUPP;
	if (kutrace_direct_has(groups ^ session.config.groups))
		return -ENXIO;
	error = change_groups(groups, session.config.sample_hz, &what->at);
	if (!error && reader) {
		reader->groups = what->groups;
		reader->sample_hz =
			what->groups & KUTRACE_GROUP_SAMPLES ? session.config.sample_hz : 0;
	}
	return error;
}

/* ---- a shared recording; kutrace_mutex held -------------------------------------------------- */

/* What one reader may have and the others not stands in no block of theirs. */
static bool is_shareable(const struct kutrace_config *config)
{
	u32 own = KUTRACE_CONFIG_FLAGS & ~(KUTRACE_CONFIG_NO_FOLD | KUTRACE_CONFIG_NO_FAULT_RETURN);

	return config->mode == KUTRACE_MODE_STREAM && !(config->flags & own) && !kutrace_filters();
}

/* But for the groups and the rate of samples. */
static bool is_same(const struct kutrace_config *a, const struct kutrace_config *b)
{
	return a->mode == b->mode && a->flags == b->flags && a->packet_mask == b->packet_mask &&
	       a->packet_match == b->packet_match &&
	       !memcmp(a->idle_hint, b->idle_hint, sizeof(a->idle_hint));
}

static int check_join(const struct file *file, const struct kutrace_join *what)
{
	const struct kutrace_config *config = &what->config;
	int error = check_config(config);

	if (error)
		return error;
	if (config->blocks || what->at || what->blocks || what->reserved)
		return -EINVAL;
	if (kutrace_reader_of(file))
		return -EALREADY;
	if (!session.recording)
		return -ENODATA;
	if (session.lifetime != KUTRACE_ON_SHARED || !is_same(config, &session.config))
		return -EXDEV;
	if (!kutrace_sees_kernel(file) && !kutrace_settings.hide_kernel)
		return -EPERM;
	if (kutrace_sees_kernel(file) && kutrace_settings.hide_kernel)
		return -EXDEV;
	if (config->sample_hz && !kutrace_readers_sample_at(config->sample_hz))
		return -EDOM;
	return kutrace_direct_has(config->groups & ~session.config.groups) ? -ENXIO : 0;
}

int kutrace_join(struct file *file, struct kutrace_join *what)
{
	struct kutrace_reader *reader;
	int error = check_join(file, what);

	if (error)
		return error;
	reader = kutrace_reader_add(file, &what->config);
	if (!reader)
		return -EUSERS;
	/*
	 * Counted also if this fails: hooks that were attached before the one that could not be
	 * have then recorded what no reader asked for.
	 */
	session.joins++;
	error = change_groups(session.config.groups | what->config.groups,
			      what->config.sample_hz ?: session.config.sample_hz, &what->at);
	if (error) {
		kutrace_reader_remove(reader);
		return error;
	}
	kutrace_readers_give();
	/*
	 * A new block on every CPU: it says who runs there, and all from here on is in blocks for
	 * it.
	 */
	end_blocks(flush_here, true);
	what->at = kutrace_clock();
	what->blocks = kutrace_buffer.count;
	return 0;
}

/* Those of the groups that a patched kernel calls directly, so that they stay as they are. */
static u32 direct_of(u32 groups)
{
	u32 direct = 0;

	for (; groups; groups &= groups - 1)
		if (kutrace_direct_has(groups & -groups))
			direct |= groups & -groups;
	return direct;
}

/* It goes on for others: what this one alone wanted is switched off. */
static void leave(struct kutrace_reader *reader)
{
	u32 groups = kutrace_readers_groups(reader);
	u64 at;

	reader->stop_counter = kutrace_clock();
	end_blocks(flush_here, true);
	kutrace_reader_leave(reader);
	kutrace_readers_give();
	/* This takes hooks off and attaches none, so it cannot fail. */
	groups |= direct_of(session.config.groups & ~groups);
	change_groups(groups, session.config.sample_hz, &at);
}

/* Its blocks become the others', or free. */
static void forget(struct kutrace_reader *reader)
{
	const struct kutrace_reader *other = kutrace_reader_beside(reader, false);
	u32 bit = kutrace_reader_bit(reader->file);

	if (session.owner == reader->file)
		set_owner(other->file, other->pid);
	kutrace_reader_leave(reader);
	kutrace_readers_give();
	kutrace_buffer_forget(bit);
	kutrace_reader_remove(reader);
	kutrace_readers_give();
}

/* ---- what was recorded; kutrace_mutex held --------------------------------------------------- */

/* Stacks of the last recording. Returns how many, or an error. */
int kutrace_read_stacks(struct file *file, struct kutrace_stack *out, u32 capacity, u32 *from)
{
	if (is_foreign(file) || session.recording)
		return -EBUSY;
	return kutrace_sees_kernel(file) ? kutrace_stacks_copy(out, capacity, from) : -EPERM;
}

int kutrace_reset(struct file *file)
{
	if (is_foreign(file) || session.recording)
		return -EBUSY;
	kutrace_readers_begin(session.owner, &session.config);
	clear_recording();
	return 0;
}

int kutrace_switch_on(struct file *file, u32 lifetime)
{
	if (lifetime < KUTRACE_ON_ATTACHED || lifetime > KUTRACE_ON_SHARED)
		return -EINVAL;
	if (is_foreign(file) || session.sleeps)
		return -EBUSY;
	if (session.recording)
		return -EALREADY;
	if (!kutrace_buffer.count)
		return -ENODATA;
	if (lifetime == KUTRACE_ON_SHARED && !is_shareable(&session.config))
		return -EINVAL;
	/* The kernel may have lost its trust in the counter since the module was loaded. */
	if (!kutrace_clock_usable())
		return -ENODEV;
	/* Who has the buffer mapped may see what is recorded. */
	if (shows_more(&session.config) &&
	    (!kutrace_sees_kernel(file) || atomic_read(&kutrace_buffer.limited_mappings)))
		return -EPERM;
	return start_recording(file, lifetime);
}

/*
 * Its owner may, and whoever may administer the machine: what was recorded stays the owner's. For
 * one of several readers it ends alone.
 */
int kutrace_switch_off(struct file *file)
{
	struct kutrace_reader *reader = kutrace_reader_of(file);

	if (is_stranger(file) && !kutrace_administers(file))
		return -EBUSY;
	if (!session.recording || (reader && !reader->records))
		return -EALREADY;
	if (reader && kutrace_reader_beside(reader, true))
		leave(reader);
	else
		stop_recording(KUTRACE_ENDED_OFF);
	return 0;
}

int kutrace_flush(struct file *file)
{
	if (is_stranger(file))
		return -EBUSY;
	if (session.recording)
		end_blocks(flush_here, true);
	return 0;
}

/* Whether who opened the file may see what is recorded. */
int kutrace_may_see(const struct file *file)
{
	return kutrace_settings.hide_kernel || kutrace_sees_kernel(file) ? 0 : -EPERM;
}

/*
 * The reader's bit, or an error. While recording wraps, finished blocks may be overwritten at any
 * moment.
 */
long kutrace_may_read(struct file *file)
{
	if (is_stranger(file))
		return -EBUSY;
	if (kutrace_may_see(file))
		return -EPERM;
	if (session.recording && session.config.mode == KUTRACE_MODE_WRAP)
		return -EAGAIN;
	return kutrace_reader_bit(file) ?: KUTRACE_FIRST_READER;
}

/*
 * Who reads a shared recording holds but a part of its blocks at once, so that it cannot stop the
 * others.
 */
u32 kutrace_take(struct file *file, u32 bit, const struct kutrace_block_info *infos, u32 count)
{
	struct kutrace_reader *reader = kutrace_reader_of(file);
	u32 most, taken;

	if (!reader || !session.recording || session.lifetime != KUTRACE_ON_SHARED)
		return kutrace_buffer_take(bit, infos, count);
	most = kutrace_reader_share(reader);
	taken = kutrace_buffer_take(bit, infos, min(count, most - min(most, reader->held)));
	reader->held += taken;
	return taken;
}

int kutrace_release(struct file *file, const struct kutrace_release *what)
{
	struct kutrace_reader *reader = kutrace_reader_of(file);
	long bit = kutrace_may_read(file);
	int error = bit < 0 ? bit : kutrace_buffer_release(bit, what->index, what->serial);

	if (!error && reader && reader->held)
		reader->held--;
	return error;
}

void kutrace_forget_file(struct file *file)
{
	struct kutrace_reader *reader = kutrace_reader_of(file);

	if (!reader)
		return;
	if (session.recording && reader->records) {
		if (kutrace_reader_beside(reader, true))
			leave(reader);
		else
			stop_recording(KUTRACE_ENDED_CLOSED);
	}
	if (kutrace_reader_beside(reader, false))
		return forget(reader);
	set_owner(NULL, session.owner_pid);
	kutrace_readers_begin(NULL, &session.config);
	clear_recording();
}

void kutrace_get_status(const struct file *file, struct kutrace_status *status)
{
	const struct kutrace_reader *reader = kutrace_reader_of(file);

	*status = (struct kutrace_status){
		.recording = session.recording,
		.ended = session.ended,
		.mode = session.config.mode,
		.groups = session.config.groups,
		.blocks = kutrace_buffer.count,
		.blocks_used = kutrace_buffer_used(),
		.owner_pid = session.owner_pid,
		.lifetime = session.lifetime,
		.start_counter = session.start_counter,
		.start_real_ns = session.start_real_ns,
		.stop_counter = session.stop_counter,
		.lost = atomic64_read(&kutrace_buffer.lost),
		.discarded = atomic64_read(&kutrace_buffer.discarded),
		.packets_unhashed = atomic64_read(&kutrace_misses.packets_unhashed),
		.inserts_refused = atomic64_read(&kutrace_misses.inserts_refused),
		.inserts_unreadable = atomic64_read(&kutrace_misses.inserts_unreadable),
		.foreign_frequency = atomic64_read(&kutrace_misses.foreign_frequency),
		.stacks_lost = atomic64_read(&kutrace_misses.stacks_lost),
		.readers = session.recording ? kutrace_readers_count() : 0,
		.joins = session.joins,
		.lapped = kutrace_buffer_lapped(kutrace_reader_bit(file) ?: KUTRACE_FIRST_READER),
	};
	if (reader && reader->stop_counter) {
		status->recording = 0;
		status->ended = KUTRACE_ENDED_OFF;
		status->stop_counter = reader->stop_counter;
	}
	if (session.recording && atomic64_read(&kutrace_buffer.full_counter)) {
		status->ended = KUTRACE_ENDED_FULL;
		status->stop_counter = atomic64_read(&kutrace_buffer.full_counter);
	}
}

/* What a CPU lost and no block tells of. */
static u64 untold(const struct kutrace_cpu *st, const u64 *next)
{
	u64 told = READ_ONCE(st->told);

	if (kutrace_is_open(next))
		told = max(told, READ_ONCE(kutrace_buffer_block(next)->lost));
	return local_read(&st->lost) - told;
}

int kutrace_get_cpu_status(struct kutrace_cpu_status *status)
{
	const struct kutrace_cpu *st;
	const u64 *next;
	bool offline;
	u64 lost;

	if (status->cpu >= nr_cpu_ids)
		return -ENXIO;
	status->cpu = array_index_nospec(status->cpu, nr_cpu_ids);
	if (!cpu_possible(status->cpu))
		return -ENXIO;
	st = per_cpu_ptr(&kutrace_cpu, status->cpu);
	next = READ_ONCE(st->next);
	offline = READ_ONCE(st->offline);
	lost = untold(st, next);
	status->open_block = kutrace_is_open(next) ?
				     kutrace_buffer_block(next) - kutrace_buffer.blocks + 1 : 0;
	status->recorded = READ_ONCE(st->recorded);
	status->lost_reason = offline ? KUTRACE_LOSS_OFFLINE : lost ? KUTRACE_LOSS_BUFFER_FULL : 0;
	status->lost = offline ? KUTRACE_LOSS_UNKNOWN_COUNT : lost;
	status->lost_begin = READ_ONCE(st->lost_begin);
	return 0;
}

/* ---- CPUs that come and go; run on the CPU in question --------------------------------------- */

static int cpu_comes(unsigned int cpu)
{
	struct kutrace_cpu *st = this_cpu_ptr(&kutrace_cpu);
	unsigned long flags;

	kutrace_perf_cpu_came(cpu);
	if (!cpus_record)
		return 0;
	local_irq_save(flags);
	if (!st->recorded) {
		WRITE_ONCE(st->offline, true);
		WRITE_ONCE(st->lost_begin, session.start_counter);
	}
	start_here(NULL);
	local_irq_restore(flags);
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	unsigned long flags;

	if (!cpus_record)
		return 0;
	local_irq_save(flags);
	kutrace_cpu_stop(true);
	local_irq_restore(flags);
	return 0;
}

/* ---- sleep ----------------------------------------------------------------------------------- */

/* Threads run between this and their freezing: none of them begins another recording. */
static int around_sleep(struct notifier_block *block, unsigned long event, void *unused)
{
	bool sleeps = event == PM_SUSPEND_PREPARE || event == PM_HIBERNATION_PREPARE;

	if (!sleeps && event != PM_POST_SUSPEND && event != PM_POST_HIBERNATION)
		return NOTIFY_DONE;
	mutex_lock(&kutrace_mutex);
	session.sleeps = sleeps;
	if (sleeps && session.recording) {
		stop_recording(KUTRACE_ENDED_SUSPEND);
		pr_info("recording ended: the machine goes to sleep\n");
	}
	mutex_unlock(&kutrace_mutex);
	return NOTIFY_OK;
}

static struct notifier_block sleep_notifier = { .notifier_call = around_sleep };

int kutrace_session_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "kutrace:online", cpu_comes,
					      cpu_goes);
	int error;

	if (state < 0)
		return state;
	hotplug_state = state;
	error = register_pm_notifier(&sleep_notifier);
	if (error) {
		cpuhp_remove_state_nocalls(hotplug_state);
		kutrace_perf_exit();
	}
	return error;
}

void kutrace_session_exit(void)
{
	unregister_pm_notifier(&sleep_notifier);
	cpuhp_remove_state_nocalls(hotplug_state);
	kutrace_perf_exit();
	kutrace_arguments_free();
	kutrace_stacks_free();
	kutrace_filter_free();
	kutrace_buffer_free();
}
