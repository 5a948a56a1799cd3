// SPDX-License-Identifier: BSD-3-Clause
// Stands for what needs SQLite where that is absent: every trace is refused with the reason.
#include "query/database.h"

namespace kutrace::query {

struct Database::State {};

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::Database(Database&& other) noexcept = default;
Database& Database::operator=(Database&& other) noexcept = default;
Database::~Database() = default;

Status Database::available() {
  return fail(host_error("this program was built without SQLite")
                  .with_hint("install libsqlite3-dev and build again"));
}

Result<Database> Database::open(const TraceTables& /*tables*/, const Limits& /*limits*/,
                                TableReader* /*reader*/,
                                const std::vector<RowFunction>& /*functions*/) {
  return fail(available().error());
}

Result<std::size_t> Database::expect(const std::vector<std::string>& /*statements*/) {
  KUTRACE_TRY(available());
  return 0;
}
Status Database::run(std::string_view /*sql*/, RowSink& /*sink*/) { return available(); }
bool Database::is_complete(const std::string& /*sql*/) { return true; }
void Database::interrupt() const {}
std::vector<Described> Database::names() const { return {}; }

}  // namespace kutrace::query
