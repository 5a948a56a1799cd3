// SPDX-License-Identifier: BSD-3-Clause
// The main function of every Catch2 program.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
