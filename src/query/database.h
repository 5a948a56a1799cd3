// SPDX-License-Identifier: BSD-3-Clause
// SQL over the tables of a trace. In: tables, limits, statements; out: rows. Statements read and do
// nothing else: whatever would write, attach, load or configure is refused, memory and time end
// where the limits say.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "query/row_function.h"
#include "query/trace_tables.h"

namespace kutrace::query {

struct Limits {
  std::uint64_t memory = std::uint64_t{1} << 30;  // bytes that SQLite may take beside the tables
  std::chrono::milliseconds time{0};              // of a statement; 0: none
};

// NULL, a number, or text; bytes that are no text come as two digits each.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string_view>;

// What a statement gives. Names and cells are valid while they are handed over.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void columns(const std::vector<std::string>& names) = 0;
  // False: no more rows are wanted.
  virtual bool row(const std::vector<Cell>& cells) = 0;
  virtual void end() = 0;
};

// A name that statements may use, and what it is.
struct Described {
  std::string name;
  std::string kind;  // "table", "totals", "function", "aggregate"
  std::string meaning;
  struct Field {
    std::string name;
    std::string type;
    std::string meaning;
  };
  std::vector<Field> columns;
};

// Reads what statements need and tables lack.
class TableReader {
 public:
  virtual ~TableReader() = default;
  // Whether anything was read: plans that were made before are void then.
  virtual Result<bool> read(const Needs& needs) = 0;
  // Whether all that was asked for later could be read.
  virtual Status state() const = 0;
};

class Database {
 public:
  // Whether this program was built with SQLite.
  static Status available();
  // `tables` must outlive it, and be at its end; or `reader` reads what is needed of them, and must
  // outlive it, too. `functions`: further ones that statements may use.
  static Result<Database> open(const TraceTables& tables, const Limits& limits,
                               TableReader* reader = nullptr,
                               const std::vector<RowFunction>& functions = {});
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  // Reads what these need that will be run, once for all of them; returns how many they are, as far
  // as they can be understood.
  Result<std::size_t> expect(const std::vector<std::string>& statements);
  // Statements one after the other, until one fails.
  Status run(std::string_view sql, RowSink& sink);
  // Whether the text ends a statement, as far as can be told without understanding it.
  static bool is_complete(const std::string& sql);
  // Ends the statement that runs, from another thread or a signal's handler.
  void interrupt() const;
  // All that statements may use, in the order in which it is documented.
  std::vector<Described> names() const;

 private:
  struct State;
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kutrace::query
