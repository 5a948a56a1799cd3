# SPDX-License-Identifier: BSD-3-Clause
# The eBPF source: compiles src/record/ebpf/bpf/ and embeds it, links libbpf into kutrace_record_ebpf.
# Where a tool or library is absent, that room and record/count are built without it, and `record` and
# `count` say so.
find_program(KUTRACE_BPF_CLANG NAMES clang-19 clang-18 clang-17 clang-16 clang-15 clang)
pkg_check_modules(libbpf IMPORTED_TARGET libbpf>=1.0)

set(ebpf_missing "")
if(NOT KUTRACE_BPF_CLANG)
  list(APPEND ebpf_missing "clang")
endif()
if(NOT libbpf_FOUND)
  list(APPEND ebpf_missing "libbpf 1.0 or newer")
endif()
set(bpf_architecture_of_x86_64 x86)
set(bpf_architecture_of_aarch64 arm64)
set(bpf_architecture "${bpf_architecture_of_${CMAKE_SYSTEM_PROCESSOR}}")
if(NOT bpf_architecture)
  list(APPEND ebpf_missing "an x86-64 or arm64 processor")
endif()

if(ebpf_missing)
  list(JOIN ebpf_missing ", " ebpf_missing)
  set(KUTRACE_FEATURE_EBPF "no (missing when it was built: ${ebpf_missing})")
  message(STATUS "kutrace record through eBPF is switched off: missing ${ebpf_missing}")
  get_target_property(ebpf_sources kutrace_record_ebpf SOURCES)
  list(FILTER ebpf_sources EXCLUDE REGEX "/(ebpf_source|capability|object|empty_programs|function_probes|programs|trace_buffer)\\.cpp$")
  set_target_properties(kutrace_record_ebpf PROPERTIES SOURCES "${ebpf_sources}")
  target_sources(kutrace_record_ebpf PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src/record/ebpf/absent/no_ebpf.cpp)
  get_target_property(count_sources kutrace_record_count SOURCES)
  list(FILTER count_sources EXCLUDE REGEX "/(counter|stack_frames)\\.cpp$")
  set_target_properties(kutrace_record_count PROPERTIES SOURCES "${count_sources}")
  target_sources(kutrace_record_count PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src/record/count/absent/no_count.cpp)
  return()
endif()

set(KUTRACE_FEATURE_EBPF "yes")
set(bpf_source_dir ${CMAKE_CURRENT_SOURCE_DIR}/src/record/ebpf/bpf)
file(GLOB bpf_headers CONFIGURE_DEPENDS ${bpf_source_dir}/*.h
     ${CMAKE_CURRENT_SOURCE_DIR}/include/kutrace/*.h
     ${CMAKE_CURRENT_SOURCE_DIR}/include/kutrace/*.def)
set(bpf_objects "")
set(bpf_compile ${KUTRACE_BPF_CLANG} -target bpf -mcpu=v3 -O2 -g -ffreestanding -Wall -Werror
  -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=. -fdebug-compilation-dir=.
  -I${CMAKE_CURRENT_SOURCE_DIR}/include
  -idirafter /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
  -idirafter /usr/${CMAKE_LIBRARY_ARCHITECTURE}/include)
foreach(object kutrace count)
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${object}.bpf.o
    COMMAND ${bpf_compile} -D__TARGET_ARCH_${bpf_architecture}
            -c ${bpf_source_dir}/${object}.bpf.c -o ${CMAKE_CURRENT_BINARY_DIR}/${object}.bpf.o
    DEPENDS ${bpf_source_dir}/${object}.bpf.c ${bpf_headers}
    COMMENT "Compiling the BPF programs: ${object}"
    VERBATIM)
  list(APPEND bpf_objects ${CMAKE_CURRENT_BINARY_DIR}/${object}.bpf.o)
endforeach()
add_custom_target(kutrace_bpf DEPENDS ${bpf_objects})
add_dependencies(kutrace_record_ebpf kutrace_bpf)
list(GET bpf_objects 0 record_object)
list(GET bpf_objects 1 count_object)
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/record/ebpf/object.cpp PROPERTIES
  COMPILE_DEFINITIONS "KUTRACE_BPF_OBJECT=\"${record_object}\";KUTRACE_COUNT_OBJECT=\"${count_object}\""
  OBJECT_DEPENDS "${bpf_objects}")
target_link_libraries(kutrace_record_ebpf PUBLIC PkgConfig::libbpf)
