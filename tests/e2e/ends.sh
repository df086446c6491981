# SPDX-License-Identifier: MIT
# Every way to make a child and to end: what waitpid sees is the same as without, and the trace
# tells how each process ended. vfork: the parent goes on where it was, and nothing of the child
# is in the trace but what it became. On an old Linux, which clears no page of a child's, too.
. "$top_srcdir/tests/lib.sh"
need babeltrace2

field() {
	sed -n "s/.* $1 = \([^,}]*\).*/\1/p" | tr -d '" '
}

# exits HOW CODE TIMES
exits() {
	same "exits with how=$1 code=$2" "$3" \
		"$(grep -c "dltrace_proc:exit: .*how = $1, code = $2," text)"
}

# chain COMMAND...: the chain, run by it
chain() {
	rm -rf trace
	session_start 'dltrace_proc:*'
	"$@" env LD_PRELOAD="$DLTRACE_LIB" DLTRACE_CHILDREN=all "$APPS/ends" chain >traced
	session_stop
	cmp plain traced || { diff plain traced; fail "the chain sees something else"; }
	babeltrace2 trace >text
	exits 0 41 4	# the fork's, the exec's, and two vfork children
	exits 1 42 2	# the fork's and the posix_spawn child
	exits 1 43 1
	exits 2 44 1
	exits 3 6 1
	exits 4 15 1
	exits 4 9 1
	exits 0 45 1	# after an exec that failed
	exits 0 0 1	# the first
	same "exec that failed" 1 "$(grep -c 'dltrace_proc:child: .*how = 3, child = 0, result = 2' text)"
	same "children by fork" 10 "$(grep -c 'dltrace_proc:child: .*how = 0' text)"
	same "children by vfork" 3 "$(grep -c 'dltrace_proc:child: .*how = 1' text)"
	same "what vfork children became" 2 "$(grep -c "dltrace_proc:child: .*how = 1.*path = \"$APPS/ends\"" text)"
	same "children by posix_spawn" 2 "$(grep -c 'dltrace_proc:child: .*how = 2' text)"
	same "children by libc" 2 "$(grep -c 'dltrace_proc:child: .*how = 4' text)"

	# What waitpid told the first process: 7 statuses and 3 signals of forks, 3 vfork children, 1 spawn
	# (posix_spawn's, but not what libc waits for itself: system, popen)
	same "children waited for" 14 "$(grep -c 'dltrace_proc:child: .*how = 5' text)"
	for result in 6 9 11 15 10496; do
		grep -q "dltrace_proc:child: .*how = 5, child = [0-9]*, result = $result," text ||
			fail "no child with wait status $result"
	done
	first=$(grep 'dltrace_proc:process: .*parent = 0,' text | field process)
	same "the first process's children" 15 "$(grep 'dltrace_proc:process: .*reason = [01],' text | grep -c " parent = $first,")"
	same "processes after an exec" 1 "$(grep -c 'dltrace_proc:process: .*reason = 2,' text)"

	# Nothing of a vfork child before its exec: each process's events are as many as it says.
	for id in $(grep 'dltrace_proc:exit: .*how = 0, code = 0' text | field process); do
		told=$(grep "dltrace_proc:exit: .*process = $id," text | field events)
		grep -E "process = $id,|thread = $id," text >its
		same "events of the first process" "$told" "$(wc -l <its)"
	done
}

"$APPS/ends" chain >plain
chain
"$APPS/refused" wipe_on_fork true || skip "the kernel has no filters for system calls"
chain "$APPS/refused" wipe_on_fork
