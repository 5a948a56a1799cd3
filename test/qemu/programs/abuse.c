// SPDX-License-Identifier: BSD-3-Clause
/*
 * Uses /dev/kutrace as it should not be used, and says whether the answer is the one that doc/module.md
 * promises. It loads and unloads the module itself; exits 1 at the first surprise.
 *
 *   kutrace-abuse MODULE.ko all SCALE     everything
 *   kutrace-abuse MODULE.ko use SCALE     refusals, owners, memory, random commands
 *   kutrace-abuse MODULE.ko share SCALE   what threads do that share a file
 *   kutrace-abuse MODULE.ko loads SCALE   loaded and unloaded under load
 *
 * The scale multiplies what is done many times: 3000 random commands, as many on shared files, 20
 * recordings of a file that others use, 10 times loaded.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "device.h"
#include "kutrace/inserts.h"

enum { FUZZERS = 3, NOBODY = 65534 };

static int fuzz_rounds = 1000, shared_rounds = 20, cycles = 10; /* times the scale */

static int open_recording(void)
{
	const int fd = open_device();

	expect("configure", configure(fd, KUTRACE_MODE_WRAP), 0);
	expect("on", switch_on(fd, KUTRACE_ON_ATTACHED), 0);
	return fd;
}

static struct kutrace_status status(int fd)
{
	struct kutrace_status result = {0};

	expect("status", command(fd, KUTRACE_IOC_STATUS, &result), 0);
	return result;
}

static void *map(int fd, int protection)
{
	return mmap(NULL, BLOCKS * KUTRACE_BLOCK_BYTES, protection, MAP_SHARED, fd, 0);
}

/* Signal that ends a child which runs the function; 0 if it ends by itself. */
static int signal_of(void (*function)(void *argument), void *argument)
{
	int result;
	const pid_t child = fork();

	if (child == 0) {
		function(argument);
		_exit(0);
	}
	waitpid(child, &result, 0);
	return WIFSIGNALED(result) ? WTERMSIG(result) : 0;
}

/* ---- what commands are given ------------------------------------------------------------------ */

static struct kutrace_filter usual_filter(void)
{
	struct kutrace_filter filter = {.flags = KUTRACE_FILTER_FLAGS, .uid = NOBODY};

	filter.names = 1;
	memcpy(filter.name[0].name, "abuse", 6);
	memset(filter.name[0].mask, 0xff, 6);
	filter.cgroups = 1;
	filter.cgroup[0].id = 1;
	return filter;
}

static int add_processes(int fd, const uint32_t *numbers, uint32_t count, uint32_t what)
{
	struct kutrace_processes processes = {
		.address = (uintptr_t)numbers, .count = count, .what = what};

	return command(fd, KUTRACE_IOC_PROCESSES, &processes);
}

static void filter_refusals(int fd, int other)
{
	const uint32_t nobody = 1u << 30, self = (uint32_t)getpid();
	struct kutrace_config config = usual_config(KUTRACE_MODE_FILL);
	struct kutrace_filter filter = usual_filter();

#define REFUSED(field, value)                                                          \
	do {                                                                           \
		filter = usual_filter();                                               \
		filter.field = (value);                                                \
		expect("filter: " #field, command(fd, KUTRACE_IOC_FILTER, &filter), EINVAL); \
	} while (0)
	expect("a filter before configure", command(fd, KUTRACE_IOC_FILTER, &filter), ENODATA);
	expect("configure", command(fd, KUTRACE_IOC_CONFIGURE, &config), 0);
	expect("processes without a filter", add_processes(fd, &self, 1, KUTRACE_PROCESS_NAMED),
	       ENODATA);
	REFUSED(flags, KUTRACE_FILTER_FLAGS + 1);
	REFUSED(uid, UINT32_MAX);
	REFUSED(names, KUTRACE_FILTER_MOST + 1);
	REFUSED(names, 0);
	REFUSED(cgroups, KUTRACE_FILTER_MOST + 1);
	REFUSED(cgroups, 0);
	REFUSED(cgroup[0].reserved, 1);
	REFUSED(flags, KUTRACE_FILTER_FLAGS & ~KUTRACE_FILTER_USER);
#undef REFUSED
	filter = usual_filter();
	expect("a filter", command(fd, KUTRACE_IOC_FILTER, &filter), 0);
	expect("another's filter", command(other, KUTRACE_IOC_FILTER, &filter), EBUSY);
	expect("a process", add_processes(fd, &self, 1, KUTRACE_PROCESS_NAMED), 0);
	expect("no such process", add_processes(fd, &nobody, 1, KUTRACE_PROCESS_NAMED), ESRCH);
	expect("one that has ended", add_processes(fd, &nobody, 1, KUTRACE_PROCESS_FOLLOWED), 0);
	expect("a launcher", add_processes(fd, &self, 1, KUTRACE_PROCESS_LAUNCHER), 0);
	expect("processes as nothing", add_processes(fd, &self, 1, KUTRACE_PROCESS_LAUNCHER << 1),
	       EINVAL);
	expect("one is forgotten", add_processes(fd, &self, 1, 0), 0);
	expect("processes from nowhere", add_processes(fd, NULL, 1, KUTRACE_PROCESS_NAMED), EFAULT);
	expect("too many processes",
	       add_processes(fd, &self, KUTRACE_PROCESSES_MOST + 1, KUTRACE_PROCESS_NAMED), EINVAL);
	expect("another's processes", add_processes(other, &self, 1, KUTRACE_PROCESS_NAMED), EBUSY);
	config.groups = KUTRACE_GROUP_SYSCALLS;
	expect("configure", command(fd, KUTRACE_IOC_CONFIGURE, &config), 0);
	expect("a filter without switches", command(fd, KUTRACE_IOC_FILTER, &filter), EOPNOTSUPP);
}

static int number_owner(int fd, uint32_t uid, struct kutrace_owner *owner)
{
	owner->uid = uid;
	owner->number = 0;
	return command(fd, KUTRACE_IOC_OWNER, owner);
}

static int forget_owner(int fd, uint32_t number)
{
	struct kutrace_owner owner = {.number = number};

	return command(fd, KUTRACE_IOC_OWNER, &owner);
}

static void owner_refusals(int fd, int other)
{
	struct kutrace_config config = usual_config(KUTRACE_MODE_STREAM);
	struct kutrace_owner owner = {.gid = 1, .reserved = 1};
	uint32_t i;

	config.flags = KUTRACE_CONFIG_OWNERS | KUTRACE_CONFIG_STACKS;
	expect("owners and stacks", command(fd, KUTRACE_IOC_CONFIGURE, &config), EINVAL);
	config.flags = 0;
	expect("configure", command(fd, KUTRACE_IOC_CONFIGURE, &config), 0);
	expect("an owner and a reserved field", number_owner(fd, 1, &owner), EINVAL);
	owner.reserved = 0;
	expect("an owner without owners", number_owner(fd, 1, &owner), ENODATA);
	config.flags = KUTRACE_CONFIG_OWNERS;
	expect("configure with owners", command(fd, KUTRACE_IOC_CONFIGURE, &config), 0);
	expect("root as an owner", number_owner(fd, 0, &owner), EINVAL);
	expect("nobody as an owner", number_owner(fd, UINT32_MAX, &owner), EINVAL);
	expect("another's owner", number_owner(other, 1, &owner), EBUSY);
	for (i = 1; i <= KUTRACE_OWNERS_MOST; i++) {
		expect("an owner", number_owner(fd, i, &owner), 0);
		expect("an owner's number", owner.number, i);
	}
	expect("one owner too many", number_owner(fd, i, &owner), ENOSPC);
	expect("an owner again", number_owner(fd, 5, &owner), 0);
	expect("its number", owner.number, 5);
	expect("to forget another's owner", forget_owner(other, 5), EBUSY);
	expect("to forget an owner", forget_owner(fd, 5), 0);
	expect("to forget it again", forget_owner(fd, 5), EINVAL);
	expect("to forget one that never was", forget_owner(fd, KUTRACE_OWNERS_MOST + 1), EINVAL);
	owner.number = 6;
	expect("to forget an owner by name", command(fd, KUTRACE_IOC_OWNER, &owner), EINVAL);
	expect("an owner in its place", number_owner(fd, i, &owner), 0);
	expect("the number that was free", owner.number, 5);
}

/* Those that only the kernel may state are refused as such. */
static void insert_every_event(int fd)
{
	struct kutrace_entry name = {.words = {0}};
	uint64_t event, word;

	for (event = 0; event <= KUTRACE_EVENT_MASK; event++) {
		word = event << KUTRACE_EVENT_SHIFT;
		name.words[0] = word;
		expect("an event refused", command(fd, KUTRACE_IOC_INSERT, &word) == EINVAL,
		       !kutrace_is_program_point(event));
		expect("a name refused", command(fd, KUTRACE_IOC_INSERT_NAME, &name) == EINVAL,
		       !kutrace_is_program_name(event));
	}
}

static void refusals(void)
{
	const int fd = open_device(), other = open_device();
	struct kutrace_config config;
	struct kutrace_cpu_status cpu = {.cpu = 1u << 20};
	struct kutrace_hook_info hook = {.index = 1u << 20};
	uint32_t lifetime = 3;
	struct kutrace_release block = {.index = 0};
	const uint64_t word = 0x800ull << KUTRACE_EVENT_SHIFT;

#define REFUSED(field, value, error)                                                   \
	do {                                                                           \
		config = usual_config(KUTRACE_MODE_FILL);                              \
		config.field = (value);                                                \
		expect(#field " = " #value, command(fd, KUTRACE_IOC_CONFIGURE, &config), error); \
	} while (0)
	expect("on before configure", switch_on(fd, KUTRACE_ON_ATTACHED), ENODATA);
	REFUSED(mode, 0, EINVAL);
	REFUSED(mode, 4, EINVAL);
	REFUSED(groups, 1u << 31, EINVAL);
	REFUSED(flags, KUTRACE_CONFIG_FLAGS + 1, EINVAL);
	REFUSED(reserved[3], 1, EINVAL);
	REFUSED(flags, KUTRACE_CONFIG_IPC, ENODEV); /* emulated processors have none */
	REFUSED(flags, KUTRACE_CONFIG_LLC, ENODEV);
	REFUSED(reserved_word, 1, EINVAL);
	REFUSED(sample_hz, 100, EDOM);
	REFUSED(groups, KUTRACE_GROUP_SAMPLES, EDOM);
	REFUSED(blocks, 1, ENOBUFS);
	REFUSED(blocks, UINT32_MAX, E2BIG);
#undef REFUSED
	filter_refusals(fd, other);
	owner_refusals(fd, other);
	expect("configure", configure(fd, KUTRACE_MODE_WRAP), 0);
	expect("another's", configure(other, KUTRACE_MODE_WRAP), EBUSY);
	expect("a lifetime of 3", command(fd, KUTRACE_IOC_ON, &lifetime), EINVAL);
	expect("off while off", command(fd, KUTRACE_IOC_OFF, NULL), EALREADY);
	expect("on", switch_on(fd, KUTRACE_ON_ATTACHED), 0);
	expect("on while on", switch_on(fd, KUTRACE_ON_ATTACHED), EALREADY);
	expect("configure while on", configure(fd, KUTRACE_MODE_FILL), EBUSY);
	expect("reset while on", command(fd, KUTRACE_IOC_RESET, NULL), EBUSY);
	expect("release while it wraps", command(fd, KUTRACE_IOC_RELEASE, &block), EAGAIN);
	expect("off", command(fd, KUTRACE_IOC_OFF, NULL), 0);
	block.index = BLOCKS - 1;
	expect("release of a free block", command(fd, KUTRACE_IOC_RELEASE, &block), ESTALE);
	block.index = BLOCKS;
	expect("release of no block", command(fd, KUTRACE_IOC_RELEASE, &block), EINVAL);
	expect("no such CPU", command(fd, KUTRACE_IOC_CPU, &cpu), ENXIO);
	expect("no such hook", command(fd, KUTRACE_IOC_HOOK, &hook), ENXIO);
	expect("a system call inserted", command(fd, KUTRACE_IOC_INSERT, &word), EINVAL);
	insert_every_event(fd);
	expect("no such command", command(fd, _IO(KUTRACE_IOC_MAGIC, 99), NULL), ENOTTY);
	expect("no such memory", command(fd, KUTRACE_IOC_STATUS, (void *)8), EFAULT);
	expect("nor to read", command(fd, KUTRACE_IOC_CONFIGURE, (void *)8), EFAULT);
	close(fd);
	close(other);
}

static void open_as_nobody(void *unused)
{
	(void)unused;
	if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
		abort();
	if (open(KUTRACE_DEVICE, O_RDWR) >= 0 || errno != EPERM)
		abort();
}

static void permission(void)
{
	expect("opened without permission", signal_of(open_as_nobody, NULL), 0);
}

/* ---- mapping --------------------------------------------------------------------------------- */

static void read_byte(void *at) { (void)*(volatile char *)at; }
static void write_byte(void *at) { *(volatile char *)at = 1; }

static void mapping(void)
{
	const int fd = open_device();
	struct kutrace_config larger = usual_config(KUTRACE_MODE_FILL);
	void *at;

	expect("configure", configure(fd, KUTRACE_MODE_FILL), 0);
	if (map(fd, PROT_READ | PROT_WRITE) != MAP_FAILED || errno != EACCES)
		fail("a mapping to write", errno, EACCES);
	if (mmap(NULL, KUTRACE_BLOCK_BYTES, PROT_READ, MAP_SHARED, fd,
		 BLOCKS * (off_t)KUTRACE_BLOCK_BYTES) != MAP_FAILED || errno != ENXIO)
		fail("a mapping past the end", errno, ENXIO);
	at = map(fd, PROT_READ);
	if (at == MAP_FAILED)
		fail("a mapping", errno, 0);
	expect("a mapping made writable",
	       mprotect(at, KUTRACE_BLOCK_BYTES, PROT_READ | PROT_WRITE) ? errno : 0, EACCES);
	if (map(fd, PROT_READ | PROT_EXEC) != MAP_FAILED || errno != EACCES)
		fail("a mapping to execute", errno, EACCES);
	expect("a mapping made executable",
	       mprotect(at, KUTRACE_BLOCK_BYTES, PROT_READ | PROT_EXEC) ? errno : 0, EACCES);
	expect("a write kills", signal_of(write_byte, at), SIGSEGV);
	expect("a fork inherits no mapping", signal_of(read_byte, at), SIGSEGV);
	expect("write()", write(fd, "x", 1) < 0 ? errno : 0, EINVAL);
	larger.blocks = 2 * BLOCKS;
	expect("resized while mapped", command(fd, KUTRACE_IOC_CONFIGURE, &larger), ETXTBSY);
	close(fd);
	expect("unloaded while mapped", unload(), EWOULDBLOCK);
	munmap(at, BLOCKS * KUTRACE_BLOCK_BYTES);
}

/* ---- who owns a recording -------------------------------------------------------------------- */

static void two_openers(void)
{
	const int first = open_recording(), second = open_device();

	expect("on by another", switch_on(second, KUTRACE_ON_ATTACHED), EBUSY);
	expect("flush by another", command(second, KUTRACE_IOC_FLUSH, NULL), EBUSY);
	expect("whose it is", status(second).owner_pid, getpid());
	close(first);
	expect("recording, closed", status(second).recording, 0);
	expect("the other's turn", configure(second, KUTRACE_MODE_FILL), 0);
	close(second);
}

/* ---- a recording that several files read ------------------------------------------------------ */

static struct kutrace_join usual_join(void)
{
	struct kutrace_join wish = {.config = usual_config(KUTRACE_MODE_STREAM)};

	wish.config.blocks = 0;
	wish.config.groups = KUTRACE_GROUP_SYSCALLS;
	return wish;
}

static int join(int fd)
{
	struct kutrace_join wish = usual_join();

	return command(fd, KUTRACE_IOC_JOIN, &wish);
}

static int open_shared(uint32_t blocks)
{
	const int fd = open_device();
	struct kutrace_config config = usual_config(KUTRACE_MODE_STREAM);

	config.blocks = blocks;
	config.groups = KUTRACE_GROUP_IRQS;
	expect("configure", command(fd, KUTRACE_IOC_CONFIGURE, &config), 0);
	expect("on", switch_on(fd, KUTRACE_ON_SHARED), 0);
	return fd;
}

static void refused_joins(int second)
{
	struct kutrace_join wish;

#define REFUSED(field, value, error)                                                       \
	do {                                                                               \
		wish = usual_join();                                                       \
		wish.field = (value);                                                      \
		expect("join: " #field, command(second, KUTRACE_IOC_JOIN, &wish), error); \
	} while (0)
	REFUSED(config.mode, KUTRACE_MODE_FILL, EXDEV);
	REFUSED(config.mode, 0, EINVAL);
	REFUSED(config.flags, KUTRACE_CONFIG_NO_FOLD, EXDEV);
	REFUSED(config.flags, KUTRACE_CONFIG_ARGUMENTS, EXDEV);
	REFUSED(config.flags, KUTRACE_CONFIG_IPC, EXDEV);
	REFUSED(config.flags, KUTRACE_CONFIG_OWNERS, EXDEV);
	REFUSED(config.packet_mask, 1, EXDEV);
	REFUSED(config.idle_hint[0], 1, EXDEV);
	REFUSED(config.groups, KUTRACE_GROUP_SAMPLES, EDOM);
	REFUSED(config.blocks, BLOCKS, EINVAL);
	REFUSED(at, 1, EINVAL);
	REFUSED(blocks, 1, EINVAL);
	REFUSED(reserved, 1, EINVAL);
#undef REFUSED
}

static struct kutrace_take take(int fd, struct kutrace_block_info *infos, uint32_t capacity)
{
	struct kutrace_take what = {.address = (uintptr_t)infos, .capacity = capacity};

	expect("take", command(fd, KUTRACE_IOC_TAKE, &what), 0);
	return what;
}

static int give_back(int fd, const struct kutrace_block_info *info)
{
	const struct kutrace_release what = {.index = info->index, .serial = info->serial};

	return command(fd, KUTRACE_IOC_RELEASE, &what);
}

static uint32_t index_sum(const struct kutrace_block_info *infos, uint32_t count)
{
	uint32_t sum = 0;

	while (count--)
		sum += infos[count].serial;
	return sum;
}

static void two_readers(void)
{
	struct kutrace_block_info infos[BLOCKS], same[BLOCKS];
	struct kutrace_group_switch groups = {.groups = KUTRACE_GROUP_FAULTS};
	const int first = open_recording(), second = open_device();
	int shared;
	uint32_t count;

	expect("join what is not shared", join(second), EXDEV);
	close(first);
	expect("join nothing", join(second), ENODATA);
	shared = open_shared(BLOCKS);
	refused_joins(second);
	expect("join one's own", join(shared), EALREADY);
	expect("join", join(second), 0);
	expect("join again", join(second), EALREADY);
	expect("readers", status(second).readers, 2);
	expect("all that they want", status(shared).groups,
	       KUTRACE_GROUP_IRQS | KUTRACE_GROUP_SYSCALLS);
	expect("other groups", command(second, KUTRACE_IOC_GROUPS, &groups), 0);
	expect("what they want now", status(shared).groups, KUTRACE_GROUP_IRQS | KUTRACE_GROUP_FAULTS);
	expect("configure by one of two", configure(shared, KUTRACE_MODE_STREAM), EBUSY);
	expect("reset by one of two", command(shared, KUTRACE_IOC_RESET, NULL), EBUSY);
	expect("flush by who joined", command(second, KUTRACE_IOC_FLUSH, NULL), 0);
	count = take(second, infos, BLOCKS).count;
	if (count == 0)
		fail("blocks", 0, 1);
	expect("the same for both", index_sum(same, take(shared, same, count).count),
	       index_sum(infos, count));
	expect("given back", give_back(second, &infos[0]), 0);
	expect("given back twice", give_back(second, &infos[0]), ESTALE);
	expect("off for one", command(shared, KUTRACE_IOC_OFF, NULL), 0);
	expect("off twice", command(shared, KUTRACE_IOC_OFF, NULL), EALREADY);
	expect("over for it", status(shared).recording, 0);
	expect("not for the other", status(second).recording, 1);
	expect("given back when it is over", give_back(shared, &infos[0]), 0);
	close(shared);
	expect("goes on", status(second).recording, 1);
	expect("what is wanted still", status(second).groups, KUTRACE_GROUP_FAULTS);
	close(second);
}

/* All that there is, one at a time. */
static void take_and_give_back(int fd)
{
	struct kutrace_block_info info;

	while (take(fd, &info, 1).count != 0)
		expect("given back", give_back(fd, &info), 0);
}

/* Holds all that it may, and more is recorded than there are blocks for. */
static void slow_reader(void)
{
	struct kutrace_block_info infos[BLOCKS];
	const int slow = open_shared(BLOCKS), quick = open_device();

	expect("join", join(quick), 0);
	for (int i = 0; i < BLOCKS / 4; i++)
		expect("flush", command(slow, KUTRACE_IOC_FLUSH, NULL), 0);
	expect("blocks of the first", take(slow, infos, BLOCKS).count, BLOCKS / 4);
	expect("blocks of another", take(quick, infos, BLOCKS).count, 1);
	expect("given back", give_back(quick, &infos[0]), 0);
	for (int i = 0; i < 4 * BLOCKS; i++) {
		expect("flush", command(quick, KUTRACE_IOC_FLUSH, NULL), 0);
		take_and_give_back(quick);
	}
	expect("the quick one misses nothing", (long)status(quick).lapped, 0);
	expect("nothing is lost", (long)status(quick).lost, 0);
	if (status(slow).lapped == 0)
		fail("the slow one is told", 0, 1);
	close(quick);
	close(slow);
}

/* As they are killed: whatever they hold is free again. */
static void come_and_go(void)
{
	struct kutrace_block_info infos[BLOCKS];
	int kept = open_shared(BLOCKS);

	for (int i = 0; i < 100; i++) {
		const int other = open_device();

		expect("join", join(other), 0);
		if (i % 3 == 0)
			take(other, infos, BLOCKS);
		if (i % 5 == 0)
			expect("off", command(other, KUTRACE_IOC_OFF, NULL), 0);
		if (i % 7 == 0 && i % 5 != 0) {
			close(kept);
			kept = other;
		} else {
			close(other);
		}
		expect("readers", status(kept).readers, 1);
	}
	expect("joins", status(kept).joins, 100);
	close(kept);
}

/* Of so many blocks readers may hold half: the first a quarter, and who joins one. */
static void join_until_refused(uint32_t blocks)
{
	const uint32_t most = blocks < BLOCKS ? blocks / 4 : KUTRACE_READERS_MOST - 1;
	const int first = open_shared(blocks);
	int others[KUTRACE_READERS_MOST];

	for (uint32_t i = 0; i < KUTRACE_READERS_MOST; i++) {
		others[i] = open_device();
		expect("join", join(others[i]), i < most ? 0 : EUSERS);
	}
	close(first);
	expect("another's turn", join(others[KUTRACE_READERS_MOST - 1]), 0);
	for (uint32_t i = 0; i < KUTRACE_READERS_MOST; i++)
		close(others[i]);
}

static void too_many_readers(void)
{
	join_until_refused(BLOCKS);
	join_until_refused(BLOCKS / 4);
}

/* A child that did something and now waits until it is let go. */
struct child {
	pid_t pid;
	int gate;
};

static struct child start_child(void (*does)(void))
{
	struct child child;
	int ready[2], gate[2];
	char byte;

	if (pipe(ready) != 0 || pipe(gate) != 0)
		fail("pipe", errno, 0);
	child.pid = fork();
	if (child.pid == 0) {
		close(gate[1]);
		does();
		_exit(write(ready[1], "", 1) != 1 || read(gate[0], &byte, 1) != 0);
	}
	close(ready[1]);
	close(gate[0]);
	expect("ready", read(ready[0], &byte, 1), 1);
	close(ready[0]);
	child.gate = gate[1];
	return child;
}

static void end_child(struct child child)
{
	close(child.gate);
	waitpid(child.pid, NULL, 0);
}

static void inherit(void) {}

static void fork_with_device(void)
{
	const int fd = open_recording(), watcher = open_device();
	const struct child child = start_child(inherit);

	close(fd);
	expect("recording, child left", status(watcher).recording, 1);
	end_child(child);
	expect("recording, child gone", status(watcher).recording, 0);
	close(watcher);
}

static void record_and_map(void)
{
	if (map(open_recording(), PROT_READ) == MAP_FAILED)
		_exit(1);
}

static void killed_recorder(void)
{
	const int watcher = open_device();
	const struct child child = start_child(record_and_map);

	expect("recording", status(watcher).recording, 1);
	kill(child.pid, SIGKILL);
	end_child(child);
	expect("recording, killed", status(watcher).recording, 0);
	expect("all is free", status(watcher).blocks_used, 0);
	expect("another's turn", configure(watcher, KUTRACE_MODE_FILL), 0);
	close(watcher);
}

static void detached(void)
{
	int fd = open_device();

	expect("configure", configure(fd, KUTRACE_MODE_WRAP), 0);
	expect("on, detached", switch_on(fd, KUTRACE_ON_DETACHED), 0);
	expect("unloaded while open", unload(), EWOULDBLOCK);
	close(fd);
	expect("unloaded while recording", unload(), EWOULDBLOCK);
	fd = open_device();
	expect("recording, nobody's", status(fd).recording, 1);
	expect("off", command(fd, KUTRACE_IOC_OFF, NULL), 0);
	close(fd);
}

/* Recording lasts until the file and its mappings are gone. */
static void mapped_and_closed(void)
{
	const int fd = open_recording(), watcher = open_device();
	void *const at = map(fd, PROT_READ);

	if (at == MAP_FAILED)
		fail("a mapping", errno, 0);
	close(fd);
	expect("recording, closed but mapped", status(watcher).recording, 1);
	munmap(at, BLOCKS * KUTRACE_BLOCK_BYTES);
	expect("recording, unmapped", status(watcher).recording, 0);
	close(watcher);
}

/* What counts is who opened a file: nobody did this one, whoever uses it. */
static int open_by_nobody(void)
{
	int fd;

	expect("become nobody", seteuid(NOBODY), 0);
	fd = open_device();
	expect("become root again", seteuid(0), 0);
	return fd;
}

static void administrator(void)
{
	struct kutrace_config large = usual_config(KUTRACE_MODE_FILL);
	struct kutrace_config with_arguments = usual_config(KUTRACE_MODE_WRAP);
	int own, other, root;
	void *at;

	expect("unload", unload(), 0);
	expect("load for anybody", load_with("check=0"), 0);
	own = open_by_nobody();
	other = open_by_nobody();
	root = open_device();
	large.blocks = (uint32_t)((uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) /
				  KUTRACE_BLOCK_BYTES / 6);
	expect("a sixth of memory for nobody", command(own, KUTRACE_IOC_CONFIGURE, &large), E2BIG);
	with_arguments.flags = KUTRACE_CONFIG_ARGUMENTS;
	expect("arguments for nobody", command(own, KUTRACE_IOC_CONFIGURE, &with_arguments), EPERM);
	expect("configure", configure(own, KUTRACE_MODE_WRAP), 0);
	expect("on", switch_on(own, KUTRACE_ON_ATTACHED), 0);
	expect("off by another", command(other, KUTRACE_IOC_OFF, NULL), EBUSY);
	expect("flush by the administrator", command(root, KUTRACE_IOC_FLUSH, NULL), EBUSY);
	expect("off by the administrator", command(root, KUTRACE_IOC_OFF, NULL), 0);
	expect("recording", status(own).recording, 0);
	expect("the owner's next", switch_on(own, KUTRACE_ON_ATTACHED), 0);
	close(own);
	expect("arguments", command(root, KUTRACE_IOC_CONFIGURE, &with_arguments), 0);
	at = map(other, PROT_READ);
	if (at == MAP_FAILED)
		fail("a mapping of nobody's", errno, 0);
	expect("arguments that nobody could see", switch_on(root, KUTRACE_ON_ATTACHED), EPERM);
	munmap(at, BLOCKS * KUTRACE_BLOCK_BYTES);
	expect("arguments that nobody can see", switch_on(root, KUTRACE_ON_ATTACHED), 0);
	if (map(other, PROT_READ) != MAP_FAILED || errno != EPERM)
		fail("arguments mapped by a file of nobody's", errno, EPERM);
	expect("off", command(root, KUTRACE_IOC_OFF, NULL), 0);
	expect("the administrator's turn", configure(root, KUTRACE_MODE_WRAP), 0);
	expect("on", switch_on(root, KUTRACE_ON_ATTACHED), 0);
	if (map(other, PROT_READ) != MAP_FAILED || errno != EPERM)
		fail("kernel addresses mapped by a file of nobody's", errno, EPERM);
	close(other);
	close(root);
	expect("unload", unload(), 0);
	expect("load", load(), 0);
}

/* Whose file is closed is nobody's; but who may see less than who began it changes nothing of it. */
static void detached_by_root(void)
{
	const uint32_t self = (uint32_t)getpid();
	struct kutrace_group_switch groups = {.groups = KUTRACE_GROUP_SCHED};
	struct kutrace_filter filter = {.flags = KUTRACE_FILTER_PROCESSES};
	struct kutrace_block_info info;
	struct kutrace_take take = {.address = (uintptr_t)&info, .capacity = 1};
	int root, nobody, other;

	expect("unload", unload(), 0);
	expect("load for anybody", load_with("check=0"), 0);
	root = open_device();
	expect("configure", configure(root, KUTRACE_MODE_STREAM), 0);
	expect("a filter", command(root, KUTRACE_IOC_FILTER, &filter), 0);
	expect("on, detached", switch_on(root, KUTRACE_ON_DETACHED), 0);
	close(root);
	nobody = open_by_nobody();
	expect("off by nobody", command(nobody, KUTRACE_IOC_OFF, NULL), EBUSY);
	expect("flush by nobody", command(nobody, KUTRACE_IOC_FLUSH, NULL), EBUSY);
	expect("groups by nobody", command(nobody, KUTRACE_IOC_GROUPS, &groups), EBUSY);
	expect("processes by nobody", add_processes(nobody, &self, 1, KUTRACE_PROCESS_NAMED), EBUSY);
	expect("take by nobody", command(nobody, KUTRACE_IOC_TAKE, &take), EBUSY);
	expect("recording", status(nobody).recording, 1);
	root = open_device();
	expect("groups by root", command(root, KUTRACE_IOC_GROUPS, &groups), 0);
	expect("off by root", command(root, KUTRACE_IOC_OFF, NULL), 0);
	expect("configure by nobody", configure(nobody, KUTRACE_MODE_FILL), EBUSY);
	expect("reset by nobody", command(nobody, KUTRACE_IOC_RESET, NULL), EBUSY);
	expect("on by nobody", switch_on(nobody, KUTRACE_ON_ATTACHED), EBUSY);
	expect("reset by root", command(root, KUTRACE_IOC_RESET, NULL), 0);
	expect("nobody's turn", configure(nobody, KUTRACE_MODE_FILL), 0);
	expect("on, detached", switch_on(nobody, KUTRACE_ON_DETACHED), 0);
	close(nobody);
	other = open_by_nobody();
	expect("off by another nobody", command(other, KUTRACE_IOC_OFF, NULL), 0);
	close(other);
	close(root);
	expect("unload", unload(), 0);
	expect("load", load(), 0);
}

/* More than there is: refused, and nobody dies for it. */
static void memory_pressure(void)
{
	const size_t pages = (size_t)sysconf(_SC_AVPHYS_PAGES) * 9 / 10;
	const size_t bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
	char *mine = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kutrace_config config = usual_config(KUTRACE_MODE_FILL);
	const int fd = open_device();

	if (mine == MAP_FAILED)
		fail("memory", errno, 0);
	madvise(mine, bytes, MADV_HUGEPAGE); /* or not: it takes longer */
	for (size_t i = 0; i < bytes; i += 4096)
		mine[i] = 1;
	config.blocks = (uint32_t)(bytes / 2 / KUTRACE_BLOCK_BYTES);
	expect("configure", command(fd, KUTRACE_IOC_CONFIGURE, &config), ENOMEM);
	expect("blocks kept", status(fd).blocks, 0);
	munmap(mine, bytes);
	expect("configure, memory back", configure(fd, KUTRACE_MODE_FILL), 0);
	close(fd);
}

/* ---- load ------------------------------------------------------------------------------------ */

static volatile int loading = 1;

/* Enters the kernel in all ways it can think of. */
static void *load_machine(void *unused)
{
	int ends[2];
	char byte = 0;

	(void)unused;
	while (loading) {
		char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		*page = 1;
		munmap(page, 4096);
		give_way();
		syscall(SYS_getppid);
		syscall(1023, 7, 0x20aull << KUTRACE_EVENT_SHIFT);
		if (pipe(ends) == 0 && write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1)
			close(ends[0]), close(ends[1]);
		usleep(500);
	}
	return NULL;
}

static void under_load(void (*function)(void))
{
	pthread_t threads[FUZZERS];

	loading = 1;
	for (int i = 0; i < FUZZERS; i++)
		pthread_create(&threads[i], NULL, load_machine, NULL);
	function();
	loading = 0;
	for (int i = 0; i < FUZZERS; i++)
		pthread_join(threads[i], NULL);
}

static void cycle(void)
{
	for (int i = 0; i < cycles; i++) {
		int fd;

		expect("load", load(), 0);
		fd = open_recording();
		usleep(500);
		if (i % 2)
			expect("off", command(fd, KUTRACE_IOC_OFF, NULL), 0);
		close(fd);
		expect("unload", unload(), 0);
	}
}

static void load_and_unload(void)
{
	expect("unload", unload(), 0);
	under_load(cycle);
	expect("load", load(), 0);
}

/* ---- arguments of system calls ------------------------------------------------------------------ */

static struct kutrace_arguments usual_arguments(void)
{
	struct kutrace_arguments arguments = {.buffer_bytes = 32};

	for (unsigned nr = 0; nr < KUTRACE_CALLS; nr++) {
		struct kutrace_call_arguments *const call = &arguments.calls[nr];

		call->count = KUTRACE_MAX_ARGUMENTS;
		call->in = call->out = 1;
		for (unsigned i = 0; i < KUTRACE_MAX_ARGUMENTS; i++)
			call->kinds[i] = (nr + i) % KUTRACE_DATA_KINDS;
	}
	return arguments;
}

static void wait_a_while(void) { usleep(300000); }

/* Which arguments are recorded, every kind of every call's, whatever it points to; and stacks. */
static void arguments_and_stacks(void)
{
	const int fd = open_device(), other = open_device();
	static struct kutrace_stack stacks[4];
	struct kutrace_stacks question = {.address = (uintptr_t)stacks, .capacity = 4};
	struct kutrace_arguments what = usual_arguments();
	struct kutrace_config config = usual_config(KUTRACE_MODE_STREAM);

#define REFUSED(field, value)                                                                  \
	do {                                                                                   \
		what = usual_arguments();                                                      \
		what.field = (value);                                                          \
		expect(#field " = " #value, command(fd, KUTRACE_IOC_ARGUMENTS, &what), EINVAL); \
	} while (0)
	expect("configure", command(fd, KUTRACE_IOC_CONFIGURE, &config), 0);
	expect("arguments unasked for", command(fd, KUTRACE_IOC_ARGUMENTS, &what), ENODATA);
	expect("no stacks", command(fd, KUTRACE_IOC_STACKS, &question), 0);
	expect("how many", question.count, 0);
	question.reserved = 1;
	expect("a reserved field", command(fd, KUTRACE_IOC_STACKS, &question), EINVAL);
	question.reserved = 0;
	config.flags = KUTRACE_CONFIG_ARGUMENTS | KUTRACE_CONFIG_STACKS;
	expect("configure for arguments", command(fd, KUTRACE_IOC_CONFIGURE, &config), 0);
	expect("another's", command(other, KUTRACE_IOC_ARGUMENTS, &what), EBUSY);
	REFUSED(buffer_bytes, KUTRACE_STRING_BYTES + 1);
	REFUSED(reserved, 1);
	REFUSED(calls[0].count, KUTRACE_MAX_ARGUMENTS + 1);
	REFUSED(calls[KUTRACE_CALLS - 1].kinds[5], KUTRACE_DATA_KINDS);
	REFUSED(calls[7].in, 2);
	REFUSED(calls[7].out, 2);
	REFUSED(calls[7].reserved[6], 1);
#undef REFUSED
	expect("no such memory", command(fd, KUTRACE_IOC_ARGUMENTS, (void *)8), EFAULT);
	what = usual_arguments();
	expect("arguments", command(fd, KUTRACE_IOC_ARGUMENTS, &what), 0);
	expect("on", switch_on(fd, KUTRACE_ON_ATTACHED), 0);
	what.calls[1].count = what.calls[1].count ? 0 : 3;
	expect("other calls while on", command(fd, KUTRACE_IOC_ARGUMENTS, &what), 0);
	expect("another's while on", command(other, KUTRACE_IOC_ARGUMENTS, &what), EBUSY);
	what.calls[1].kinds[1] ^= KUTRACE_DATA_STRING;
	expect("another kind while on", command(fd, KUTRACE_IOC_ARGUMENTS, &what), EBUSY);
	what = usual_arguments();
	what.buffer_bytes--;
	expect("other lengths while on", command(fd, KUTRACE_IOC_ARGUMENTS, &what), EBUSY);
	expect("stacks while on", command(fd, KUTRACE_IOC_STACKS, &question), EBUSY);
	under_load(wait_a_while);
	expect("off", command(fd, KUTRACE_IOC_OFF, NULL), 0);
	expect("another's stacks", command(other, KUTRACE_IOC_STACKS, &question), EBUSY);
	question.address = 8;
	expect("stacks to nowhere", command(fd, KUTRACE_IOC_STACKS, &question), EFAULT);
	question.address = (uintptr_t)stacks;
	expect("stacks", command(fd, KUTRACE_IOC_STACKS, &question), 0);
	expect("how many", question.count, 4);
	expect("frames of the first", stacks[0].count > 0 && stacks[0].number > 0, 1);
	close(fd);
	close(other);
}

/* ---- configurations that fail ------------------------------------------------------------------- */

static void expect_same(const char *what, int fd, const struct kutrace_status *before)
{
	const struct kutrace_status now = status(fd);

	expect(what, memcmp(&now, before, sizeof(now)), 0);
}

/* Each leaves the one before in force, with what was recorded and with all that the next recording needs. */
static void failed_configurations(void)
{
	static struct kutrace_stack stacks[4];
	struct kutrace_stacks question = {.address = (uintptr_t)stacks, .capacity = 4};
	const struct kutrace_arguments what = usual_arguments();
	struct kutrace_config config = usual_config(KUTRACE_MODE_STREAM), other;
	struct kutrace_status before;
	const int fd = open_device();
	void *at;

	config.flags = KUTRACE_CONFIG_ARGUMENTS | KUTRACE_CONFIG_STACKS;
	expect("configure", command(fd, KUTRACE_IOC_CONFIGURE, &config), 0);
	expect("arguments", command(fd, KUTRACE_IOC_ARGUMENTS, &what), 0);
	expect("on", switch_on(fd, KUTRACE_ON_ATTACHED), 0);
	under_load(wait_a_while);
	expect("off", command(fd, KUTRACE_IOC_OFF, NULL), 0);
	before = status(fd);
	at = map(fd, PROT_READ);
	if (at == MAP_FAILED)
		fail("a mapping", errno, 0);
	for (uint32_t flags = 0; flags <= config.flags; flags += KUTRACE_CONFIG_ARGUMENTS) {
		other = usual_config(KUTRACE_MODE_FILL);
		other.flags = flags;
		other.blocks = 1;
		expect("too few blocks", command(fd, KUTRACE_IOC_CONFIGURE, &other), ENOBUFS);
		expect_same("after too few blocks", fd, &before);
		other.blocks = UINT32_MAX;
		expect("too many blocks", command(fd, KUTRACE_IOC_CONFIGURE, &other), E2BIG);
		expect_same("after too many blocks", fd, &before);
		other.blocks = 2 * BLOCKS;
		expect("others while mapped", command(fd, KUTRACE_IOC_CONFIGURE, &other), ETXTBSY);
		expect_same("after others while mapped", fd, &before);
		other.flags = flags | KUTRACE_CONFIG_IPC; /* emulated processors have none */
		expect("no such counter", command(fd, KUTRACE_IOC_CONFIGURE, &other), ENODEV);
		expect_same("after no such counter", fd, &before);
	}
	munmap(at, BLOCKS * KUTRACE_BLOCK_BYTES);
	expect("stacks of before", command(fd, KUTRACE_IOC_STACKS, &question), 0);
	expect("how many", question.count, 4);
	expect("on as before", switch_on(fd, KUTRACE_ON_ATTACHED), 0);
	expect("arguments as before", command(fd, KUTRACE_IOC_ARGUMENTS, &what), 0);
	under_load(wait_a_while);
	expect("off", command(fd, KUTRACE_IOC_OFF, NULL), 0);
	question.from = 0;
	expect("stacks of the next", command(fd, KUTRACE_IOC_STACKS, &question), 0);
	expect("how many", question.count, 4);
	close(fd);
}

/* ---- random commands ------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static const unsigned long commands[] = {
	KUTRACE_IOC_VERSION, KUTRACE_IOC_CONFIGURE, KUTRACE_IOC_RESET, KUTRACE_IOC_ON,
	KUTRACE_IOC_OFF, KUTRACE_IOC_FLUSH, KUTRACE_IOC_STATUS, KUTRACE_IOC_CPU,
	KUTRACE_IOC_TAKE, KUTRACE_IOC_RELEASE, KUTRACE_IOC_CLOCKS, KUTRACE_IOC_HOOK,
	KUTRACE_IOC_INSERT, KUTRACE_IOC_INSERT_NAME, KUTRACE_IOC_ARGUMENTS, KUTRACE_IOC_STACKS,
	KUTRACE_IOC_FILTER, KUTRACE_IOC_PROCESSES, KUTRACE_IOC_OWNER, KUTRACE_IOC_GROUPS,
	KUTRACE_IOC_JOIN, KUTRACE_IOC_JOIN,
};

/* As long as the longest argument of a command. */
enum { ARGUMENT_WORDS = (sizeof(struct kutrace_arguments) + 7) / 8, RANDOM_WORDS = 32 };

/* Mostly what is almost right, for what is not is refused at once. */
static void make_argument(uint64_t *words, uint64_t *state)
{
	for (int i = 0; i < RANDOM_WORDS; i++)
		words[i] = next_random(state) % 4 ? 0 : next_random(state) >> next_random(state) % 64;
	if (next_random(state) % 2) {
		struct kutrace_config config = usual_config(1 + (uint32_t)(next_random(state) % 3));

		config.groups &= (uint32_t)next_random(state);
		config.flags = next_random(state) % 2 ? 0 : next_random(state) & KUTRACE_CONFIG_FLAGS;
		config.blocks = next_random(state) % 2 ? BLOCKS : (uint32_t)(next_random(state) % 2);
		memcpy(words, &config, sizeof(config));
	} else if (next_random(state) % 4 == 0) {
		const struct kutrace_filter filter = usual_filter();

		memcpy(words, &filter, sizeof(filter));
	} else if (next_random(state) % 4 == 0) {
		const struct kutrace_arguments arguments = usual_arguments();

		memcpy(words, &arguments, sizeof(arguments));
	} else if (next_random(state) % 2) {
		words[0] = next_random(state) % 4;
	}
}

struct fuzzer {
	uint64_t seed;
	int fds[2];
	int shares; /* the files are another's, too, and stay open */
};

static void *fuzz(void *argument)
{
	struct fuzzer *self = argument;
	uint64_t state = self->seed, words[ARGUMENT_WORDS] = {0};

	for (int i = 0; i < fuzz_rounds; i++) {
		const uint64_t pick = next_random(&state);
		const unsigned long number = pick % 16 ? commands[pick / 16 % (sizeof(commands) / sizeof(commands[0]))] : (pick >> 8);
		const int which = pick >> 60 & 1;

		make_argument(words, &state);
		command(self->fds[which], number, pick >> 61 ? words : (void *)(uintptr_t)words[1]);
		if (pick % 512 == 0 && !self->shares) {
			close(self->fds[which]);
			self->fds[which] = open_device();
		}
	}
	return NULL;
}

static void run_fuzzers(int share)
{
	struct fuzzer fuzzers[FUZZERS];
	pthread_t threads[FUZZERS];

	for (int i = 0; i < FUZZERS; i++) {
		fuzzers[i] = (struct fuzzer){.seed = (uint64_t)i + 1, .shares = share};
		for (int j = 0; j < 2; j++)
			fuzzers[i].fds[j] = i && share ? fuzzers[0].fds[j] : open_device();
	}
	for (int i = 0; i < FUZZERS; i++)
		pthread_create(&threads[i], NULL, fuzz, &fuzzers[i]);
	for (int i = 0; i < FUZZERS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < (share ? 1 : FUZZERS); i++)
		close(fuzzers[i].fds[0]), close(fuzzers[i].fds[1]);
}

static void random_commands(void) { run_fuzzers(0); }
static void random_shared_commands(void) { run_fuzzers(1); }

static void switch_off_what_is_left(void)
{
	const int fd = open_device();

	if (status(fd).recording) /* a detached one */
		expect("off", command(fd, KUTRACE_IOC_OFF, NULL), 0);
	close(fd);
}

static void fuzz_under_load(void)
{
	under_load(random_commands);
	switch_off_what_is_left();
}

/* ---- threads that share a file ----------------------------------------------------------------- */

enum { FEW_BLOCKS = 8, SHARING = 4 };

static volatile int sharing;
static int shared_fd;

/* Takes what it cannot be told of: where blocks go, how many they are, or both. */
static void *take_in_vain(void *nothing)
{
	struct kutrace_take *const unwritable =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kutrace_take take = {.address = 8, .capacity = FEW_BLOCKS};
	struct kutrace_block_info infos[FEW_BLOCKS];

	(void)nothing;
	*unwritable = (struct kutrace_take){.address = (uintptr_t)infos, .capacity = FEW_BLOCKS};
	mprotect(unwritable, 4096, PROT_READ);
	while (sharing) {
		command(shared_fd, KUTRACE_IOC_TAKE, &take);
		command(shared_fd, KUTRACE_IOC_TAKE, unwritable);
	}
	munmap(unwritable, 4096);
	return NULL;
}

/* Gives back what it took, and once more, in whatever recording that may be. */
static void *take_and_release(void *nothing)
{
	struct kutrace_block_info infos[FEW_BLOCKS];
	struct kutrace_take take = {.address = (uintptr_t)infos, .capacity = FEW_BLOCKS};

	(void)nothing;
	while (sharing) {
		if (command(shared_fd, KUTRACE_IOC_TAKE, &take) != 0)
			continue;
		for (uint32_t i = 0; i < 2 * take.count; i++) {
			const struct kutrace_block_info *info = &infos[i % take.count];
			const struct kutrace_release release = {info->index, info->serial};

			command(shared_fd, KUTRACE_IOC_RELEASE, &release);
		}
	}
	return NULL;
}

static void *insert_always(void *nothing)
{
	const uint64_t mark = 0x20aull << KUTRACE_EVENT_SHIFT;

	(void)nothing;
	while (sharing)
		command(shared_fd, KUTRACE_IOC_INSERT, &mark);
	return NULL;
}

/* Against a file that is configured, switched on and off all the time, with so few blocks that all are used. */
static void shared_file(void)
{
	void *(*const threads_do[SHARING])(void *) = {take_in_vain, take_in_vain, take_and_release,
						      insert_always};
	struct kutrace_config config = usual_config(KUTRACE_MODE_FILL);
	pthread_t threads[SHARING];

	config.blocks = FEW_BLOCKS;
	shared_fd = open_device();
	sharing = 1;
	for (int i = 0; i < SHARING; i++)
		pthread_create(&threads[i], NULL, threads_do[i], NULL);
	for (int i = 0; i < shared_rounds; i++) {
		config.mode = 1 + (uint32_t)i % 3;
		expect("configure", command(shared_fd, KUTRACE_IOC_CONFIGURE, &config), 0);
		expect("on", switch_on(shared_fd, KUTRACE_ON_ATTACHED), 0);
		for (int j = 0; j < FEW_BLOCKS; j++)
			expect("flush", command(shared_fd, KUTRACE_IOC_FLUSH, NULL), 0);
		expect("off", command(shared_fd, KUTRACE_IOC_OFF, NULL), 0);
	}
	sharing = 0;
	for (int i = 0; i < SHARING; i++)
		pthread_join(threads[i], NULL);
	expect("reset", command(shared_fd, KUTRACE_IOC_RESET, NULL), 0);
	expect("blocks used", status(shared_fd).blocks_used, 0);
	close(shared_fd);
}

static void share_under_load(void) { under_load(shared_file); }

static void fuzz_shared_under_load(void)
{
	under_load(random_shared_commands);
	switch_off_what_is_left();
}

static const struct test_case uses[] = {
	{"refusals", refusals},
	{"arguments and stacks", arguments_and_stacks},
	{"configurations that fail", failed_configurations},
	{"permission", permission},
	{"mapping", mapping},
	{"two openers", two_openers},
	{"two readers", two_readers},
	{"a slow reader", slow_reader},
	{"readers come and go", come_and_go},
	{"too many readers", too_many_readers},
	{"fork with the device open", fork_with_device},
	{"killed recorder", killed_recorder},
	{"detached", detached},
	{"mapped and closed", mapped_and_closed},
	{"administrator", administrator},
	{"detached by root", detached_by_root},
	{"memory pressure", memory_pressure},
	{"random commands under load", fuzz_under_load},
};

static const struct test_case shares[] = {
	{"a shared file under load", share_under_load},
	{"random commands on shared files", fuzz_shared_under_load},
};

static const struct test_case loads[] = {{"loaded and unloaded under load", load_and_unload}};

#define RUN(cases) run_cases(cases, sizeof(cases) / sizeof((cases)[0]))

int main(int count, char **arguments)
{
	const char *const part = count == 4 ? arguments[2] : "";
	const int is_use = strcmp(part, "use") == 0, is_loads = strcmp(part, "loads") == 0;
	const int is_share = strcmp(part, "share") == 0, is_all = strcmp(part, "all") == 0;
	const int scale = count == 4 ? atoi(arguments[3]) : 0;

	if (scale < 1 || !(is_all || is_use || is_loads || is_share))
		return 2;
	module_path = arguments[1];
	fuzz_rounds *= scale;
	shared_rounds *= scale;
	cycles *= scale;
	now_in = "start";
	expect("load", load(), 0);
	if (is_all || is_use)
		RUN(uses);
	if (is_all || is_share)
		RUN(shares);
	if (is_all || is_loads)
		RUN(loads);
	expect("unload", unload(), 0);
	return 0;
}
