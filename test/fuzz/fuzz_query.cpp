// SPDX-License-Identifier: BSD-3-Clause
// SQL of any bytes over raw files of any bytes: the trace's tables hold what the law promises, and
// every statement ends with rows or with an error that says enough.
#include <chrono>
#include <string>
#include <variant>

#include "fuzz/fuzz_target.h"
#include "fuzz/lawful.h"
#include "fuzz/packed_trace.h"
#include "query/database.h"
#include "query/trace_tables.h"
#include "spans/rebuild.h"
#include "support/truth_generator.h"

namespace {

using namespace kutrace;

constexpr std::size_t kMostSql = 250;

class Look : public query::RowSink {
 public:
  void columns(const std::vector<std::string>& names) override { columns_ = names.size(); }
  bool row(const std::vector<query::Cell>& cells) override {
    if (cells.size() != columns_) test::broken_promise("a row of another width than its heading");
    ++rows;
    return rows < 10'000;
  }
  void end() override {}
  std::size_t rows = 0;

 private:
  std::size_t columns_ = 0;
};

void ask(query::Database& database, const std::string& sql, bool must_be_empty) {
  Look look;
  const Status done = database.run(sql, look);
  if (!done && done.error().sentence.empty()) test::broken_promise("an error says too little");
  if (must_be_empty && (!done || look.rows != 0)) test::broken_promise("the tables break the law");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || !query::Database::available()) return 0;
  const std::size_t sql_size = std::min<std::size_t>({data[0], kMostSql, size - 1});
  const std::string sql(reinterpret_cast<const char*>(data + 1), sql_size);
  auto file = RawFile::open(
      MappedFile::from_bytes(test::unpack_trace(data + 1 + sql_size, size - 1 - sql_size), "fuzz"));
  if (!file) return 0;
  NameTable names;
  query::TraceTables tables(names);
  if (!spans::rebuild(*file, names, tables)) return 0;
  query::Limits limits;
  limits.memory = std::uint64_t{64} << 20;
  limits.time = std::chrono::milliseconds(300);
  auto database = query::Database::open(tables, limits);
  if (!database) test::broken_promise("SQLite does not open");
  ask(*database, sql, false);
  ask(*database, "SELECT * FROM overlap(0, 1000000000) WHERE part_ns < 0", true);
  ask(*database,
      "SELECT * FROM cpus WHERE user_ns + kernel_ns + idle_ns + lost_ns + hidden_ns <> time_ns",
      true);
  for (const query::Described& one : database->names()) {
    if (one.kind == "table" || one.kind == "totals") {
      ask(*database, "SELECT * FROM " + one.name, false);
    }
  }
  return 0;
}

std::vector<test::Input> test::fuzz_seeds() {
  const std::vector<std::string> statements = {
      "SELECT name, count, total_ns FROM call_totals WHERE tid > 3 ORDER BY 3",
      "SELECT quantize(dur_ns), percentile(dur_ns, 99), stddev(dur_ns) FROM waits GROUP BY name",
      "SELECT * FROM overlap(1000, 900000) WHERE name GLOB '*a*' LIMIT 9",
      "SELECT t.thread, w.name FROM threads t JOIN waits w USING (tid)",
      "SELECT hist(arg), lquantize(result, -3, 100, 7) FROM spans WHERE cpu IN (0, 1)"};
  std::vector<Input> seeds;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    TruthOptions options = random_options(seed);
    options.steps = 30;
    options.noise = seed % 3 == 0;
    const std::string& sql = statements[seed % statements.size()];
    Input input = {static_cast<std::uint8_t>(sql.size())};
    input.insert(input.end(), sql.begin(), sql.end());
    const Input trace = pack_trace(generate_truth(options).file);
    input.insert(input.end(), trace.begin(), trace.end());
    seeds.push_back(input);
  }
  return seeds;
}
