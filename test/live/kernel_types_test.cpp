// SPDX-License-Identifier: BSD-3-Clause
// What the running kernel has by name: as libbpf finds it, and never read beyond the bytes there
// are.
#include "record/ebpf/kernel_types.h"

#include <bpf/btf.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "record/source/hooks.h"

namespace kutrace::record {

namespace {

using BtfPtr = std::unique_ptr<btf, void (*)(btf*)>;

std::string bytes_of(const btf* types) {
  std::uint32_t size = 0;
  const void* bytes = btf__raw_data(types, &size);
  return {static_cast<const char*>(bytes), size};
}

// One type of every kind, and names to be found behind them.
BtfPtr every_kind() {
  BtfPtr types(btf__new_empty(), btf__free);
  btf* const all = types.get();
  const int number = btf__add_int(all, "int", 4, BTF_INT_SIGNED);
  btf__add_ptr(all, number);
  btf__add_array(all, number, number, 3);
  btf__add_struct(all, "pair", 8);
  btf__add_field(all, "first", number, 0, 0);
  btf__add_field(all, "second", number, 32, 0);
  btf__add_union(all, "either", 4);
  btf__add_field(all, "one", number, 0, 0);
  btf__add_enum(all, "few", 4);
  btf__add_enum_value(all, "A", 1);
  btf__add_enum_value(all, "B", 2);
  btf__add_enum64(all, "many", 8, false);
  btf__add_enum64_value(all, "C", 3);
  btf__add_fwd(all, "later", BTF_FWD_STRUCT);
  btf__add_volatile(all, number);
  btf__add_const(all, number);
  btf__add_restrict(all, number);
  btf__add_float(all, "float", 4);
  btf__add_type_tag(all, "user", number);
  const int prototype = btf__add_func_proto(all, number);
  btf__add_func_param(all, "argument", number);
  const int variable = btf__add_var(all, "variable", BTF_VAR_STATIC, number);
  btf__add_datasec(all, ".data", 4);
  btf__add_datasec_var_info(all, variable, 0, 4);
  btf__add_decl_tag(all, "tag", variable, -1);
  btf__add_typedef(all, "btf_trace_one", prototype);
  btf__add_typedef(all, "trace_two", prototype);
  btf__add_func(all, "bpf_call", BTF_FUNC_GLOBAL, prototype);
  btf__add_func(all, "other_call", BTF_FUNC_GLOBAL, prototype);
  return types;
}

}  // namespace

TEST_CASE("tracepoints and functions are found behind types of every kind") {
  const auto types = KernelTypes::parse(bytes_of(every_kind().get()));
  REQUIRE(types);
  CHECK(types->has_tracepoint("one"));
  CHECK_FALSE(types->has_tracepoint("two"));
  CHECK_FALSE(types->has_tracepoint("on"));
  CHECK(types->has_function("bpf_call"));
  CHECK_FALSE(types->has_function("other_call"));
}

TEST_CASE("types that are cut or of an unknown kind are refused") {
  const std::string whole = bytes_of(every_kind().get());
  btf_header header{};
  std::memcpy(&header, whole.data(), sizeof header);
  for (std::size_t size = 0; size < header.hdr_len + header.type_len; ++size) {
    CAPTURE(size);
    CHECK_FALSE(KernelTypes::parse(whole.substr(0, size)));
  }
  std::string unknown = whole;
  unknown[header.hdr_len + offsetof(btf_type, info) + 3] = 25;
  CHECK_FALSE(KernelTypes::parse(unknown));
}

TEST_CASE("this kernel's tracepoints are those that libbpf finds") {
  const BtfPtr known(btf__load_vmlinux_btf(), btf__free);
  if (known == nullptr) return;
  const auto types = KernelTypes::read();
  REQUIRE(types);
  for (const Hook& hook : all_hooks()) {
    CAPTURE(hook.name);
    const std::string name = "btf_trace_" + std::string(hook.name);
    const bool there = btf__find_by_name_kind(known.get(), name.c_str(), BTF_KIND_TYPEDEF) > 0;
    CHECK(types->has_tracepoint(hook.name) == there);
  }
  for (const char* name : {"bpf_dynptr_from_skb", "bpf_preempt_disable", "bpf_no_such_function"})
    CHECK(types->has_function(name) ==
          (btf__find_by_name_kind(known.get(), name, BTF_KIND_FUNC) > 0));
}

}  // namespace kutrace::record
