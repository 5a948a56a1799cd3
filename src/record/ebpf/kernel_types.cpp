// SPDX-License-Identifier: BSD-3-Clause
// The format is the kernel's: Documentation/bpf/btf.rst. Kinds that came later than this list may
// have a length that is not known here; then nothing is said rather than something wrong.
#include "record/ebpf/kernel_types.h"

#include <fcntl.h>
#include <linux/btf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "files/descriptor.h"
#include "record/ebpf/load_error.h"

namespace kutrace::record {

namespace {

constexpr const char* kFile = "/sys/kernel/btf/vmlinux";
constexpr std::string_view kTracepoint = "btf_trace_";
constexpr std::string_view kFunction = "bpf_";
constexpr unsigned kEnum64 = 19;  // newer than some headers

// How many bytes follow a type's head; nothing if this kind is not known.
std::optional<std::size_t> tail_of(unsigned kind, std::size_t members) {
  switch (kind) {
    case BTF_KIND_INT:
    case BTF_KIND_VAR:
    case BTF_KIND_DECL_TAG:
      return sizeof(std::uint32_t);
    case BTF_KIND_ARRAY:
      return sizeof(btf_array);
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
      return members * sizeof(btf_member);
    case BTF_KIND_ENUM:
      return members * sizeof(btf_enum);
    case kEnum64:
      return members * 3 * sizeof(std::uint32_t);
    case BTF_KIND_FUNC_PROTO:
      return members * sizeof(btf_param);
    case BTF_KIND_DATASEC:
      return members * sizeof(btf_var_secinfo);
    default:
      if (kind > kEnum64) return std::nullopt;
      return 0;
  }
}

constexpr const char* kNotReadable = "cannot read the kernel's types";

}  // namespace

bool KernelTypes::index() {
  btf_header header{};
  if (bytes_.size() < sizeof header) return false;
  std::memcpy(&header, bytes_.data(), sizeof header);
  const std::string_view all = bytes_;
  if (header.magic != BTF_MAGIC || header.hdr_len > all.size()) return false;
  const std::string_view sections = all.substr(header.hdr_len);
  if (header.type_off > sections.size() || header.str_off > sections.size()) return false;
  std::string_view types = sections.substr(header.type_off, header.type_len);
  const std::string_view names = sections.substr(header.str_off, header.str_len);
  while (types.size() >= sizeof(btf_type)) {
    btf_type type{};
    std::memcpy(&type, types.data(), sizeof type);
    const unsigned kind = BTF_INFO_KIND(type.info);
    const auto tail = tail_of(kind, BTF_INFO_VLEN(type.info));
    if (!tail || types.size() < sizeof type + *tail) return false;
    types.remove_prefix(sizeof type + *tail);
    if ((kind != BTF_KIND_TYPEDEF && kind != BTF_KIND_FUNC) || type.name_off >= names.size())
      continue;
    const std::string_view rest = names.substr(type.name_off);
    const bool is_typedef = kind == BTF_KIND_TYPEDEF;
    if (!rest.starts_with(is_typedef ? kTracepoint : kFunction)) continue;
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (is_typedef)
      tracepoints_.insert(name.substr(kTracepoint.size()));
    else
      functions_.insert(name);
  }
  return types.empty();
}

Result<KernelTypes> KernelTypes::parse(std::string bytes) {
  KernelTypes types(std::move(bytes));
  if (!types.index()) {
    return fail(host_error(std::string(kNotReadable) + ": they are in an unknown or newer format")
                    .with_file(kFile));
  }
  return types;
}

Result<KernelTypes> KernelTypes::read() {
  const files::Descriptor file(open(kFile, O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0) return fail(kernel_error(kNotReadable, errno));
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail(kernel_error(kNotReadable, got < 0 ? errno : EIO));
    done += static_cast<std::size_t>(got);
  }
  return parse(std::move(bytes));
}

}  // namespace kutrace::record
