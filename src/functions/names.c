// SPDX-License-Identifier: BSD-3-Clause
// A function's number is its place in a table by address. Its name comes from the file that its
// code is of, which is mapped: .symtab, else .dynsym, or what is not found there is
// "[file]+offset". Nothing here calls malloc, or functions that write vector registers. A signal's
// handler may interrupt all of this and do the same, and so may the child of a fork, whose other
// threads are gone: nothing here has a lock.
#define _GNU_SOURCE
#include "functions/names.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
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
#define HEAD_BYTES 4096u  // of a file, by which it is known again; no more than a page

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Shdr) elf_section;
typedef ElfW(Sym) elf_symbol;
typedef ElfW(Phdr) elf_segment;

struct place {
  const void* code;
  const char* name;  // null: not looked for yet
  const struct file* file;
  uint32_t told;  // when; 0: never
};

static struct place places[PLACES];

// An object that is loaded.
struct object {
  uintptr_t base;
  const char* start;  // where its first page stands
  const char* path;   // null: it is of no file, as what the kernel maps into every process
};

// Of an object that is loaded, or was.
struct file {
  uintptr_t base;
  uint32_t opened;   // 0: what follows is not all there yet
  uint32_t checked;  // when it was still the object's
  size_t head;       // bytes that the object begins with
  const char* bytes;
  size_t size;
  const elf_symbol* symbols;
  size_t count;
  const char* texts;
  size_t texts_size;
};

static struct file files[MOST_FILES];
static unsigned file_count;

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

// How many bytes at the begin of a file stand at that of its object, as they are.
static size_t head_of(const struct file* file) {
  const elf_header* const header = part(file, 0, sizeof(elf_header));
  if (header == NULL || header->e_phoff % sizeof(uint64_t) != 0) return 0;
  const elf_segment* const segments =
      part(file, header->e_phoff, header->e_phnum * sizeof(elf_segment));
  if (segments == NULL) return 0;
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const elf_segment* const segment = &segments[i];
    if (segment->p_type != PT_LOAD || segment->p_offset != 0) continue;
    if ((segment->p_flags & PF_R) == 0 || (segment->p_flags & PF_W) != 0) return 0;
    const size_t size = segment->p_filesz < file->size ? segment->p_filesz : file->size;
    return size < HEAD_BYTES ? size : HEAD_BYTES;
  }
  return 0;
}

static int is_of(const struct file* file, const struct object* object) {
  for (size_t i = 0; i < file->head; ++i)
    if (((const volatile char*)object->start)[i] != file->bytes[i]) return 0;
  return 1;
}

static void map_file(struct file* file, const struct object* object) {
  const int fd = open(object->path, O_RDONLY | O_CLOEXEC);
  struct stat facts;
  if (fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
    void* const bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      file->bytes = bytes;
      file->size = (size_t)facts.st_size;
      file->head = head_of(file);
    }
  }
  if (fd >= 0) close(fd);
  // Since the object was loaded, another file may have come to its path.
  if (!is_of(file, object)) {
    file->head = 0;
  } else if (file->bytes != NULL && !take_symbols(file, SHT_SYMTAB) &&
             !take_symbols(file, SHT_DYNSYM)) {
    file->count = 0;
  }
}

// Null: there are too many. Two at a time open the same.
static struct file* open_file(const struct object* object) {
  unsigned at = __atomic_load_n(&file_count, __ATOMIC_RELAXED);
  do {
    if (at == MOST_FILES) return NULL;
  } while (!__atomic_compare_exchange_n(&file_count, &at, at + 1, 1, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  struct file* const file = &files[at];
  file->base = object->base;
  map_file(file, object);
  __atomic_store_n(&file->opened, 1, __ATOMIC_RELEASE);
  return file;
}

// The last one that came to this place.
static struct file* known_file(uintptr_t base) {
  for (unsigned i = __atomic_load_n(&file_count, __ATOMIC_RELAXED); i > 0; --i) {
    struct file* const file = &files[i - 1];
    if (__atomic_load_n(&file->opened, __ATOMIC_ACQUIRE) && file->base == base) return file;
  }
  return NULL;
}

// Where a library is unloaded, another one may come to its place. Now and then it is looked at
// whether it is still the same.
static const struct file* file_of(const struct object* object, uint32_t when) {
  if (object->path == NULL) return NULL;
  struct file* file = known_file(object->base);
  if (file != NULL && __atomic_load_n(&file->checked, __ATOMIC_RELAXED) == when) return file;
  if (file == NULL || !is_of(file, object)) file = open_file(object);
  if (file != NULL) __atomic_store_n(&file->checked, when, __ATOMIC_RELAXED);
  return file;
}

// ---- objects -----------------------------------------------------------------------------------

static const char program[] = "/proc/self/exe";

static const char* path_of(const char* name) {
  if (name == NULL || name[0] == '\0') return program;
  for (const char* c = name; *c != '\0'; ++c)
    if (*c == '/') return name;
  return NULL;
}

static struct object object_of(const struct dl_phdr_info* told) {
  struct object object = {told->dlpi_addr, NULL, path_of(told->dlpi_name)};
  for (unsigned i = 0; i < told->dlpi_phnum && object.start == NULL; ++i) {
    if (told->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uintptr_t start = told->dlpi_addr + told->dlpi_phdr[i].p_vaddr;
    object.start = (const char*)(start - start % HEAD_BYTES);
  }
  return object;
}

static int open_object(struct dl_phdr_info* told, size_t size, void* unused) {
  (void)size;
  (void)unused;
  const struct object object = object_of(told);
  file_of(&object, 0);
  return 0;
}

void kutrace_prepare_names_(void) {
  const int saved = errno;
  dl_iterate_phdr(open_object, NULL);
  errno = saved;
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
#define LOOKS_AGAIN 1

// The object that code is of.
static struct object find_object(const void* code) {
  struct dl_find_object told;
  if (_dl_find_object((void*)code, &told) != 0) return (struct object){0, NULL, NULL};
  return (struct object){told.dlfo_link_map->l_addr, told.dlfo_map_start,
                         path_of(told.dlfo_link_map->l_name)};
}

#else
#define LOOKS_AGAIN 0  // a lock is around it, which the child of a fork may find held by nobody

struct wanted {
  uintptr_t code;
  struct object object;
};

static int look_at(struct dl_phdr_info* told, size_t size, void* looked_for) {
  struct wanted* const wanted = looked_for;
  (void)size;
  for (unsigned i = 0; i < told->dlpi_phnum; ++i) {
    const elf_segment* const segment = &told->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD ||
        wanted->code - told->dlpi_addr - segment->p_vaddr >= segment->p_memsz)
      continue;
    wanted->object = object_of(told);
    return 1;
  }
  return 0;
}

static struct object find_object(const void* code) {
  struct wanted wanted = {(uintptr_t)code, {0, NULL, NULL}};
  dl_iterate_phdr(look_at, &wanted);
  return wanted.object;
}

#endif

// ---- names -------------------------------------------------------------------------------------

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
static const char* compose(const void* code, const struct object* object) {
  static char room[1u << 16];
  static uint32_t used;
  static const char digits[] = "0123456789abcdef";
  const char* file = object->path != NULL ? object->path : "?";
  if (object->path != NULL && object->path == program) file = program_invocation_short_name;
  for (const char* c = file; *c != '\0'; ++c)
    if (*c == '/') file = c + 1;
  const uint32_t length = length_of(file, 64);
  const uintptr_t offset = (uintptr_t)code - object->base;
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
static const char* find_name(struct place* place, uint32_t when) {
  const char* name = __atomic_load_n(&place->name, __ATOMIC_ACQUIRE);
  if (name != NULL && !LOOKS_AGAIN) return name;
  const int saved = errno;
  const struct object object = find_object(place->code);
  const struct file* const file = file_of(&object, when);
  if (name == NULL || __atomic_load_n(&place->file, __ATOMIC_RELAXED) != file) {
    name = file != NULL ? find_symbol(file, (uintptr_t)place->code - object.base) : NULL;
    if (name == NULL) name = compose(place->code, &object);
    __atomic_store_n(&place->file, file, __ATOMIC_RELAXED);
    __atomic_store_n(&place->name, name, __ATOMIC_RELEASE);
  }
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
    const char* const name = find_name(place, when);
    kutrace_name_text_(number, name, length_of(name, MOST_BYTES));
  }
  // Only now: another thread that finds it told begins the function without its name. Two at a time
  // tell it twice.
  __atomic_store_n(&place->told, when, __ATOMIC_RELEASE);
}
