# SPDX-License-Identifier: MIT
# From a command to every format: both sources give the same JSON byte for byte, each format is
# written, what a cut trace still holds is reported with one line about the rest.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond

cat >program.py <<'END'
import threading, time
blocks = [bytearray(300000) for i in range(20)]
threads = [threading.Thread(target=time.sleep, args=(0.3,), name="sleeper") for i in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
END
# Not what may stand before it on PATH: a script that makes processes of its own.
python=$(python3 -c 'import sys; print(sys.executable)')
"$RECORD" -q -o trace -- "$python" program.py

"$REPORT" trace --source fast -o fast.json -o fast.csv/ -o fast.svg/ -o fast.txt
if "$REPORT" trace --source babeltrace2 -o other.json -o other.csv/ -o other.svg/ -o other.txt 2>err; then
	for file in json csv svg txt; do
		diff -r fast.$file other.$file >/dev/null || fail "the sources give another $file"
	done
elif ! grep -q 'not built in\|without babeltrace2' err; then
	fail "$(cat err)"
fi
"$REPORT" --dump trace >trace.txt
"$REPORT" trace.txt -f csv --table heap -o dumped.csv
cmp dumped.csv fast.csv/heap.csv || fail "what --dump prints reads otherwise"

/usr/bin/python3 - <<'END'
import json
report = json.load(open("fast.json"))
trace = report["traces"][0]
assert trace["command"][1:] == ["program.py"], trace
assert trace["exit"] == {"status": 0}, trace
assert trace["lost"] == 0 and trace["events"] > 20, trace
curves = {s["name"]: s["points"] for s in report["series"] if s["process"] is None}
assert max(v for t, v in curves["threads"]) == 4, curves["threads"]
assert max(v for t, v in curves["heap_bytes"]) > 6e6, "heap"
END

# The stream with most in it: files are filled up to whole pages, so that of a short program all may be as large.
fullest() {
	find "$1" -name 'dltrace*_[0-9]*' ! -name '*.idx' | while read -r stream; do
		echo "$(gzip -c "$stream" | wc -c) $stream"
	done | sort -n | tail -n 1 | cut -d' ' -f2
}

# a stream that was not copied: said by how many events, and the rest reported
cp -r trace copy
rm "$(fullest copy)"
exits 1 "$REPORT" copy
grep -q 'of the [0-9]* events that were recorded are not in the trace' err || fail "a missing stream: $(cat err)"
same "lines about it" 1 "$(wc -l <err)"
grep -q 'part of the trace is missing$' out || fail "head of a trace with a missing stream: $(head -9 out)"
exits 1 "$REPORT" --verify copy

# cut one stream in the middle: the same
stream=$(fullest trace)
size=$(stat -c %s "$stream")
truncate -s $((size - 100)) "$stream"
status=0
"$REPORT" trace -f json -o cut.json 2>err || status=$?
same "exit status of a cut trace" 1 $status
same "lines about it" 2 "$(wc -l <err)"	# where, and how many
[ -s cut.json ] || fail "nothing was reported of a cut trace"
