# SPDX-License-Identifier: MIT
# What shell tests share: . "$top_srcdir/tests/lib.sh"; they run with -eu in an empty folder $TMP.
# Set by run-test: DLTRACE_LIB (libdltrace.so), RECORD, REPORT, APPS, STUBS, TMP, top_srcdir, top_builddir.

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

skip() {
	echo "SKIP: $*" >&2
	exit 77
}

# same WHAT EXPECTED ACTUAL
same() {
	[ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}

# exits STATUS COMMAND...: what it writes is then in the files out and err, and its exit status in $status
exits() {
	wanted=$1
	shift
	status=0
	"$@" >out 2>err || status=$?
	[ $status = "$wanted" ] || { cat err; fail "$*: exit status $status, not $wanted"; }
}

# says PATTERN: what exits() ran last has it on standard error
says() {
	grep -q -- "$1" err || { cat err; fail "standard error lacks: $1"; }
}

# says_one_line: and nothing else there
says_one_line() {
	same "lines on standard error" 1 "$(wc -l <err)"
}

need() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

# until_so WHAT COMMAND...: waits for it to succeed, two minutes at most
until_so() {
	awaited=$1
	shift
	looks=0
	until "$@" >/dev/null 2>&1; do
		looks=$((looks + 1))
		[ $looks -lt 1200 ] || fail "waited in vain: $awaited"
		sleep 0.1
	done
}

# below PID NAME: the processes below it with that name
below() {
	for child in $(cat /proc/$1/task/*/children 2>/dev/null); do
		[ "$(cat /proc/$child/comm 2>/dev/null)" != "$2" ] || echo $child
		below $child "$2"
	done
}

# has_ended PID: it is gone, or a zombie
has_ended() {
	! grep -qs '^State:.[^ZX]' "/proc/$1/status"
}

# boxes: a folder for black boxes as dltrace-record makes one, named by $DLTRACE_BOX.
boxes() {
	DLTRACE_BOX=$(mktemp -d "$TMP/box.XXXXXX")
	export DLTRACE_BOX
	(umask 077 && head -c 4 /dev/zero >"$DLTRACE_BOX/ids")
}

# session_start EVENT...: a private session daemon and a running session named "test" that writes
# to $TMP/trace; the caller's programs reach it by $LTTNG_HOME. session_stop ends both.
# A whole family ('dltrace_*') comes without batches, as babeltrace2 shows it event by event; name
# 'dltrace_batch:*' to have them.
# Where run-test could not give the test a /run/lttng of its own, tests with a session take turns.
session_start() {
	need lttng-sessiond
	if [ -z "$DLTRACE_TEST_ALONE" ]; then
		exec 9>"/tmp/dltrace-test-session-$(id -u).lock"
		flock -w 250 9 || fail "another test holds the session daemon"
	fi
	LTTNG_HOME=$TMP/lttng
	export LTTNG_HOME
	mkdir -p "$LTTNG_HOME"
	session_daemon_gone
	if ! lttng --no-sessiond list >/dev/null 2>&1; then
		lttng-sessiond --daemonize --no-kernel --pidfile="$TMP/sessiond.pid" 9>&- >/dev/null 2>&1 || fail "no session daemon"
	fi
	lttng -q create test --output="$TMP/trace" >/dev/null
	for event in "$@"; do
		case $event in
		*:*) lttng -q enable-event -u "$event" --session test >/dev/null ;;
		*) lttng -q enable-event -u "$event" --exclude 'dltrace_batch:*' --session test >/dev/null ;;
		esac
	done
	lttng -q start test >/dev/null
}

# A daemon answers for some ms after it was told to end, and for two seconds removes what is its own by
# name, as the next one's is. Without its socket of notifications that one has no thread that rotates, and
# `lttng destroy`, which rotates once more, waits for ever. In a file: who starts the next one may have
# been in a subshell, $(...), meanwhile.
session_daemon_gone() {
	[ -s "$TMP/sessiond.ends" ] || return 0
	until_so "the session daemon's end" has_ended "$(cat "$TMP/sessiond.ends")"
	rm "$TMP/sessiond.ends"
}

session_stop() {
	timeout 120 lttng -q stop test >/dev/null || fail "lttng stop hangs"
	timeout 120 lttng -q destroy test >/dev/null || fail "lttng destroy hangs"
	if [ -s "$TMP/sessiond.pid" ]; then
		cp "$TMP/sessiond.pid" "$TMP/sessiond.ends"
		kill "$(cat "$TMP/sessiond.ends")"
	fi
	[ -n "$DLTRACE_TEST_ALONE" ] || { session_daemon_gone && exec 9>&-; }
}

# events TRACE: its events as babeltrace2 writes them, but one by one where they came in batches
events() {
	"$APPS/read_trace" "$1" babeltrace2 dump |
		sed -n 's/^\(\[[0-9]*\]\) \([^ ]*\)/\1 \2:/; s/ \([a-z_]*\)=/, \1 = /g; s/:,/:/; /^\[/p'
}

# python_with_torch: the first python3 that has torch and torchvision; skips without one.
python_with_torch() {
	for python in python3 /usr/bin/python3; do
		if "$python" -c 'import torch, torchvision' 2>/dev/null; then
			command -v "$python"
			return
		fi
	done
	skip "no python3 has torch and torchvision"
}

# holds WHAT JQ-CONDITION [FILE]: a condition on a report in JSON (report.json)
holds() {
	jq -e "$2" "${3:-report.json}" >/dev/null || fail "$1: not so: $2"
}

# json EXPRESSION: prints a Python expression over the report $TMP/r.json, which report_text wrote.
# `r` is the report, row(TABLE, COLUMN=VALUE...) the first row that fits, points(NAME, PROCESS) a series.
json() {
	python3 - "$TMP/r.json" "$1" <<-'END'
	import json, sys
	r = json.load(open(sys.argv[1]))
	def rows(table, **wanted):
	    return [x for x in r[table] if all(x[k] == v for k, v in wanted.items())]
	def row(table, **wanted):
	    return rows(table, **wanted)[0]
	def points(name, process=None):
	    return [s["points"] for s in r["series"] if s["name"] == name and s["process"] == process][0]
	def peak(name, process=None):
	    return max(v for _, v in points(name, process) if v is not None)
	print(eval(sys.argv[2]))
	END
}

# report_text [OPTION]... <TRACE: a report in $TMP/r.json on a text trace (tests/report/README)
report_text() {
	cat >"$TMP/trace.txt"
	"$REPORT" -q -f json "$@" "$TMP/trace.txt" >"$TMP/r.json" || [ $? = 1 ] || fail "dltrace-report failed"
}
