// SPDX-License-Identifier: BSD-3-Clause
// Numbers of functions, and their names from the symbols of the program and its libraries. In: an
// address of code; out: its number, and entries that tell its name, sent anew in every 16th of a
// second or so in which it is called, for recorders that come late.
#ifndef KUTRACE_FUNCTIONS_NAMES_H
#define KUTRACE_FUNCTIONS_NAMES_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

// Opens the files of the program and its libraries.
void kutrace_prepare_names_(void);
uint32_t kutrace_function_number_(const void* code);
void kutrace_tell_name_(uint32_t number);

#pragma GCC visibility pop

#endif
