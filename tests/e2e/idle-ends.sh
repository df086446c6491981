# SPDX-License-Identifier: MIT
# Threads that end while the sampler takes over what they noted and left: each tells of all its events.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq

"$RECORD" -q --require -o trace -- "$APPS/idle_ends" || fail "status $?"
"$REPORT" -q -f json trace >report.json || fail "report: status $?"
holds "all threads have ended" '[.threads[] | select(.end_ns != null)] | length == 61'
"$REPORT" -q --verify -f json trace >verified.json || true
holds "emitted is read" '.checks[] | select(.check == "emitted") | .result == "passed" and .compared > 60' verified.json
