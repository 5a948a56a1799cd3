// SPDX-License-Identifier: BSD-3-Clause
// What programs link to show calls of their functions, with marks that go nowhere: the environment
// that it reads, and names where libraries come and go and processes fork. In: two libraries of the
// same size, whose functions have other names.
#define _GNU_SOURCE
#include "kutrace/mark.h"

static char told[64];  // the name that was told last

static void take_name(const char* text, size_t length) {
  if (length >= sizeof(told)) length = sizeof(told) - 1;
  memcpy(told, text, length);
  told[length] = '\0';
}

static uint32_t beat;

#define kutrace_beat_() beat
#define kutrace_name_text_(number, text, length) take_name(text, length)
#include "functions/functions.c"
#include "functions/names.c"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>

static int failures;

static void expect(int is_so, const char* what) {
  if (is_so) return;
  fprintf(stderr, "not so: %s\n", what);
  ++failures;
}

// ---- the environment ---------------------------------------------------------------------------

static void set(const char* name, const char* value) {
  if (value != NULL)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

// What is read of these, and how many bytes are said of it.
static long read_with(const char* depth, const char* shortest) {
  int ends[2];
  char said[512];
  set("KUTRACE_FUNCTIONS_DEPTH", depth);
  set("KUTRACE_FUNCTIONS_LEAST", shortest);
  if (pipe(ends) != 0) return -1;
  const int standard = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  read_environment();
  dup2(standard, STDERR_FILENO);
  close(standard);
  close(ends[1]);
  const long length = (long)read(ends[0], said, sizeof(said));
  close(ends[0]);
  return length;
}

static void depth_is(const char* text, int depth, int is_valid) {
  const int is_silent = read_with(text, NULL) == 0;
  expect(kutrace_functions_depth_ == depth, text);
  expect(is_silent == is_valid, text);
}

static void least_is(const char* text, uint64_t ns, int is_valid) {
  const int is_silent = read_with(NULL, text) == 0;
  expect(least == ns, text);
  expect(is_silent == is_valid, text);
}

static void test_environment(void) {
  depth_is("8", 8, 1);
  depth_is("0", 0, 1);
  depth_is("255", 255, 1);
  depth_is("1000", 255, 1);
  static const char* const no_depths[] = {"", "10u", "8 ", "-1", "x", "1.5", "18446744073709551617"};
  for (unsigned i = 0; i < sizeof(no_depths) / sizeof(no_depths[0]); ++i)
    depth_is(no_depths[i], KUTRACE_FUNCTIONS_DEPTH, 0);
  least_is("250", 250, 1);
  least_is("250ns", 250, 1);
  least_is("10us", 10000, 1);
  least_is("3ms", 3000000, 1);
  least_is("2s", 2000000000, 1);
  static const char* const no_times[] = {"",     "us",  "1.5ms", "5h",  "5m", "10 us", "10usx",
                                         "-1us", "10u", "18446744073709551616", "18446744073709552s"};
  for (unsigned i = 0; i < sizeof(no_times) / sizeof(no_times[0]); ++i) least_is(no_times[i], 0, 0);
  setenv("KUTRACE_FUNCTIONS", "off", 1);
  depth_is("8", 0, 1);
  unsetenv("KUTRACE_FUNCTIONS");
}

// ---- names -------------------------------------------------------------------------------------

static const char* name_of(const void* code) {
  told[0] = '\0';
  kutrace_tell_name_(kutrace_function_number_(code));
  return told;
}

// With recorders beside it, and without.
static void pass_moment(void) {
  ++beat;
  usleep(200000);
}

// A library's function that is called `name`; its place if the library is to be loaded again.
static void* look_into(const char* library, const char* name, void** code) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  expect(loaded != NULL, library);
  *code = loaded != NULL ? dlsym(loaded, name) : NULL;
  expect(*code != NULL && strcmp(name_of(*code), name) == 0, name);
  return loaded;
}

static void test_libraries(const char* one, const char* other) {
  expect(strcmp(name_of((const void*)test_environment), "test_environment") == 0, "own name");
  if (!LOOKS_AGAIN) return;
  void* first;
  void* second;
  dlclose(look_into(one, "first_function", &first));
  pass_moment();
  void* const loaded = look_into(other, "other_function", &second);
  if (first != second) fprintf(stderr, "the other library came to another place\n");
  const unsigned opened = file_count;
  pass_moment();
  expect(strcmp(name_of(second), "other_function") == 0, "the name stays");
  // That one is gone that was loaded elsewhere changes nothing of the others.
  void* third;
  dlclose(look_into(one, "first_function", &third));
  pass_moment();
  expect(strcmp(name_of(second), "other_function") == 0, "the name stays");
  expect(strcmp(name_of((const void*)test_environment), "test_environment") == 0, "own name stays");
  expect(file_count <= opened + 1, "files are opened once");
  dlclose(loaded);
}

// ---- forks -------------------------------------------------------------------------------------

static int forks_done;

static void* find_names(void* unused) {
  while (!__atomic_load_n(&forks_done, __ATOMIC_RELAXED)) kutrace_prepare_names_();
  return unused;
}

static void test_forks(void) {
  if (!LOOKS_AGAIN) return;
  pthread_t thread;
  pthread_create(&thread, NULL, find_names, NULL);
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(5);
      _exit(strcmp(name_of((const void*)look_into), "look_into") != 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    expect(status == 0, "a child finds names");
    if (status != 0) break;
  }
  __atomic_store_n(&forks_done, 1, __ATOMIC_RELAXED);
  pthread_join(thread, NULL);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  test_environment();
  test_libraries(argv[1], argv[2]);
  test_forks();
  return failures != 0;
}
