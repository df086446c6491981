# SPDX-License-Identifier: MIT
# A training in two LTTng sessions of the user's own: one that starts some seconds into the run, and a
# second one beside it, later still. Both reports name everything: framework, threads, functions. The
# second session changes nothing that the process could notice: it waits for the next time that all
# names are said, every ten seconds.
. "$top_srcdir/tests/lib.sh"
need jq
python=$(python_with_torch)
session_start 'dltrace_nothing:*'	# for the daemon
LD_PRELOAD=$DLTRACE_LIB "$python" "$top_srcdir/scripts/train.py" --size 64 --batch 4 --epochs 1000 \
	>recorded 2>errors &
pid=$!
trap 'kill $pid 2>/dev/null || :' EXIT
for name in first second; do
	sleep 3
	lttng -q create $name --output="$TMP/$name"
	lttng -q enable-event -u 'dltrace_*' -s $name
	lttng -q start $name
done
sleep 16
kill -0 $pid || fail "the training has ended: $(cat recorded errors)"
for name in first second; do
	timeout 30 lttng -q destroy $name || fail "lttng destroy hangs"
done
kill $pid
session_stop

for name in first second; do
	"$REPORT" "$name" -o $name.json
	holds "$name: framework" '[.processes[].frameworks[] | select(.name == "PyTorch" and .version != null)] | length > 0' $name.json
	holds "$name: functions are named" '(.breakdown | length > 0) and all(.breakdown[]; .function | test("^[a-zA-Z_]+"))' $name.json
	holds "$name: callers are named" 'all(.breakdown[]; .library != null and .library != "")' $name.json
	holds "$name: threads are named" '.threads | length > 0' $name.json
	holds "$name: command" 'any(.processes[]; .command | join(" ") | test("train.py"))' $name.json
done
