#!/bin/sh
# Appends 100 lines to a log and syncs it after each, as a database does with its journal.
for i in $(seq 100); do
	echo "$i" >>log
	sync -d log
	sleep 0.01
done
