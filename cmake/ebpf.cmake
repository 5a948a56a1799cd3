# SPDX-License-Identifier: BSD-3-Clause
# The eBPF source: compiles src/record/ebpf/bpf/ and embeds it, links libbpf into kutrace_record_ebpf.
# Where a tool or library is absent, that room is built without it and `record` says so.
find_program(KUTRACE_BPF_CLANG NAMES clang-19 clang-18 clang-17 clang-16 clang-15 clang)
pkg_check_modules(libbpf IMPORTED_TARGET libbpf>=1.0)

set(ebpf_missing "")
if(NOT KUTRACE_BPF_CLANG)
  list(APPEND ebpf_missing "clang")
endif()
if(NOT libbpf_FOUND)
  list(APPEND ebpf_missing "libbpf 1.0 or newer")
endif()
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  list(APPEND ebpf_missing "an x86-64 processor")
endif()

if(ebpf_missing)
  list(JOIN ebpf_missing ", " ebpf_missing)
  set(KUTRACE_FEATURE_EBPF "no (missing when it was built: ${ebpf_missing})")
  message(STATUS "kutrace record through eBPF is switched off: missing ${ebpf_missing}")
  get_target_property(ebpf_sources kutrace_record_ebpf SOURCES)
  list(FILTER ebpf_sources EXCLUDE REGEX "/(ebpf_source|capability|object|empty_programs|trace_buffer)\\.cpp$")
  set_target_properties(kutrace_record_ebpf PROPERTIES SOURCES "${ebpf_sources}")
  target_sources(kutrace_record_ebpf PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src/record/ebpf/absent/no_ebpf.cpp)
  return()
endif()

set(KUTRACE_FEATURE_EBPF "yes")
set(bpf_source_dir ${CMAKE_CURRENT_SOURCE_DIR}/src/record/ebpf/bpf)
set(bpf_object ${CMAKE_CURRENT_BINARY_DIR}/kutrace.bpf.o)
file(GLOB bpf_headers CONFIGURE_DEPENDS ${bpf_source_dir}/*.h
     ${CMAKE_CURRENT_SOURCE_DIR}/include/kutrace/*.h
     ${CMAKE_CURRENT_SOURCE_DIR}/include/kutrace/*.def)
add_custom_command(
  OUTPUT ${bpf_object}
  COMMAND ${KUTRACE_BPF_CLANG} -target bpf -mcpu=v3 -O2 -g -ffreestanding -Wall -Werror
          -I${CMAKE_CURRENT_SOURCE_DIR}/include
          -idirafter /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
          -c ${bpf_source_dir}/kutrace.bpf.c -o ${bpf_object}
  DEPENDS ${bpf_source_dir}/kutrace.bpf.c ${bpf_headers}
  COMMENT "Compiling the BPF programs"
  VERBATIM)
add_custom_target(kutrace_bpf DEPENDS ${bpf_object})
add_dependencies(kutrace_record_ebpf kutrace_bpf)
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/record/ebpf/object.cpp PROPERTIES
  COMPILE_DEFINITIONS "KUTRACE_BPF_OBJECT=\"${bpf_object}\""
  OBJECT_DEPENDS ${bpf_object})
target_link_libraries(kutrace_record_ebpf PUBLIC PkgConfig::libbpf)
