// SPDX-License-Identifier: BSD-3-Clause
// A library of one function, whose name the build gives.
int FUNCTION(int number);
int FUNCTION(int number) { return number + 1; }
