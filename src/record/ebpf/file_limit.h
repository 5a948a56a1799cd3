// SPDX-License-Identifier: BSD-3-Clause
// How many files this process may have open: the programs of a source and their links are files.
#pragma once

namespace kutrace::record {

// As many as there may be, from now on.
void allow_many_files();

// For a command: as many as the caller may have.
void allow_files_as_caller();

}  // namespace kutrace::record
