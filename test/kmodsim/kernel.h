/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the module's files include instead of the kernel's headers: the kernel's words, made of
 * machine.h and of the compiler's atomic operations. Each access to shared memory is a step.
 * It is the machine of an arm64 processor, for its functions need no instruction of a processor:
 * the x86 forms of cursor.h are not run here, only in kernels that boot.
 */
#ifndef KUTRACE_TEST_KERNEL_H
#define KUTRACE_TEST_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>

#include "machine.h"

/* Blocks so small that they are full after a few entries, and as few as to be used up. */
#include "kutrace/abi.h"
#include "kutrace/control.h"
#undef KUTRACE_BLOCK_BYTES
#undef KUTRACE_BLOCK_WORDS
#undef KUTRACE_TRAILER_BYTES
#define KUTRACE_BLOCK_BYTES 256u
#define KUTRACE_BLOCK_WORDS 32u
#define KUTRACE_TRAILER_BYTES 32u
#undef KUTRACE_KEPT_STACKS
#define KUTRACE_KEPT_STACKS 16u
#undef KUTRACE_MIN_BLOCKS_PER_CPU
#define KUTRACE_MIN_BLOCKS_PER_CPU 1u

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned int gfp_t;
typedef unsigned long vm_flags_t;
typedef unsigned int __poll_t;

#define CONFIG_ARM64 1
#define IS_ENABLED(option) 0
#define KERNEL_VERSION(a, b, c) ((a) << 16 | (b) << 8 | (c))
#define LINUX_VERSION_CODE KERNEL_VERSION(6, 1, 0)
#define KBUILD_MODNAME "kutrace"

#define __user
#define __percpu
#define __init
#define __exit
#define __maybe_unused __attribute__((unused))
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define noinline __attribute__((noinline))
#define ____cacheline_aligned __attribute__((aligned(64)))
#define __percpu_section __attribute__((section("percpu")))
#define likely(condition) (condition)
#define unlikely(condition) (condition)
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min3(a, b, c) min(min(a, b), c)
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define array_size(count, bytes) ((size_t)(count) * (bytes))
#define array_index_nospec(index, count) (index)
#define container_of(pointer, type, member) ((type*)((char*)(pointer) - offsetof(type, member)))
#define U64_MAX UINT64_MAX
#define hweight32(bits) ((u32)__builtin_popcount(bits))
#define __ffs(bits) ((unsigned long)__builtin_ctzl(bits))
#define SZ_1M (1u << 20)
#define DIV_ROUND_UP(n, by) (((n) + (by) - 1) / (by))
#define hash_32(value, bits) ((u32)(value) * 0x61c88647u >> (32 - (bits)))
#define _RET_IP_ 1ul
#define ENOTSUPP 524
#define ERESTARTSYS 512

/* ---- memory order: TSan has C11's rules, and the kernel's words are these ---------------------
 */

#define barrier() __asm__ volatile("" ::: "memory")
#define READ_ONCE(x) (sim_step(), __atomic_load_n(&(x), __ATOMIC_RELAXED))
#define WRITE_ONCE(x, value) (sim_step(), __atomic_store_n(&(x), (value), __ATOMIC_RELAXED))
#define smp_load_acquire(at) (sim_step(), __atomic_load_n(at, __ATOMIC_ACQUIRE))
#define smp_store_release(at, value) (sim_step(), __atomic_store_n(at, value, __ATOMIC_RELEASE))
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb() smp_mb()
#define smp_mb__before_atomic() smp_mb()
#define smp_mb__after_atomic() smp_mb()

#define xchg(at, value)                               \
  ({                                                  \
    sim_step();                                       \
    __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST); \
  })
#define sim_cmpxchg(at, old, new, order)                                            \
  ({                                                                                \
    __typeof__(*(at)) sim_old = (old);                                              \
    sim_step();                                                                     \
    __atomic_compare_exchange_n(at, &sim_old, new, false, order, __ATOMIC_RELAXED); \
    sim_old;                                                                        \
  })
#define cmpxchg(at, old, new) sim_cmpxchg(at, old, new, __ATOMIC_SEQ_CST)
#define cmpxchg64(at, old, new) sim_cmpxchg(at, old, new, __ATOMIC_SEQ_CST)
#define cmpxchg_local(at, old, new) sim_cmpxchg(at, old, new, __ATOMIC_RELAXED)

#define SIM_ATOMIC(prefix, type, number)                                                   \
  typedef struct {                                                                         \
    number counter;                                                                        \
  } type;                                                                                  \
  static inline number prefix##_read(const type* v) { return READ_ONCE(v->counter); }      \
  static inline void prefix##_set(type* v, number n) { WRITE_ONCE(v->counter, n); }        \
  static inline void prefix##_add(number n, type* v) {                                     \
    sim_step();                                                                            \
    __atomic_fetch_add(&v->counter, n, __ATOMIC_RELAXED);                                  \
  }                                                                                        \
  static inline void prefix##_sub(number n, type* v) { prefix##_add(-n, v); }              \
  static inline void prefix##_inc(type* v) { prefix##_add(1, v); }                         \
  static inline void prefix##_dec(type* v) { prefix##_add(-1, v); }                        \
  static inline number prefix##_add_return(number n, type* v) {                            \
    sim_step();                                                                            \
    return __atomic_add_fetch(&v->counter, n, __ATOMIC_SEQ_CST);                           \
  }                                                                                        \
  static inline number prefix##_sub_return(number n, type* v) {                            \
    return prefix##_add_return(-n, v);                                                     \
  }                                                                                        \
  static inline number prefix##_inc_return(type* v) { return prefix##_add_return(1, v); }  \
  static inline number prefix##_dec_return(type* v) { return prefix##_add_return(-1, v); } \
  static inline number prefix##_cmpxchg(type* v, number old, number new) {                 \
    return cmpxchg(&v->counter, old, new);                                                 \
  }                                                                                        \
  static inline number prefix##_dec_if_positive(type* v) {                                 \
    number was = prefix##_read(v), seen;                                                   \
                                                                                           \
    while (was > 0 && (seen = prefix##_cmpxchg(v, was, was - 1)) != was) was = seen;       \
    return was - 1;                                                                        \
  }

SIM_ATOMIC(atomic, atomic_t, int)
#define atomic_or(bits, v) \
  (sim_step(), (void)__atomic_fetch_or(&(v)->counter, bits, __ATOMIC_RELAXED))
#define atomic_andnot(bits, v) \
  (sim_step(), (void)__atomic_fetch_and(&(v)->counter, ~(bits), __ATOMIC_RELAXED))
SIM_ATOMIC(atomic64, atomic64_t, s64)
SIM_ATOMIC(local, local_t, long)

/* ---- CPUs ------------------------------------------------------------------------------------ */

#define DEFINE_PER_CPU(type, name) __percpu_section __typeof__(type) name
#define DECLARE_PER_CPU(type, name) extern __percpu_section __typeof__(type) name

ptrdiff_t sim_percpu_offset(unsigned int cpu);

void* sim_alloc_percpu(size_t bytes);
void sim_free_percpu(void* at);
unsigned sim_percpu_allocated(void);

#define alloc_percpu(type) ((type*)sim_alloc_percpu(sizeof(type)))
#define free_percpu(at) sim_free_percpu(at)
#define per_cpu_ptr(at, cpu) ((__typeof__(at))((char*)(at) + sim_percpu_offset(cpu)))
#define this_cpu_ptr(at) per_cpu_ptr(at, sim_cpu())
#define raw_cpu_ptr(at) this_cpu_ptr(at)
#define this_cpu_read(x) READ_ONCE(*this_cpu_ptr(&(x)))
#define this_cpu_write(x, value) WRITE_ONCE(*this_cpu_ptr(&(x)), value)
#define this_cpu_cmpxchg(x, old, new) cmpxchg_local(this_cpu_ptr(&(x)), old, new)
#define raw_cpu_read(x) this_cpu_read(x)
#define raw_cpu_write(x, value) this_cpu_write(x, value)

#define nr_cpu_ids ((unsigned int)SIM_CPUS)
#define num_possible_cpus() ((unsigned int)SIM_CPUS)
#define cpu_possible(cpu) ((cpu) < nr_cpu_ids)
#define cpu_online(cpu) sim_is_online(cpu)
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)
#define for_each_online_cpu(cpu)                      \
  for_each_possible_cpu(cpu) if (!cpu_online(cpu)) {} \
  else

struct cpumask {
  unsigned long bits;
};

extern const struct cpumask sim_possible_cpus, sim_single_cpus[];

#define cpu_possible_mask (&sim_possible_cpus)
#define cpumask_of(cpu) (&sim_single_cpus[cpu])
#define for_each_cpu(cpu, mask)                                   \
  for_each_possible_cpu(cpu) if (!((mask)->bits >> (cpu) & 1)) {} \
  else
#define raw_smp_processor_id() sim_cpu()
#define smp_processor_id() sim_cpu()
#define smp_call_function_single(cpu, function, data, wait) (sim_call(cpu, function, data), 0)
#define cpus_read_lock() sim_cpus_lock()
#define cpus_read_unlock() sim_cpus_unlock()
#define synchronize_rcu() sim_grace_period()

#define preempt_disable() sim_preempt_disable()
#define preempt_enable() sim_preempt_enable()
#define preempt_disable_notrace() sim_preempt_disable()
#define preempt_enable_notrace() sim_preempt_enable()
#define lockdep_assert_preemption_disabled() \
  (sim_preempt_is_off() ? (void)0 : sim_fail("%s: preemption is on", __func__))
#define preemptible() (!sim_preempt_is_off())
#define local_irq_save(flags) ((void)((flags) = 0), sim_irq_disable())
#define local_irq_restore(flags) ((void)(flags), sim_irq_enable())
#define in_interrupt() (sim_in_irq() || sim_in_nmi())
#define in_hardirq() sim_in_irq()
#define in_nmi() sim_in_nmi()

#define CPUHP_AP_ONLINE_DYN 0
#define cpuhp_setup_state_nocalls(state, name, comes, goes) (sim_on_hotplug(comes, goes), 1)
#define cpuhp_remove_state_nocalls(state) sim_on_hotplug(NULL, NULL)

struct irq_work {
  struct sim_work work;
  void (*run)(struct irq_work* work);
};

void sim_run_irq_work(struct sim_work* work);

#define DEFINE_IRQ_WORK(name, function) \
  struct irq_work name = {.work = {.run = sim_run_irq_work}, .run = (function)}
#define irq_work_queue(w) sim_queue_irq_work(&(w)->work)
#define irq_work_sync(w) sim_sync_irq_work(&(w)->work)

struct work_struct {
  struct sim_work work;
  void (*run)(struct work_struct* work);
};

void sim_run_work(struct sim_work* work);

#define DECLARE_WORK(name, function) \
  struct work_struct name = {.work = {.run = sim_run_work}, .run = (function)}
#define system_unbound_wq NULL
#define schedule_work(w) sim_queue_work(&(w)->work)
#define queue_work(queue, w) sim_queue_work(&(w)->work)
#define cancel_work_sync(w) sim_cancel_work(&(w)->work)

/* ---- locks, waiting -------------------------------------------------------------------------- */

struct mutex {
  struct sim_lock lock;
};

#define DEFINE_MUTEX(name) struct mutex name
#define lockdep_assert_held(mutex) ((void)(mutex))

void mutex_lock(struct mutex* mutex);
void mutex_unlock(struct mutex* mutex);

static inline int mutex_lock_killable(struct mutex* mutex) {
  if (sim_fails()) return -EINTR;
  mutex_lock(mutex);
  return 0;
}

typedef struct {
  int unused;
} wait_queue_head_t, poll_table;

#define __WAIT_QUEUE_HEAD_INITIALIZER(name) {0}
#define wq_has_sleeper(queue) ((void)(queue), sim_random(2))
#define wake_up_interruptible_all(queue) ((void)(queue))
#define poll_wait(file, queue, table) ((void)(file), (void)(queue), (void)(table))
#define cond_resched() sim_step()
#define EPOLLIN 1u
#define EPOLLERR 8u
#define EPOLLRDNORM 64u

/* ---- memory ---------------------------------------------------------------------------------- */

enum {
  GFP_KERNEL = 1,
  __GFP_ZERO = 2,
  __GFP_NOWARN = 4,
  __GFP_RETRY_MAYFAIL = 8,
  __GFP_ACCOUNT = 16,
  __GFP_NORETRY = 32
};

#define GFP_KERNEL_ACCOUNT (GFP_KERNEL | __GFP_ACCOUNT)
#define PAGE_SHIFT 12
#define PAGE_SIZE ((unsigned long)SIM_PAGE)
#define offset_in_page(at) ((unsigned long)(at) % PAGE_SIZE)
#define get_order(bytes) 0
#define totalram_pages() 4096ul
#define __vmalloc(bytes, flags) ((void)(flags), sim_alloc(bytes))
#define vfree(at) sim_free(at)
#define kmalloc(bytes, flags) ((void)(flags), sim_alloc(bytes))
#define kmalloc_array(count, bytes, flags) ((void)(flags), sim_alloc((count) * (bytes)))
#define kfree(at) sim_free(at)
#define __get_free_pages(flags, order) \
  ((void)(flags), (unsigned long)sim_alloc(KUTRACE_BLOCK_BYTES))
#define free_pages(at, order) sim_free((void*)(at))
#define virt_to_page(at) sim_page_private(at)
#define page_private(page) (*(page))
#define set_page_private(page, value) (*(page) = (value))
#define page_to_pfn(page) ((unsigned long)(page))

struct vm_operations_struct;

struct vm_area_struct {
  unsigned long vm_start, vm_end, vm_pgoff;
  vm_flags_t vm_flags;
  unsigned long vm_page_prot;
  const struct vm_operations_struct* vm_ops;
  void* vm_private_data;
  struct file* vm_file;
};

struct vm_operations_struct {
  void (*open)(struct vm_area_struct* area);
  void (*close)(struct vm_area_struct* area);
};

enum {
  VM_WRITE = 2,
  VM_EXEC = 4,
  VM_MAYWRITE = 0x20,
  VM_MAYEXEC = 0x40,
  VM_DONTCOPY = 0x20000,
  VM_DONTEXPAND = 0x40000,
  VM_DONTDUMP = 0x4000000,
};

#define remap_pfn_range(area, at, frame, bytes, protection) ((void)(frame), 0)

/* Fails at random, and for the first page of a process. */
static inline unsigned long sim_copy(void* to, const void* from, size_t bytes, const void* user) {
  sim_step();
  if ((uintptr_t)user < SIM_PAGE || sim_fails()) return bytes;
  memcpy(to, from, bytes);
  return 0;
}

/* The first two may wait for a page. */
#define copy_to_user(to, from, bytes) (sim_doze(), sim_copy(to, from, bytes, to))
#define copy_from_user(to, from, bytes) (sim_doze(), sim_copy(to, from, bytes, from))
#define copy_from_kernel_nofault(to, from, bytes) (*(to) = READ_ONCE(*(from)), 0)
#define copy_from_user_nofault(to, from, bytes) sim_copy(to, from, bytes, from)

/* ---- perf: events that always count; one that was released cannot be touched -------------------
 */

#define IS_ERR(at) ((unsigned long)(at) >= -4095ul)
#define PTR_ERR(at) ((long)(at))
#define ERR_PTR(error) ((void*)(long)(error))
#define PTR_ERR_OR_ZERO(at) (IS_ERR(at) ? (int)PTR_ERR(at) : 0)
#define ilog2(n) (63 - __builtin_clzll(n))
#define div64_u64(a, b) ((a) / (b))
#define strscpy(to, from, bytes) ((void)(to), (void)(from), (void)(bytes))

enum { PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE };
enum { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CACHE_MISSES };
enum { PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_PAGE_FAULTS_MIN = 5, PERF_COUNT_SW_PAGE_FAULTS_MAJ };
enum { PERF_EVENT_STATE_ACTIVE = 1 };

struct perf_sample_data;
struct pt_regs;
struct perf_event;

struct perf_event_attr {
  u32 type, size;
  u64 config, sample_period;
  u32 pinned, freq;
};

struct pmu {
  void (*read)(struct perf_event* event);
};

struct perf_event {
  int state, oncpu;
  struct pmu* pmu;
  local_t count;
};

typedef void (*perf_overflow_handler_t)(struct perf_event* event, struct perf_sample_data* data,
                                        struct pt_regs* regs);

#define local64_read(v) ((u64)local_read(v))
struct perf_event* perf_event_create_kernel_counter(const struct perf_event_attr* attributes,
                                                    int cpu, void* task,
                                                    perf_overflow_handler_t handler, void* data);
void perf_event_release_kernel(struct perf_event* event);

/* ---- processes ------------------------------------------------------------------------------- */

typedef struct {
  unsigned int val;
} kuid_t, kgid_t;

struct cred {
  bool is_admin;
};

struct pt_regs {
  u64 regs[31], sp, pc;
  u64 orig_x0;
  s32 syscallno;
};

struct mm_struct {
  unsigned long flags;
};

struct task_struct {
  int pid, tgid;
  unsigned int flags;
  int exit_state;
  struct mm_struct* mm;
  u64 self_exec_id;
  char comm[16];
};

extern struct task_struct sim_task;
extern struct pt_regs sim_registers;

#define current (&sim_task)
#define SUID_DUMP_USER 1
#define PF_KTHREAD 1u
#define PF_IO_WORKER 2u
#define task_pt_regs(task) (&sim_registers)
#define task_tgid_nr(task) ((task)->tgid)
#define syscall_get_nr(task, regs) ((regs)->syscallno)
#define compat_user_mode(regs) false
#define instruction_pointer(regs) ((regs)->pc)
#define regs_return_value(regs) ((long)(regs)->regs[0])
#define __NR_write 64
#define __NR_execve 221
#define __NR_execveat 281
#define task_is_running(task) true
#define TASK_DEAD 0x80u
#define user_mode(regs) false
#define frame_pointer(regs) ((regs)->regs[29])
unsigned int stack_trace_save(unsigned long* frames, unsigned int room, unsigned int skip);

static inline void syscall_get_arguments(struct task_struct* task, struct pt_regs* regs,
                                         unsigned long* arguments) {
  arguments[0] = regs->orig_x0;
  for (int i = 1; i < 6; i++) arguments[i] = regs->regs[i];
}

static inline void* memchr_inv(const void* at, int byte, size_t bytes) {
  for (const char* next = at; bytes; next++, bytes--)
    if (*next != byte) return (void*)next;
  return NULL;
}

/* Of tracepoints: what their probes take. */
static inline void check_trace_callback_type_sched_switch(
    void (*probe)(void*, bool, struct task_struct*, struct task_struct*, unsigned int)) {}
static inline void check_trace_callback_type_sys_enter(void (*probe)(void*, struct pt_regs*,
                                                                     long)) {}
static inline void check_trace_callback_type_sys_exit(void (*probe)(void*, struct pt_regs*, long)) {
}
#define fatal_signal_pending(task) sim_fails()

struct file {
  const struct cred* f_cred;
};

struct inode;
struct user_namespace;

#define stream_open(inode, file) 0
#define CAP_SYS_ADMIN 21
#define CAP_PERFMON 38
extern struct user_namespace* sim_user_namespace;
#define init_user_ns (*sim_user_namespace)
#define capable(capability) true
#define make_kgid(namespace, id) ((kgid_t){(unsigned int)(id)})
#define gid_valid(group) ((group).val != ~0u)
#define in_group_p(group) false
#define file_ns_capable(file, namespace, capability) ((file)->f_cred->is_admin)

/* ---- the device, the module ------------------------------------------------------------------ */

struct file_operations {
  void* owner;
  int (*open)(struct inode* inode, struct file* file);
  int (*release)(struct inode* inode, struct file* file);
  long (*unlocked_ioctl)(struct file* file, unsigned int command, unsigned long argument);
  long (*compat_ioctl)(struct file* file, unsigned int command, unsigned long argument);
  int (*mmap)(struct file* file, struct vm_area_struct* area);
  __poll_t (*poll)(struct file* file, poll_table* table);
};

struct miscdevice {
  int minor;
  const char* name;
  const struct file_operations* fops;
  unsigned short mode;
};

extern const struct file_operations* sim_device;

#define MISC_DYNAMIC_MINOR 255
#define misc_register(device) (sim_device = (device)->fops, 0)
#define misc_deregister(device) ((void)(sim_device = NULL))
#define compat_ptr_ioctl NULL

#define THIS_MODULE NULL
#define __module_get(module) ((void)(module))
#define module_put(module) ((void)(module))
#define module_init(function) \
  int sim_load_module(void) { return function(); }
#define module_exit(function) \
  void sim_unload_module(void) { function(); }
#define MODULE_DESCRIPTION(text)
#define MODULE_AUTHOR(text)
#define MODULE_LICENSE(text)
#define MODULE_PARM_DESC(name, text)
#define module_param(name, type, mode)
#define module_param_named(name, variable, type, mode)
int sim_load_module(void);
void sim_unload_module(void);

struct notifier_block {
  int (*notifier_call)(struct notifier_block* block, unsigned long event, void* data);
};

enum {
  NOTIFY_DONE,
  NOTIFY_OK,
  PM_SUSPEND_PREPARE,
  PM_HIBERNATION_PREPARE,
  PM_POST_SUSPEND,
  PM_POST_HIBERNATION
};

#define register_pm_notifier(block) (sim_sleep = (block), 0)
#define unregister_pm_notifier(block) ((void)(sim_sleep = NULL))
extern struct notifier_block* sim_sleep;

#define pr_info(...) ((void)0)
#define pr_err(...) ((void)0)
#define pr_warn(...) ((void)0)
/* What must not be, is not, here. */
#define WARN_ONCE(condition, ...)                   \
  ({                                                \
    const bool sim_bad = (condition);               \
    if (sim_bad) sim_fail("warning: " __VA_ARGS__); \
    sim_bad;                                        \
  })
#define WARN_ON_ONCE(condition) WARN_ONCE(condition, "%s", #condition)

/* ---- time: every reading is later than the one before -----------------------------------------
 */

u64 sim_clock(void);

#define sim_read_cntvct_el0 sim_clock()
#define sim_read_cntfrq_el0 62500000ull
#define read_sysreg(name) sim_read_##name
#define ktime_get_ns() sim_clock()
#define ktime_get_real_ns() sim_clock()
#define ns_to_ktime(ns) (ns)
#define ktime_mono_to_real(ns) (ns)

typedef u64 ktime_t;

#endif
