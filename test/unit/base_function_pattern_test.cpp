// SPDX-License-Identifier: BSD-3-Clause
// Names of functions as compilers write them and as people do.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/function_pattern.h"

namespace kutrace {
namespace {

TEST_CASE("a name of a function fits with and without parameters and returned type") {
  const std::string name = "int ns::add<int>(int, int)";
  for (const char* const pattern :
       {"int ns::add<int>(int, int)", "int ns::add<int>", "ns::add<int>(int, int)", "ns::add<int>",
        "ns::add*", "*add<int>", "ns::*(int*"})
    CHECK(fits_function(pattern, name));
  for (const char* const pattern : {"add*", "ns::add", "int", "ns::add<int>(int", "n"})
    CHECK_FALSE(fits_function(pattern, name));
}

TEST_CASE("the name within a long name of a function is known") {
  for (const auto& [pattern, name] : std::vector<std::pair<std::string, std::string>>{
           {"main", "main"},
           {"ns::f", "ns::f(std::vector<int, std::allocator<int> > const&) const"},
           {"make<int>", "std::vector<int, std::allocator<int> > make<int>(int)"},
           {"call<int>", "std::function<void (int)> call<int>(std::function<void (int)>)"},
           {"(anonymous namespace)::f", "(anonymous namespace)::f(int)"},
           {"(anonymous namespace)::g<int>", "unsigned long (anonymous namespace)::g<int>(int)"},
           {"sum<int, long>", "decltype (({parm#1})+({parm#2})) sum<int, long>(int, long)"},
           {"at<A>", "decltype (({parm#1}->x)>(0)) at<A>(A*)"},
           {"auto_<int>", "decltype(auto) auto_<int>(int)"},
           {"ns::operator< <int>", "bool ns::operator< <int>(ns::A<int>, ns::A<int>)"},
           {"ns::operator<< <int>", "std::ostream& ns::operator<< <int>(std::ostream&, int)"},
           {"operator-><int>", "int operator-><int>(A)"},
           {"A::operator()", "A::operator()(int) const"},
           {"A::operator()<int>", "void A::operator()<int>(int) const"},
           {"A::operator unsigned long", "A::operator unsigned long() const"},
           {"A::operator std::vector<int>", "A::operator std::vector<int>()"},
           {"operator new", "operator new(unsigned long)"},
           {"my_operator<int>", "void my_operator<int>(int)"},
           {"A<(3>2)>::f<int>", "void A<(3>2)>::f<int>(int)"},
           {"f<int>(int) [clone .cold]", "int f<int>(int) [clone .cold]"}})
    CHECK(fits_function(pattern, name));
}

TEST_CASE("names of functions without a returned type have none taken away") {
  CHECK_FALSE(fits_function("A<int>::f()", "non-virtual thunk to A<int>::f()"));
  CHECK_FALSE(fits_function("long", "A::operator unsigned long() const"));
  CHECK_FALSE(fits_function("f", "a slice f"));
  CHECK_FALSE(fits_function("f", ")>}>(f"));
}

}  // namespace
}  // namespace kutrace
