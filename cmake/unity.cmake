# SPDX-License-Identifier: BSD-3-Clause
# Sources of a room compiled, and analysed, many at a time: their headers are read once. Preset asan
# does so in all rooms, release in those on whose speed little hangs: GCC makes slower code of much at
# once. A source still includes all that it uses, as preset ci compiles each alone.
set(KUTRACE_TOGETHER none CACHE STRING "Rooms whose sources are compiled together: none, some, all")
set_property(CACHE KUTRACE_TOGETHER PROPERTY STRINGS none some all)
if(NOT KUTRACE_TOGETHER MATCHES "^(none|some|all)$")
  message(FATAL_ERROR "KUTRACE_TOGETHER is none, some or all, not ${KUTRACE_TOGETHER}")
endif()
set(kutrace_fast base decode format model timeline spans raw filters reports odd query read_form read_raw
    read_page emit_page)

# Sources of which a local name is also that of something else in another source of the room. Who
# meets a new one renames it, or adds the source here.
set(kutrace_apart
    align/clock_map base/inflate cli/output_file emit/figure/figure_legend emit/page/far_tier
    emit/text/odd_text emit/text/overhead_text emit/text/raw_text emit/text/readings_text
    emit/text/syscalls_text emit/text/why_text format/event_groups format/syscall_arguments odd/flush_stall
    odd/frequency_drop odd/interrupt_storm odd/lock_convoy odd/migrations odd/sleeping_holder
    odd/spin query/database query/slab_rows query/span_rows query/totals_module query/trace_tables
    read/page/slab_columns read/perf_data/perf_records record/ebpf/kernel_types
    record/proc/machine_counters record/run/exec_command reports/diff
    reports/request_times reports/syscalls spans/wait_reason spans/wakeups symbols/elf_symbols)
list(TRANSFORM kutrace_apart REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/src/\\1.cpp")
file(GLOB kutrace_commands CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/cli/cmd_*.cpp)
set_source_files_properties(${kutrace_apart} ${kutrace_commands} PROPERTIES
                            SKIP_UNITY_BUILD_INCLUSION ON)

# kutrace_use_unity(target): where asked for.
function(kutrace_use_unity target)
  string(REGEX REPLACE "^kutrace_" "" room ${target})
  if(KUTRACE_TOGETHER STREQUAL "all" OR (KUTRACE_TOGETHER STREQUAL "some" AND NOT room IN_LIST kutrace_fast))
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
endfunction()
