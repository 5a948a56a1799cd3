// SPDX-License-Identifier: BSD-3-Clause
// A function's number is its place in a table by address. Its name comes from the file that its
// code is of, which is mapped: .symtab, else .dynsym, or what is not found there is
// "[file]+offset". Nothing here calls malloc, or functions that write vector registers. A signal's
// handler may interrupt all of this and do the same: names are found without a lock, which only
// files that are opened need.
#define _GNU_SOURCE
#include "functions/names.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// The C library's may write vector registers, which hold arguments of the function that begins.
static inline void copy_bytes(void* to, const void* from, size_t size) {
  for (size_t i = 0; i < size; ++i) ((volatile char*)to)[i] = ((const char*)from)[i];
}
#define memcpy copy_bytes
#include "kutrace/mark.h"
#undef memcpy

#define PLACES 65536u  // one is kept for functions that find none
#define MOST_FILES 256u
#define MOST_BYTES 1024u  // of a name

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Shdr) elf_section;
typedef ElfW(Sym) elf_symbol;

struct place {
  const void* code;
  const char* name;  // null: not looked for yet
  uint32_t told;     // when; 0: never
};

static struct place places[PLACES];

// An object that is loaded.
struct file {
  uintptr_t base;
  const char* bytes;
  size_t size;
  const elf_symbol* symbols;
  size_t count;
  const char* texts;
  size_t texts_size;
};

static struct file files[MOST_FILES];
static unsigned file_count;
static atomic_flag looking = ATOMIC_FLAG_INIT;

// ---- files -------------------------------------------------------------------------------------

// What an offset and a size in a file stand for; null if that is not all there.
static const void* part(const struct file* file, uint64_t offset, uint64_t size) {
  if (offset > file->size || size > file->size - offset) return NULL;
  return file->bytes + offset;
}

static int take_symbols(struct file* file, uint32_t type) {
  const elf_header* const header = part(file, 0, sizeof(elf_header));
  if (header == NULL || header->e_ident[EI_MAG0] != ELFMAG0 || header->e_ident[EI_MAG1] != ELFMAG1)
    return 0;
  if (header->e_shentsize != sizeof(elf_section) || header->e_shoff % sizeof(uint64_t) != 0)
    return 0;
  const elf_section* const sections =
      part(file, header->e_shoff, header->e_shnum * sizeof(elf_section));
  if (sections == NULL) return 0;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const elf_section* const section = &sections[i];
    if (section->sh_type != type || section->sh_link >= header->e_shnum) continue;
    const elf_section* const texts = &sections[section->sh_link];
    file->symbols = part(file, section->sh_offset, section->sh_size);
    file->texts = part(file, texts->sh_offset, texts->sh_size);
    if (file->symbols == NULL || file->texts == NULL || section->sh_offset % sizeof(uint64_t) != 0)
      continue;
    file->count = section->sh_size / sizeof(elf_symbol);
    file->texts_size = texts->sh_size;
    return file->count != 0;
  }
  return 0;
}

static const struct file* known_file(uintptr_t base) {
  const unsigned count = __atomic_load_n(&file_count, __ATOMIC_ACQUIRE);
  for (unsigned i = 0; i < count; ++i)
    if (files[i].base == base) return &files[i];
  return NULL;
}

static void open_file(uintptr_t base, const char* path) {
  if (known_file(base) != NULL || file_count == MOST_FILES) return;
  struct file* const file = &files[file_count];
  *file = (struct file){.base = base};
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat facts;
  if (fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
    void* const bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      file->bytes = bytes;
      file->size = (size_t)facts.st_size;
    }
  }
  if (fd >= 0) close(fd);
  if (file->bytes != NULL && !take_symbols(file, SHT_SYMTAB) && !take_symbols(file, SHT_DYNSYM))
    file->count = 0;
  __atomic_store_n(&file_count, file_count + 1, __ATOMIC_RELEASE);
}

static const char program[] = "/proc/self/exe";

// Null: it is of no file, as what the kernel maps into every process.
static const char* path_of(const struct dl_phdr_info* object) {
  const char* const name = object->dlpi_name;
  if (name == NULL || name[0] == '\0') return program;
  for (const char* c = name; *c != '\0'; ++c)
    if (*c == '/') return name;
  return NULL;
}

static int open_object(struct dl_phdr_info* object, size_t size, void* unused) {
  (void)size;
  (void)unused;
  const char* const path = path_of(object);
  if (path != NULL) open_file(object->dlpi_addr, path);
  return 0;
}

static __thread int locks_here;  // this thread has the lock, or waits for it

static void lock(void) {
  locks_here = 1;
  atomic_signal_fence(memory_order_seq_cst);
  while (atomic_flag_test_and_set_explicit(&looking, memory_order_acquire)) sched_yield();
}

static void unlock(void) {
  atomic_flag_clear_explicit(&looking, memory_order_release);
  atomic_signal_fence(memory_order_seq_cst);
  locks_here = 0;
}

void kutrace_prepare_names_(void) {
  const int saved = errno;
  lock();
  dl_iterate_phdr(open_object, NULL);
  unlock();
  errno = saved;
}

// ---- names -------------------------------------------------------------------------------------

// The object that code is of.
struct object {
  uintptr_t code;
  uintptr_t base;
  const char* path;
};

static int look_at(struct dl_phdr_info* object, size_t size, void* wanted) {
  struct object* const found = wanted;
  (void)size;
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD ||
        found->code - object->dlpi_addr - segment->p_vaddr >= segment->p_memsz)
      continue;
    *found = (struct object){found->code, object->dlpi_addr, path_of(object)};
    return 1;
  }
  return 0;
}

static uint32_t length_of(const char* text, size_t most) {
  uint32_t length = 0;
  while (length < most && text[length] != '\0') ++length;
  return length;
}

static const char* find_symbol(const struct file* file, uintptr_t address) {
  for (size_t i = 0; i < file->count; ++i) {
    const elf_symbol* const symbol = &file->symbols[i];
    if ((symbol->st_info & 0xf) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) continue;
    if (address - symbol->st_value >= (symbol->st_size != 0 ? symbol->st_size : 1)) continue;
    if (symbol->st_name >= file->texts_size) continue;
    const char* const name = file->texts + symbol->st_name;
    const size_t rest = file->texts_size - symbol->st_name;
    const uint32_t length = length_of(name, rest < MOST_BYTES ? rest : MOST_BYTES);
    if (length == 0 || length == rest) return NULL;  // a name ends with a zero
    return name;
  }
  return NULL;
}

// "[file]+offset", or an address of code that is of no file. Few need it, so there is room for
// some.
static const char* compose(const struct object* object) {
  static char room[1u << 16];
  static uint32_t used;
  static const char digits[] = "0123456789abcdef";
  const char* file = object->path != NULL ? object->path : "?";
  if (object->path != NULL && object->path == program) file = program_invocation_short_name;
  for (const char* c = file; *c != '\0'; ++c)
    if (*c == '/') file = c + 1;
  const uint32_t length = length_of(file, 64);
  const uintptr_t offset = object->code - object->base;
  unsigned shift = sizeof(offset) * 8;
  while (shift > 4 && offset >> (shift - 4) == 0) shift -= 4;
  const uint32_t size = length + shift / 4 + sizeof("[]+0x");
  uint32_t at = __atomic_load_n(&used, __ATOMIC_RELAXED);
  do {
    if (sizeof(room) - at < size) return "?";
  } while (!__atomic_compare_exchange_n(&used, &at, at + size, 1, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  char* const text = room + at;
  at = 0;
  text[at++] = '[';
  for (uint32_t i = 0; i < length; ++i) text[at++] = file[i];
  text[at++] = ']';
  text[at++] = '+';
  text[at++] = '0';
  text[at++] = 'x';
  for (; shift > 0; shift -= 4) text[at++] = digits[offset >> (shift - 4) & 15];
  return text;
}

// Two at a time find the same.
static const char* find_name(struct place* place) {
  const int saved = errno;
  struct object object = {.code = (uintptr_t)place->code};
  dl_iterate_phdr(look_at, &object);
  // A handler that has interrupted the opening of a file does without.
  if (object.path != NULL && known_file(object.base) == NULL && !locks_here) {
    lock();
    open_file(object.base, object.path);
    unlock();
  }
  const struct file* const file = object.path != NULL ? known_file(object.base) : NULL;
  const char* name = file != NULL ? find_symbol(file, object.code - object.base) : NULL;
  if (name == NULL) name = compose(&object);
  __atomic_store_n(&place->name, name, __ATOMIC_RELEASE);
  errno = saved;
  return name;
}

// ---- numbers -----------------------------------------------------------------------------------

uint32_t kutrace_function_number_(const void* code) {
  uint32_t at = (uint32_t)((uintptr_t)code * 0x9e3779b97f4a7c15ull >> 48);
  for (unsigned tries = 0; tries < 64; ++tries, at = (at + 1) % PLACES) {
    const void* found = __atomic_load_n(&places[at].code, __ATOMIC_RELAXED);
    if (found == code) return KUTRACE_FIRST_FUNCTION + at;
    if (found != NULL || at == 0) continue;
    if (__atomic_compare_exchange_n(&places[at].code, &found, code, 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED) ||
        found == code)
      return KUTRACE_FIRST_FUNCTION + at;
  }
  return KUTRACE_FIRST_FUNCTION;
}

// It passes from one value to the next every 16th of a second or so, and where recorders say that names
// are to come again; it is never 0.
static uint32_t moment(void) {
  if (kutrace_marks_.page != NULL) return kutrace_beat_() | 1u << 31;
#if defined(__x86_64__)
  return (uint32_t)(__builtin_ia32_rdtsc() >> 27) | 1u << 31;
#else
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return ((uint32_t)now.tv_sec << 4 | (uint32_t)(now.tv_nsec >> 26)) | 1u << 31;
#endif
}

void kutrace_tell_name_(uint32_t number) {
  struct place* const place = &places[number - KUTRACE_FIRST_FUNCTION];
  const uint32_t when = moment();
  if (__atomic_load_n(&place->told, __ATOMIC_ACQUIRE) == when) return;
  if (place->code == NULL) {
    static const char text[] = "other functions";
    kutrace_name_text_(number, text, sizeof(text) - 1);
  } else {
    const char* name = __atomic_load_n(&place->name, __ATOMIC_ACQUIRE);
    if (name == NULL) name = find_name(place);
    kutrace_name_text_(number, name, length_of(name, MOST_BYTES));
  }
  // Only now: another thread that finds it told begins the function without its name. Two at a time
  // tell it twice.
  __atomic_store_n(&place->told, when, __ATOMIC_RELEASE);
}
