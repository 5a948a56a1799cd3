-- SPDX-License-Identifier: BSD-3-Clause
-- The Parquet files below LAKE as tables of ClickHouse; views.sql stands on them. LAKE is a folder
-- (of a server: below its user_files). Of a bucket it is s3(...) in place of file(...). Files are
-- found anew by each query.
set use_hive_partitioning = 1;
create or replace view kutrace_spans as
select * replace (toString(host) as host, toString(date) as date)
from file('LAKE/spans/host=*/date=*/*.parquet', Parquet);
create or replace view kutrace_calls as
select * replace (toString(host) as host, toString(date) as date)
from file('LAKE/calls/host=*/date=*/*.parquet', Parquet);
create or replace view kutrace_threads as
select * replace (toString(host) as host, toString(date) as date)
from file('LAKE/threads/host=*/date=*/*.parquet', Parquet);
create or replace view kutrace_losses as
select * replace (toString(host) as host, toString(date) as date)
from file('LAKE/losses/host=*/date=*/*.parquet', Parquet);
create or replace view kutrace_meta as
select * replace (toString(host) as host, toString(date) as date)
from file('LAKE/meta/host=*/date=*/*.parquet', Parquet);
create or replace view kutrace_totals as
select * replace (toString(host) as host, toString(date) as date)
from file('LAKE/totals/host=*/date=*/*.parquet', Parquet);
create or replace view kutrace_blame as
select * replace (toString(host) as host, toString(date) as date)
from file('LAKE/blame/host=*/date=*/*.parquet', Parquet);
