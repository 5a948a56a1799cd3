// SPDX-License-Identifier: BSD-3-Clause
// In place of the eBPF source where it could not be built: every question has the same answer.
#include <cstdlib>
#include <utility>

#include "device/capability.h"
#include "device/ebpf_source.h"
#include "device/empty_programs.h"

namespace kutrace {

namespace {

Error not_built() {
  return host_error("this kutrace was built without the eBPF source")
      .with_hint(
          "install clang and libbpf (scripts/setup does), then build again; "
          "kutrace --version names what is missing");
}

}  // namespace

struct EbpfSource::State {
  std::vector<std::string> nothing;
};

Status check_ebpf_usable() { return fail(not_built()); }
std::vector<Check> ebpf_checks() { return {{"built into this kutrace", fail(not_built())}}; }
std::string lockdown_mode() { return "not asked"; }
bool may_read_kernel_memory() { return false; }

Result<EmptyPrograms> EmptyPrograms::attach() { return fail(not_built()); }
EmptyPrograms::~EmptyPrograms() = default;

// No object of this class can come to be, so what follows is never run.
Result<EbpfSource> EbpfSource::open(const EbpfOptions&) { return fail(not_built()); }
EbpfSource::EbpfSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
EbpfSource::EbpfSource(EbpfSource&&) noexcept = default;
EbpfSource& EbpfSource::operator=(EbpfSource&&) noexcept = default;
EbpfSource::~EbpfSource() = default;
BlockPool& EbpfSource::pool() const { std::abort(); }
Status EbpfSource::start() { return fail(not_built()); }
Status EbpfSource::start_here() { return fail(not_built()); }
void EbpfSource::wait_for_programs() const {}
void EbpfSource::detach() {}
const std::vector<std::string>& EbpfSource::unseen() const { return state_->nothing; }
std::vector<std::string> EbpfSource::missed_by_programs() const { return {}; }
std::uint64_t EbpfSource::skipped_runs() const { return 0; }

}  // namespace kutrace
