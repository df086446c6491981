# SPDX-License-Identifier: MIT
# A process that ends while its threads emit leaves no half event behind: with per-UID buffers
# that would stop the recording on its CPU, silently, for everybody.
. "$top_srcdir/tests/lib.sh"
need babeltrace2
need taskset

session_start 'dltrace_*'
ulimit -c 0
for way in _exit quick_exit exec abort raise kill exit; do
	for i in 1 2 3 4 5; do
		env LD_PRELOAD="$DLTRACE_LIB" "$APPS/busy" $way >/dev/null 2>&1 || :
	done
done
# Every CPU still records: a process bound to each, with a status of its own.
cpus=$(nproc)
for cpu in $(seq 0 $((cpus - 1))); do
	taskset -c "$cpu" env LD_PRELOAD="$DLTRACE_LIB" "$APPS/ends" many 1 >/dev/null
	taskset -c "$cpu" env LD_PRELOAD="$DLTRACE_LIB" "$APPS/ends" exit || :
done
session_stop
babeltrace2 trace >text 2>errors || fail "unreadable: $(cat errors)"
same "processes recorded at the end" "$cpus" "$(grep -c 'dltrace_proc:exit: .*code = 41' text)"
for how in 0 1 2 3 4 5; do
	grep -q "dltrace_proc:exit: .*how = $how," text || fail "no exit with how = $how"
done
