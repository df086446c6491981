# SPDX-License-Identifier: MIT
# Both sources give the events that were emitted, of every class, and the same from real traces of
# all shapes: small and large packets, both event headers, contexts, rotations, per-PID buffers,
# lost events, other providers.
. "$top_srcdir/tests/lib.sh"
need babeltrace2

read_trace() {
	"$APPS/read_trace" "$@" || fail "read_trace $*"
}

# both TRACE: the same text (both.txt) and the same report from both sources
both() {
	read_trace "$1" fast dump >both.txt
	read_trace "$1" babeltrace dump >babeltrace.txt
	cmp both.txt babeltrace.txt || fail "the sources differ on $1"
	for source in fast babeltrace2; do
		"$REPORT" --source=$source "$1" -o $source.json || fail "no report by $source"
	done
	cmp fast.json babeltrace2.json || fail "the reports differ on $1"
}

# events FILE: its events without their times
events() {
	sed -n 's/^\[[0-9]*\]/[0]/p' "$1"
}

# channel NAME OPTIONS: a session of that name with one channel
channel() {
	name=$1
	shift
	lttng -q create "$name" --output="$TMP/$name" >/dev/null
	lttng -q enable-channel -u c --session "$name" "$@" >/dev/null
}

export LC_ALL=C
session_start 'nothing:*'
channel plain
lttng -q enable-event -u 'dltrace*:*' -c c --session plain >/dev/null
lttng -q start plain >/dev/null
"$APPS/emit_all" 1 5 >emitted.txt
lttng -q stop plain >/dev/null
both "$TMP/plain"
same "events of every class" "$(wc -l <emitted.txt)" "$(events both.txt | wc -l)"
events both.txt | cmp - emitted.txt || fail "what was read is not what was emitted"

# More classes than a compact header can name, small packets, contexts, a rotation in between.
channel wide --subbuf-size=16K --num-subbuf=16
lttng -q enable-event -u -a -c c --session wide >/dev/null
lttng -q add-context -u -c c --session wide -t vpid -t vtid -t procname -t ip >/dev/null
lttng -q start wide >/dev/null
"$APPS/emit_all" 1 5 >emitted.txt
lttng -q rotate wide >/dev/null
"$APPS/emit_all" 1 5 >>emitted.txt
lttng -q stop wide >/dev/null
[ "$(find "$TMP/wide" -name metadata | wc -l)" -gt 1 ] || fail "no rotation"
both "$TMP/wide"
events both.txt | cmp - emitted.txt || fail "wide: what was read is not what was emitted"
grep -q '^foreign' both.txt || fail "other providers' events were not counted"

# Few classes: the compact header. Several threads; buffers too small, so that events are lost.
channel narrow --subbuf-size=4K --num-subbuf=2 --buffers-pid
lttng -q enable-event -u 'dltrace_cuda:*' -c c --session narrow >/dev/null
lttng -q start narrow >/dev/null
"$APPS/emit_all" 3 5000 &
"$APPS/emit_all" 2 5000
wait
lttng -q stop narrow >/dev/null
both "$TMP/narrow"
grep -q '^discarded' both.txt || fail "lost events were not counted"

for name in plain wide narrow; do
	lttng -q destroy "$name" >/dev/null
done
session_stop
