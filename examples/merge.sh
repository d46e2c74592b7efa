#!/bin/sh
# Joins HOST.SHARE.jsonl of each host in a folder to HOST.jsonl and compares every host with the first.
# Exit 1 when any host differs.
set -eu
cd "${1:?usage: merge.sh FOLDER}"
first=
status=0
for host in $(ls *.*.jsonl | sed 's/\.[0-9]*\.jsonl$//' | sort -u); do
    cat "$host".[0-9]*.jsonl >"$host.jsonl"
    if [ -z "$first" ]; then
        first=$host
        continue
    fi
    echo "== $first and $host"
    evkit case diff "$first.jsonl" "$host.jsonl" || status=1
done
exit $status
