# SPDX-License-Identifier: MIT
# Events that another build of dltrace has packed in its way are told of once, and what follows from their lack is not
# concluded; of many problems each kind keeps its first.
. "$top_srcdir/tests/lib.sh"
own=$(sed -n 's/^#define DLT_OUTBOX_LAYOUT \(0x[0-9a-f]*\).*/\1/p' "$top_builddir/tracepoints/outbox_layout.h")
[ "$own" ] || fail "no layout in outbox_layout.h"

# packed COUNT LAYOUT: so many bundles of two events
packed() {
	awk -v count="$1" -v layout="$2" 'BEGIN {
		for (i = 0; i < count; i++)
			printf "[%dms] dltrace_outbox:events count=2 layout=%s begin=1s records=[0]\n", 1100 + i, layout }'
}

cat >trace.txt <<END
dltrace-text 1
recording id 5
recording level calls
recording version 9.8.7
recording events 304
recording exit 0
[1s] dltrace_proc:process process=1 pid=100 begin=1s recording=5 exe="/bin/app"
[1s] dltrace_proc:process process=2 pid=101 parent=1 begin=1s recording=5 exe="/bin/child"
[1900ms] dltrace_sample:process process=2 time=1900ms final=1 events=104
[2s] dltrace_sample:process process=1 time=2s final=1 events=104
$(packed 150 1)
END
line="300 of the 304 events that were recorded cannot be read: another build of dltrace (9.8.7) has packed them in another layout; use its dltrace-report"
exits 1 "$REPORT" -f json trace.txt
mv out r.json
same "on standard error" "dltrace-report: trace.txt: $line" "$(cat err)"
same "the finding" "[('other_build', 'problem', '$line')]" "$(json '[(f["rule"], f["severity"], f["text"]) for f in r["findings"]]')"
same "the limit" "[('$line', 300)]" "$(json '[(l["text"], l["value"]) for l in r["limits"] if l["kind"] == "layout"]')"
same "no word of another part" "[]" "$(json '[l["text"] for l in r["limits"] if l["kind"] in ("foreign", "truncated", "killed")]')"
"$REPORT" -q trace.txt >out || true
grep -q "part of the trace cannot be read" out || fail "not in the head: $(cat out)"
json '[r[t] for t in ("findings", "limits", "processes", "series")]' >first
"$REPORT" -q --dump trace.txt >again.txt || true
"$REPORT" -q -f json again.txt >r.json || true
json '[r[t] for t in ("findings", "limits", "processes", "series")]' | diff first - || fail "its dump is another trace"

# Without the recorder's count, and of no known version: in a session of one's own.
sed '/^recording/d; s/recording=5//; /outbox/d' trace.txt >own.txt
packed 1 1 | sed s/count=2/count=1/ >>own.txt
exits 1 "$REPORT" own.txt
says 'at least 1 event cannot be read: another build of dltrace has packed them'

# What is broken is broken, though: one line each, and of those beyond a hundred one a kind.
{ sed '/^recording/d; s/recording=5//; /outbox/d' trace.txt; packed 300 "$own"; packed 1 1; } >broken.txt
exits 1 "$REPORT" -f json broken.txt
mv out r.json
same "the first" "what processes have put into their boxes holds 0 events instead of 2" "$(sed -n '1s/.*broken.txt: //p' err)"
says '^dltrace-report: 29[0-9] more such problems are in the report$'
same "of the kinds" "['200 more problems of the kind \"corrupt\"', 'at least 2 events cannot be read']" \
	"$(json '[l["text"].split(":")[0] for l in r["limits"] if l["kind"] in ("corrupt", "layout")][-2:]')"
same "how many" 300 "$(json '[f["evidence"]["problems"] for f in r["findings"] if f["rule"] == "damaged"][0]')"
"$REPORT" -q --dump broken.txt >again.txt || true
"$REPORT" -q -f json again.txt >r.json || true
same "the same of its dump" 300 "$(json '[f["evidence"]["problems"] for f in r["findings"] if f["rule"] == "damaged"][0]')"
