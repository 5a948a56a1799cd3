// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/kutrace: commands, mapping, waiting. Every argument is copied in before kutrace_mutex is
 * taken and out after it is given back, because a page fault takes locks that a mapping holds, too.
 */
#include <linux/capability.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "put.h"

#define TAKE_AT_ONCE 32u
#define STACKS_AT_ONCE 16u
#define PROCESSES_AT_ONCE 64u
#define CLOCK_READINGS 8

/* Somebody may hold it for long, while he allocates. */
static long lock(void)
{
	return mutex_lock_killable(&kutrace_mutex);
}

static void unlock(void)
{
	mutex_unlock(&kutrace_mutex);
}

static long copy_out(unsigned long argument, const void *from, size_t bytes)
{
	return copy_to_user((void __user *)argument, from, bytes) ? -EFAULT : 0;
}

static long copy_in(void *to, unsigned long argument, size_t bytes)
{
	return copy_from_user(to, (const void __user *)argument, bytes) ? -EFAULT : 0;
}

static void reduce(u64 *a, u64 *b, u64 by)
{
	while (!(*a % by) && !(*b % by)) {
		*a /= by;
		*b /= by;
	}
}

static long do_version(struct file *file, unsigned long argument)
{
	struct kutrace_version version = {
		.control = KUTRACE_CONTROL_VERSION,
		.format = KUTRACE_FORMAT_VERSION,
		.cpus = nr_cpu_ids,
		.hooks = kutrace_hooks_count(),
		.tick_ns_numerator = 1000000ull << KUTRACE_CLOCK_SHIFT,
		.tick_ns_denominator = kutrace_clock_khz(),
		.clock = KUTRACE_CLOCK_NAME,
	};

	reduce(&version.tick_ns_numerator, &version.tick_ns_denominator, 2);
	reduce(&version.tick_ns_numerator, &version.tick_ns_denominator, 5);
	return copy_out(argument, &version, sizeof(version));
}

static long do_configure(struct file *file, unsigned long argument)
{
	struct kutrace_config config;
	long error = copy_in(&config, argument, sizeof(config));

	error = error ?: lock();
	if (error)
		return error;
	error = kutrace_configure(file, &config);
	unlock();
	return error;
}

static long do_arguments(struct file *file, unsigned long argument)
{
	struct kutrace_arguments *arguments = kmalloc(sizeof(*arguments), GFP_KERNEL_ACCOUNT);
	long error;

	if (!arguments)
		return -ENOMEM;
	error = copy_in(arguments, argument, sizeof(*arguments)) ?: lock();
	if (!error) {
		error = kutrace_choose_arguments(file, arguments);
		unlock();
	}
	kfree(arguments);
	return error;
}

static long do_filter(struct file *file, unsigned long argument)
{
	struct kutrace_filter filter;
	long error = copy_in(&filter, argument, sizeof(filter));

	error = error ?: lock();
	if (error)
		return error;
	error = kutrace_choose_threads(file, &filter);
	unlock();
	return error;
}

static long add_some(struct file *file, const struct kutrace_processes *what, u32 from)
{
	u32 some[PROCESSES_AT_ONCE];
	u32 count = min(what->count - from, PROCESSES_AT_ONCE);
	long error = copy_in(some, what->address + from * sizeof(some[0]),
			     count * sizeof(some[0]));

	error = error ?: lock();
	if (error)
		return error;
	error = kutrace_choose_processes(file, some, count, what->what);
	unlock();
	return error;
}

static long do_processes(struct file *file, unsigned long argument)
{
	struct kutrace_processes what;
	long error = copy_in(&what, argument, sizeof(what));
	u32 i;

	if (error)
		return error;
	if (what.count > KUTRACE_PROCESSES_MOST)
		return -EINVAL;
	for (i = 0; i < what.count && !error; i += PROCESSES_AT_ONCE)
		error = add_some(file, &what, i);
	return error;
}

/* Some at a time, as they are copied out without the lock. */
static long do_stacks(struct file *file, unsigned long argument)
{
	struct kutrace_stack *stacks;
	struct kutrace_stacks what;
	long error = copy_in(&what, argument, sizeof(what));
	u32 capacity;
	int count;

	if (error)
		return error;
	if (what.reserved)
		return -EINVAL;
	capacity = min(what.capacity, STACKS_AT_ONCE);
	stacks = kmalloc_array(STACKS_AT_ONCE, sizeof(*stacks), GFP_KERNEL_ACCOUNT);
	if (!stacks)
		return -ENOMEM;
	error = lock();
	if (!error) {
		count = kutrace_read_stacks(file, stacks, capacity, &what.from);
		unlock();
		what.count = max(count, 0);
		error = count < 0 ? count :
				    copy_out(what.address, stacks, what.count * sizeof(*stacks)) ?:
				    copy_out(argument, &what, sizeof(what));
	}
	kfree(stacks);
	return error;
}

static long do_groups(struct file *file, unsigned long argument)
{
	struct kutrace_group_switch what;
	long error = copy_in(&what, argument, sizeof(what));

	error = error ?: lock();
	if (error)
		return error;
	error = kutrace_switch_groups(file, &what);
	unlock();
	return error ?: copy_out(argument, &what, sizeof(what));
}

static long do_owner(struct file *file, unsigned long argument)
{
	struct kutrace_owner owner;
	long error = copy_in(&owner, argument, sizeof(owner));

	error = error ?: lock();
	if (error)
		return error;
	error = kutrace_number_owner(file, &owner);
	unlock();
	return error ?: copy_out(argument, &owner, sizeof(owner));
}

static long do_join(struct file *file, unsigned long argument)
{
	struct kutrace_join what;
	long error = copy_in(&what, argument, sizeof(what));

	error = error ?: lock();
	if (error)
		return error;
	error = kutrace_join(file, &what);
	unlock();
	return error ?: copy_out(argument, &what, sizeof(what));
}

static long do_reset(struct file *file, unsigned long argument)
{
	long error = lock();

	if (error)
		return error;
	error = kutrace_reset(file);
	unlock();
	return error;
}

static long do_on(struct file *file, unsigned long argument)
{
	u32 lifetime;
	long error = copy_in(&lifetime, argument, sizeof(lifetime));

	error = error ?: lock();
	if (error)
		return error;
	error = kutrace_switch_on(file, lifetime);
	unlock();
	return error;
}

static long do_off(struct file *file, unsigned long argument)
{
	long error = lock();

	if (error)
		return error;
	error = kutrace_switch_off(file);
	unlock();
	return error;
}

static long do_flush(struct file *file, unsigned long argument)
{
	long error = lock();

	if (error)
		return error;
	error = kutrace_flush(file);
	unlock();
	return error;
}

static long do_status(struct file *file, unsigned long argument)
{
	struct kutrace_status status;
	long error = lock();

	if (error)
		return error;
	kutrace_get_status(file, &status);
	unlock();
	return copy_out(argument, &status, sizeof(status));
}

static long do_cpu(struct file *file, unsigned long argument)
{
	struct kutrace_cpu_status status;
	long error = copy_in(&status, argument, sizeof(status));

	error = error ?: lock();
	if (error)
		return error;
	error = kutrace_get_cpu_status(&status);
	unlock();
	return error ?: copy_out(argument, &status, sizeof(status));
}

/*
 * Tells the reader of blocks from index *from on, and then takes them: if it cannot be told,
 * nothing is taken. kutrace_mutex is not held in between; a block that another thread took or that
 * was opened again meanwhile has another serial number, or is not wanted any more, and is left.
 * Returns how many were looked at.
 */
static long take_some(struct file *file, struct kutrace_take *take, u32 *from)
{
	u64 address = take->address + take->count * sizeof(struct kutrace_block_info);
	struct kutrace_block_info infos[TAKE_AT_ONCE];
	u32 wanted = min(take->capacity - take->count, TAKE_AT_ONCE);
	u32 count = 0, taken = 0;
	long reader, error = lock();

	if (error)
		return error;
	reader = kutrace_may_read(file);
	if (reader > 0) {
		if (!*from)
			kutrace_buffer_heard(reader);
		count = kutrace_buffer_look(reader, infos, wanted, from);
	}
	unlock();
	if (reader < 0 || !count)
		return min(reader, 0L);
	error = copy_out((unsigned long)address, infos, count * sizeof(infos[0])) ?: lock();
	if (!error) {
		reader = kutrace_may_read(file);
		taken = reader < 0 ? 0 : kutrace_take(file, reader, infos, count);
		unlock();
		error = min(reader, 0L);
	}
	take->count += taken;
	if (taken < count)
		*from = infos[taken].index + 1;
	/* What it did not get, or not look at, is there when it comes again. */
	if (reader > 0 && (taken < count || take->count == take->capacity))
		kutrace_buffer_has_more(reader);
	return error ?: count;
}

static long do_take(struct file *file, unsigned long argument)
{
	struct kutrace_take take;
	u32 from = 0;
	long looked = copy_in(&take, argument, sizeof(take));

	take.count = 0;
	/* If the reader cannot be told how many, it takes none. */
	looked = looked ?: copy_out(argument, &take, sizeof(take));
	if (looked)
		return looked;
	do
		looked = take.count < take.capacity ? take_some(file, &take, &from) : 0;
	while (looked > 0);
	/* Blocks that were told of are the reader's, whatever came after them. */
	if (looked < 0 && !take.count)
		return looked;
	return copy_out(argument, &take, sizeof(take));
}

static long do_release(struct file *file, unsigned long argument)
{
	struct kutrace_release what;
	long error = copy_in(&what, argument, sizeof(what));

	error = error ?: lock();
	if (error)
		return error;
	error = kutrace_release(file, &what);
	unlock();
	return error;
}

/* The counter of the moment in which the clock was read, to half of what reading takes. */
static u64 read_at_once(struct kutrace_clocks *clocks)
{
	u64 before = kutrace_clock();
	u64 after;

	clocks->monotonic_ns = ktime_get_ns();
	after = kutrace_clock();
	clocks->counter = before + (after - before) / 2;
	clocks->real_ns = ktime_mono_to_real(ns_to_ktime(clocks->monotonic_ns));
	return after - before;
}

/* The best of several readings: a virtual machine may be stopped in any of them. */
static long do_clocks(struct file *file, unsigned long argument)
{
	struct kutrace_clocks best, clocks;
	u64 shortest = U64_MAX;
	unsigned int i;

	for (i = 0; i < CLOCK_READINGS; i++) {
		unsigned long flags;
		u64 took;

		local_irq_save(flags);
		took = read_at_once(&clocks);
		local_irq_restore(flags);
		if (took >= shortest)
			continue;
		shortest = took;
		best = clocks;
	}
	return copy_out(argument, &best, sizeof(best));
}

static long do_hook(struct file *file, unsigned long argument)
{
	struct kutrace_hook_info info;
	long error = copy_in(&info, argument, sizeof(info));

	if (error)
		return error;
	error = kutrace_hook_describe(info.index, &info);
	return error ?: copy_out(argument, &info, sizeof(info));
}

static long do_insert(struct file *file, unsigned long argument)
{
	u64 word;
	long error = copy_in(&word, argument, sizeof(word));

	return error ?: kutrace_insert_one(word);
}

static long do_insert_name(struct file *file, unsigned long argument)
{
	struct kutrace_entry entry;
	long error = copy_in(&entry, argument, sizeof(entry));

	return error ?: kutrace_insert_words(entry.words);
}

static const struct {
	unsigned int command;
	long (*run)(struct file *file, unsigned long argument);
} commands[] = {
	{ KUTRACE_IOC_VERSION, do_version },
	{ KUTRACE_IOC_CONFIGURE, do_configure },
	{ KUTRACE_IOC_RESET, do_reset },
	{ KUTRACE_IOC_ON, do_on },
	{ KUTRACE_IOC_OFF, do_off },
	{ KUTRACE_IOC_FLUSH, do_flush },
	{ KUTRACE_IOC_STATUS, do_status },
	{ KUTRACE_IOC_CPU, do_cpu },
	{ KUTRACE_IOC_TAKE, do_take },
	{ KUTRACE_IOC_RELEASE, do_release },
	{ KUTRACE_IOC_CLOCKS, do_clocks },
	{ KUTRACE_IOC_HOOK, do_hook },
	{ KUTRACE_IOC_INSERT, do_insert },
	{ KUTRACE_IOC_INSERT_NAME, do_insert_name },
	{ KUTRACE_IOC_ARGUMENTS, do_arguments },
	{ KUTRACE_IOC_STACKS, do_stacks },
	{ KUTRACE_IOC_FILTER, do_filter },
	{ KUTRACE_IOC_PROCESSES, do_processes },
	{ KUTRACE_IOC_GROUPS, do_groups },
	{ KUTRACE_IOC_OWNER, do_owner },
	{ KUTRACE_IOC_JOIN, do_join },
};

static long device_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].command == command)
			return commands[i].run(file, argument);
	return -ENOTTY;
}

static int device_open(struct inode *inode, struct file *file)
{
	return kutrace_is_permitted(file) ? stream_open(inode, file) : -EPERM;
}

static int device_release(struct inode *inode, struct file *file)
{
	mutex_lock(&kutrace_mutex);
	kutrace_forget_file(file);
	mutex_unlock(&kutrace_mutex);
	return 0;
}

static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	int error = lock();

	if (error)
		return error;
	error = kutrace_may_see(file) ?: kutrace_buffer_map(vma);
	unlock();
	return error;
}

static __poll_t device_poll(struct file *file, poll_table *table)
{
	u32 reader = kutrace_reader_bit(file) ?: KUTRACE_FIRST_READER;

	poll_wait(file, &kutrace_buffer.readers, table);
	smp_mb(); /* with wake() in buffer.c; poll_wait() has none in older kernels */
	return kutrace_buffer_readable(reader) ? EPOLLIN | EPOLLRDNORM : 0;
}

static const struct file_operations device_operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = device_mmap,
	.poll = device_poll,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kutrace",
	.fops = &device_operations,
	/* Who may is asked in device_open; the node itself keeps nobody out. */
	.mode = 0666,
};

int kutrace_device_register(void)
{
	return misc_register(&device);
}

void kutrace_device_unregister(void)
{
	misc_deregister(&device);
}
