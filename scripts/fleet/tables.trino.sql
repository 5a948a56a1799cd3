-- SPDX-License-Identifier: BSD-3-Clause
-- The Parquet files below LAKE as tables of Trino's Hive connector, in a schema kutrace that is
-- there and in use (USE hive.kutrace); views.sql stands on them. LAKE is a bucket:
-- sed 's|LAKE|s3://traces|'. Written to Trino's documentation; `scripts/dev judges` asks its
-- grammar, no test runs it. A new host or day needs sync_partition_metadata once more.
drop table if exists kutrace_spans;
create table kutrace_spans (
  start_ns bigint, dur_ns bigint, wall timestamp(3), kind varchar, name varchar, cpu integer,
  tid integer, thread varchar, event bigint, arg bigint, result bigint, rpc bigint, ipc integer,
  call_id bigint, to_tid integer, trace bigint, host varchar, date varchar
)
with (external_location = 'LAKE/spans', format = 'PARQUET',
      partitioned_by = array['host', 'date']);
call system.sync_partition_metadata('kutrace', 'kutrace_spans', 'FULL');
drop table if exists kutrace_calls;
create table kutrace_calls (
  id bigint, parent_id bigint, start_ns bigint, dur_ns bigint, wall timestamp(3), kind varchar,
  name varchar, cpu integer, tid integer, thread varchar, arg bigint, result bigint,
  error varchar, file varchar, own_ns bigint, on_cpu_ns bigint, wait_ns bigint, ready_ns bigint,
  unknown_ns bigint, begin_inferred integer, end_inferred integer, trace bigint, host varchar,
  date varchar
)
with (external_location = 'LAKE/calls', format = 'PARQUET',
      partitioned_by = array['host', 'date']);
call system.sync_partition_metadata('kutrace', 'kutrace_calls', 'FULL');
drop table if exists kutrace_threads;
create table kutrace_threads (
  tid integer, thread varchar, pid integer, process varchar, cgroup varchar, container varchar,
  pod varchar, start_ns bigint, end_ns bigint, on_cpu_ns bigint, wait_ns bigint,
  unknown_ns bigint, trace bigint, host varchar, date varchar
)
with (external_location = 'LAKE/threads', format = 'PARQUET',
      partitioned_by = array['host', 'date']);
call system.sync_partition_metadata('kutrace', 'kutrace_threads', 'FULL');
drop table if exists kutrace_losses;
create table kutrace_losses (
  start_ns bigint, dur_ns bigint, wall timestamp(3), cpu integer, reason varchar, entries bigint,
  trace bigint, host varchar, date varchar
)
with (external_location = 'LAKE/losses', format = 'PARQUET',
      partitioned_by = array['host', 'date']);
call system.sync_partition_metadata('kutrace', 'kutrace_losses', 'FULL');
drop table if exists kutrace_meta;
create table kutrace_meta (
  key varchar, value varchar, trace bigint, host varchar, date varchar
)
with (external_location = 'LAKE/meta', format = 'PARQUET',
      partitioned_by = array['host', 'date']);
call system.sync_partition_metadata('kutrace', 'kutrace_meta', 'FULL');
drop table if exists kutrace_totals;
create table kutrace_totals (
  minute timestamp(3), what varchar, kind varchar, name varchar, bucket_ns bigint, count bigint,
  total_ns bigint, min_ns bigint, max_ns bigint, on_cpu_ns bigint, wait_ns bigint,
  ready_ns bigint, errors bigint, trace bigint, host varchar, date varchar
)
with (external_location = 'LAKE/totals', format = 'PARQUET',
      partitioned_by = array['host', 'date']);
call system.sync_partition_metadata('kutrace', 'kutrace_totals', 'FULL');
drop table if exists kutrace_blame;
create table kutrace_blame (
  wait varchar, cause varchar, text varchar, waits bigint, total_ns bigint, longest_ns bigint,
  wall timestamp(3), trace bigint, host varchar, date varchar
)
with (external_location = 'LAKE/blame', format = 'PARQUET',
      partitioned_by = array['host', 'date']);
call system.sync_partition_metadata('kutrace', 'kutrace_blame', 'FULL');
