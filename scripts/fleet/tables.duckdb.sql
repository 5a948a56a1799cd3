-- SPDX-License-Identifier: BSD-3-Clause
-- The Parquet files below LAKE as tables of DuckDB; views.sql stands on them. LAKE is a folder or a
-- bucket: sed 's|LAKE|s3://traces|'. Files are found anew by each query.
create or replace view kutrace_spans as
select * from read_parquet('LAKE/spans/host=*/date=*/*.parquet', union_by_name = true,
  hive_partitioning = true, hive_types = {'host': varchar, 'date': varchar});
create or replace view kutrace_calls as
select * from read_parquet('LAKE/calls/host=*/date=*/*.parquet', union_by_name = true,
  hive_partitioning = true, hive_types = {'host': varchar, 'date': varchar});
create or replace view kutrace_threads as
select * from read_parquet('LAKE/threads/host=*/date=*/*.parquet', union_by_name = true,
  hive_partitioning = true, hive_types = {'host': varchar, 'date': varchar});
create or replace view kutrace_losses as
select * from read_parquet('LAKE/losses/host=*/date=*/*.parquet', union_by_name = true,
  hive_partitioning = true, hive_types = {'host': varchar, 'date': varchar});
create or replace view kutrace_meta as
select * from read_parquet('LAKE/meta/host=*/date=*/*.parquet', union_by_name = true,
  hive_partitioning = true, hive_types = {'host': varchar, 'date': varchar});
create or replace view kutrace_totals as
select * from read_parquet('LAKE/totals/host=*/date=*/*.parquet', union_by_name = true,
  hive_partitioning = true, hive_types = {'host': varchar, 'date': varchar});
create or replace view kutrace_blame as
select * from read_parquet('LAKE/blame/host=*/date=*/*.parquet', union_by_name = true,
  hive_partitioning = true, hive_types = {'host': varchar, 'date': varchar});
