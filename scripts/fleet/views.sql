-- SPDX-License-Identifier: BSD-3-Clause
-- Answers about many hosts. In: the tables kutrace_* that tables.ENGINE.sql makes of Parquet files;
-- out: views. One text for DuckDB, ClickHouse, Spark and Trino, so it keeps to what all four have:
-- no lag (its first row differs), no outer joins (ClickHouse fills them with zeros), no quantile
-- functions (each engine has its own), e0 for numbers that are not to be decimals.
--
-- Times are nanoseconds. The host '*' is all hosts together.

-- Sums of each host, and of all of them.
create or replace view kutrace_scopes as
select host, date, what, kind, name, bucket_ns, count, total_ns, min_ns, max_ns, on_cpu_ns,
       wait_ns, ready_ns, errors
from kutrace_totals
union all
select '*' as host, date, what, kind, name, bucket_ns, count, total_ns, min_ns, max_ns, on_cpu_ns,
       wait_ns, ready_ns, errors
from kutrace_totals;

-- How long calls and waits of a name lasted. Quantiles are at most 1/16 off, as those of
-- `kutrace syscalls`, and equal to them.
create or replace view kutrace_lengths as
with buckets as (
  select host, date, what, kind, name, bucket_ns,
         sum(count) as n, sum(total_ns) as total, min(min_ns) as shortest, max(max_ns) as longest,
         sum(on_cpu_ns) as on_cpu, sum(wait_ns) as waited, sum(ready_ns) as was_ready,
         sum(errors) as failed
  from kutrace_scopes
  where what <> 'cpu'
  group by host, date, what, kind, name, bucket_ns
),
ranked as (
  select host, date, what, kind, name, bucket_ns, n, total, shortest, longest, on_cpu, waited,
         was_ready, failed,
         sum(n) over (partition by host, date, what, kind, name order by bucket_ns) as up_to,
         sum(n) over (partition by host, date, what, kind, name) as of_all
  from buckets
)
select host, date, what, kind, name,
       cast(sum(n) as bigint) as times,
       cast(sum(total) as bigint) as sum_ns,
       cast(sum(total) as double) / cast(sum(n) as double) as mean_ns,
       least(min(case when up_to >= 0.5e0 * of_all then bucket_ns end), max(longest)) as p50_ns,
       least(min(case when up_to >= 0.9e0 * of_all then bucket_ns end), max(longest)) as p90_ns,
       least(min(case when up_to >= 0.99e0 * of_all then bucket_ns end), max(longest)) as p99_ns,
       least(min(case when up_to >= 0.999e0 * of_all then bucket_ns end), max(longest)) as p999_ns,
       min(shortest) as shortest_ns,
       max(longest) as longest_ns,
       cast(sum(on_cpu) as bigint) as executing_ns,
       cast(sum(waited) as bigint) as waiting_ns,
       cast(sum(was_ready) as bigint) as waiting_for_cpu_ns,
       cast(sum(failed) as bigint) as failures
from ranked
group by host, date, what, kind, name;

-- Latency by call, of each host and of all.
create or replace view kutrace_latency as
select host, date, kind, name, times, sum_ns, mean_ns, p50_ns, p90_ns, p99_ns, p999_ns, shortest_ns,
       longest_ns, executing_ns, waiting_ns, waiting_for_cpu_ns, failures
from kutrace_lengths
where what = 'call';

-- Waits by reason; `ready` is the wait for a CPU.
create or replace view kutrace_waits as
select host, date, name as reason, times, sum_ns, mean_ns, p50_ns, p90_ns, p99_ns, p999_ns,
       longest_ns
from kutrace_lengths
where what = 'wait';

-- What got slower, from a day to the next one that there is: extra_ns is how much more time it took
-- than if each had lasted as long as on the day before. Order by it.
create or replace view kutrace_regressions as
with days as (
  select host, what, kind, name, date, times, sum_ns, mean_ns, p99_ns,
         count(*) over (partition by host, what, kind, name order by date
                        rows between 1 preceding and 1 preceding) as has_before,
         sum(times) over (partition by host, what, kind, name order by date
                          rows between 1 preceding and 1 preceding) as times_then,
         sum(mean_ns) over (partition by host, what, kind, name order by date
                            rows between 1 preceding and 1 preceding) as mean_then,
         sum(p99_ns) over (partition by host, what, kind, name order by date
                           rows between 1 preceding and 1 preceding) as p99_then
  from kutrace_lengths
)
select host, date, what, kind, name, times, cast(times_then as bigint) as times_before, mean_ns,
       mean_then as mean_before_ns, p99_ns, cast(p99_then as bigint) as p99_before_ns,
       sum_ns - times * mean_then as extra_ns
from days
where has_before = 1;

-- Hosts on which something takes longer than on all together.
create or replace view kutrace_odd_hosts as
select one.date as date, one.host as host, one.what as what, one.kind as kind, one.name as name,
       one.times as times, one.mean_ns as mean_ns, every_host.mean_ns as mean_of_all_ns,
       one.sum_ns - one.times * every_host.mean_ns as extra_ns
from kutrace_lengths one
join kutrace_lengths every_host
  on one.date = every_host.date and one.what = every_host.what and one.kind = every_host.kind
     and one.name = every_host.name
where one.host <> '*' and every_host.host = '*';

-- Where the time of CPUs went.
create or replace view kutrace_cpu as
with kinds as (
  select host, date, kind, sum(total_ns) as total, sum(count) as n
  from kutrace_scopes
  where what = 'cpu'
  group by host, date, kind
)
select host, date, kind, cast(n as bigint) as spans, cast(total as bigint) as sum_ns,
       cast(total as double) / cast(sum(total) over (partition by host, date) as double) as share
from kinds;

-- What waiting time went to: who had the CPU, who ended the wait; as `kutrace blame` says it.
create or replace view kutrace_top_blame as
with scopes as (
  select host, date, wait, cause, text, waits, total_ns, longest_ns from kutrace_blame
  union all
  select '*' as host, date, wait, cause, text, waits, total_ns, longest_ns from kutrace_blame
),
causes as (
  select host, date, wait, cause, text, sum(waits) as n, sum(total_ns) as total,
         max(longest_ns) as longest
  from scopes
  group by host, date, wait, cause, text
)
select host, date, wait as reason, cause, text, cast(n as bigint) as times,
       cast(total as bigint) as sum_ns, longest as longest_ns,
       cast(total as double) / cast(sum(total) over (partition by host, date) as double) as share
from causes;

-- Programs: how long their threads executed and waited.
create or replace view kutrace_programs as
with scopes as (
  select host, date, process, on_cpu_ns, wait_ns, unknown_ns from kutrace_threads
  union all
  select '*' as host, date, process, on_cpu_ns, wait_ns, unknown_ns from kutrace_threads
)
select host, date, process, count(*) as threads, cast(sum(on_cpu_ns) as bigint) as executing_ns,
       cast(sum(wait_ns) as bigint) as waiting_ns, cast(sum(unknown_ns) as bigint) as not_told_ns
from scopes
group by host, date, process;

-- The ten longest calls of each name and day, with the moment and the recording to look into. Only
-- those are sorted that are in the powers of two of the ten longest.
create or replace view kutrace_slowest as
with powers as (
  select date, kind, name, floor(log2(cast(dur_ns + 1 as double))) as power, count(*) as n,
         min(dur_ns) as shortest
  from kutrace_calls
  group by date, kind, name, floor(log2(cast(dur_ns + 1 as double)))
),
counted as (
  select date, kind, name, shortest,
         sum(n) over (partition by date, kind, name order by power desc) - n as longer
  from powers
),
bounds as (
  select date, kind, name, min(shortest) as least_ns
  from counted
  where longer < 10
  group by date, kind, name
),
ranked as (
  select c.host as host, c.date as date, c.trace as trace, c.wall as wall, c.start_ns as start_ns,
         c.kind as kind, c.name as name, c.thread as thread, c.tid as tid, c.dur_ns as dur_ns,
         c.on_cpu_ns as on_cpu_ns, c.wait_ns as wait_ns, c.ready_ns as ready_ns,
         c.unknown_ns as unknown_ns, c.file as file,
         row_number() over (partition by c.date, c.kind, c.name
                            order by c.dur_ns desc, c.host, c.trace, c.id) as place
  from kutrace_calls c
  join bounds b on c.date = b.date and c.kind = b.kind and c.name = b.name
  where c.dur_ns >= b.least_ns
)
select host, date, trace, wall, start_ns, kind, name, thread, tid, dur_ns, on_cpu_ns, wait_ns,
       ready_ns, unknown_ns, file, place
from ranked
where place <= 10;

-- What was not recorded. Sums are of what was.
create or replace view kutrace_lost as
select host, date, reason, count(*) as losses, cast(sum(dur_ns) as bigint) as lost_ns
from kutrace_losses
group by host, date, reason;
