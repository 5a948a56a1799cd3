// SPDX-License-Identifier: BSD-3-Clause
// A function of whole numbers that gives a table: who opens a database brings it along. In:
// arguments; out: rows, or an error that ends the statement.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace kutrace::query {

struct RowFunction {
  // NULL, a number, or text.
  using Value = std::variant<std::monostate, std::int64_t, std::string>;
  using Rows = std::vector<std::vector<Value>>;
  struct Field {
    std::string name;
    std::string type;  // "INTEGER" or "TEXT"
    std::string meaning;
  };

  std::string name;
  std::string meaning;
  std::vector<std::string> arguments;  // all must be given
  std::vector<Field> columns;
  std::function<Result<Rows>(const std::vector<std::int64_t>&)> rows;
  Status failure;  // why a statement failed in it
};

}  // namespace kutrace::query
