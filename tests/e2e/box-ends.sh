# SPDX-License-Identifier: MIT
# The black box says how each process ended, with and without LTTng, and how many threads it has:
# /proc's number less the helpers.
. "$top_srcdir/tests/lib.sh"

box() {
	rm -rf box
	mkdir -m 700 box
	env LD_PRELOAD="$DLTRACE_LIB" DLTRACE_BOX="$TMP/box" "$APPS/ends" "$@" >/dev/null 2>&1 || :
	"$APPS/boxes" box | sed 's/pid [0-9]* //; s/ threads.*//'
}

ends() {
	same "exit" "state 2 code 41" "$(box exit)"
	same "_exit" "state 2 code 42" "$(box _exit)"
	same "quick_exit" "state 2 code 44" "$(box quick_exit)"
	same "abort" "state 4 code 6" "$(box abort)"
	same "raise" "state 4 code 15" "$(box raise)"
	same "kill of itself" "state 4 code 9" "$(box kill)"
	same "a fault" "state 1 code 0" "$(box segv)"
	same "failed exec" "state 2 code 45" "$(box noexec)"
	same "exec" "state 2 code 41 state 3 code 0" "$(box exec | sort | tr '\n' ' ' | sed 's/ $//')"
}

threads() {
	rm -rf box
	mkdir -m 700 box
	mkfifo in
	env LD_PRELOAD="$DLTRACE_LIB" DLTRACE_BOX="$TMP/box" "$APPS/threads" hold <in >out &
	exec 8>in
	while ! grep -q threads out; do sleep 0.05; done
	"$APPS/boxes" box >boxes
	seen=$(sed 's/threads //' out)
	same "threads" 7 "$(sed 's/.* threads \([0-9]*\).*/\1/' boxes)"
	same "helpers" $((seen - 7)) "$(sed 's/.* helpers \([0-9]*\).*/\1/' boxes)"
	exec 8>&-
	wait
	same "threads at the end" 1 "$("$APPS/boxes" box | sed 's/.* threads \([0-9]*\).*/\1/')"
	rm in
}

ends
session_start 'dltrace_*'
ends
threads
session_stop
