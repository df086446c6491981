# SPDX-License-Identifier: MIT
# The CPU time of threads that end with their process, and of the process: what the program itself has measured right
# before, and no more than it took to end. Nobody reads them in time from outside.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq

# within WHAT BEGIN MORE NUMBER: from BEGIN to BEGIN + MORE
within() {
	[ "$4" -ge "$2" ] && [ "$4" -le $(($2 + $3)) ] || fail "$1: $4 ns, not $2"
}

# check_process TRACE [NS]: what its threads had used together, NS of them before it was this program
check_process() {
	"$REPORT" -q -f json -o report.json "$1" || [ $? = 1 ] || fail "$1: no report"
	within "$1: the process" "$(awk -v before="${2-0}" '{ sum += $2 } END { printf "%.0f", sum - before }' "$1.said")" \
		$((20000000 + ${2-0})) \
		"$(jq '[.processes[] | select(.name == "cpu_ends")][0].cpu_ns' report.json)"
}

check() {
	check_process "$1"
	while read -r tid ns; do
		within "$1: thread $tid" "$ns" 10000000 "$(jq "[.threads[] | select(.tid == $tid)][0].cpu_ns // 0" report.json)"
	done <"$1.said"
	! "$REPORT" -q "$1" | grep -q 'of no thread' || fail "$1: something is said to be missing"
}

export DLTRACE_SAMPLE=1s	# so nothing is read in time by chance
for how in exit:0 _exit:0 abort:134 exec:0; do
	name=${how%:*}
	status=0
	"$RECORD" -q -o "$name" -- "$APPS/cpu_ends" "$name" >"$name.said" 2>err || status=$?
	same "$name: status" "${how#*:}" $status
	check "$name"
done

echo "replaced, and over, before anybody looks"
"$RECORD" -q -o late -- sh -c 'touch began; until [ -e go ]; do sleep 0.02; done; exec "$@"' sh \
	"$APPS/cpu_ends" exec >late.said 2>err &
recorder=$!
until_so "the command" [ -e began ]
sampler=$(pgrep -P $recorder -x dltrace-sampler)
kill -STOP "$sampler"
touch go
until_so "its end" sh -c "[ \$(wc -l <late.said) = 4 ] && ! pgrep -P $recorder -x 'cpu_ends|true'"
kill -CONT "$sampler"
wait $recorder || fail "late: status $?"
check_process late 20000000	# the shell's

echo "killed by somebody: the kernel tells of the process as long as nobody has waited for it"
"$RECORD" -q -o wait -- "$APPS/cpu_ends" wait >wait.said 2>err &
until_so "its word" sh -c "[ \$(wc -l <wait.said) = 4 ]"
pkill -KILL -P $! -x cpu_ends
wait $! || same "wait: status" 137 $?
check_process wait

echo "in a session of one's own"
session_start 'dltrace_*' 'dltrace_batch:*'
LD_PRELOAD=$DLTRACE_LIB "$APPS/cpu_ends" >trace.said
session_stop
check trace
