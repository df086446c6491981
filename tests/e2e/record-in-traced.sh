# SPDX-License-Identifier: MIT
# A recording started by a process that is traced itself: the command is its first process, traced
# whatever its name, and has no parent in it.
. "$top_srcdir/tests/lib.sh"
need jq

env DLTRACE_ROOT=1 DLTRACE_PARENT=1:2:3 "$RECORD" -q -o rec -- "$APPS/ends" exit && fail "status lost" || :
"$REPORT" rec -o report.json
holds "the command is there" '[.processes[] | select(.name == "ends" and .parent == null)] | length == 1'
