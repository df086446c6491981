# SPDX-License-Identifier: MIT
# Three recordings and three more of the same program, and three of a slower one: labels are recorded,
# --fail-if tells the slower one from the other, and the tables have intervals.
. "$top_srcdir/tests/lib.sh"
need jq

# record FOLDER SECONDS VARIANT
record() {
	"$RECORD" -q --require --label variant="$3" --label 'note=a "b" \c' -o "$1" -- \
		/usr/bin/python3 -c "import time; time.sleep($2)" --batch 4 || fail "recording: $?"
}
for i in 1 2 3; do
	record old$i 0.1 old
	record new$i 0.1 new
	record slow$i 3 slow
done
grep -q '^label variant=old$' old1/recording || fail "the label is not in the file recording"

# Repetitions are known by their labels: one of them names the baseline.
exits 3 "$REPORT" -q --baseline old1 old2 old3 slow1 slow2 slow3 --fail-if 'total>+1s' -o slow.json -o slow.md -o slow.tex
says "^dltrace-report: --fail-if 'total>+1s' holds: total is .* against .* (3 and 3 runs, p = "
holds "groups" '[.runs[] | [.group, .baseline]] == [[0,1],[0,1],[0,1],[1,0],[1,0],[1,0]]' slow.json
holds "labels" '.runs[0].labels.note == "a \"b\" \\c" and .runs[5].name == "variant slow"' slow.json
holds "an interval that holds the difference" '.comparison[] | select(.quantity == "total" and .group == 1) |
	.runs == 3 and .difference_low < .difference and .difference < .difference_high and .difference > 1e9' slow.json
grep -q '^| variant slow | *[0-9.]* ± ' slow.md || grep -q 'variant slow' slow.md || fail "no comparison in Markdown"

"$REPORT" -q --baseline old1 old2 old3 new1 new2 new3 --fail-if 'total>+1s surely' --fail-if 'lost>0' >text 2>err || fail "unchanged: $? $(cat err)"
head -1 text | grep -q '^Comparison' || fail "the text does not begin with the comparison"

exits 0 "$REPORT" old1 old1/
says "old1: given twice, and used once"
! grep -q '^Comparison' out || fail "a recording is compared with itself"

# What was said afterwards, in a file beside the trace.
echo 'variant=slow' >new1/labels
"$REPORT" -q new1 slow1 -o labels.json
holds "a file of labels" '[.runs[].group] == [0, 0]' labels.json

exits 125 "$RECORD" --label nothing -o x -- true
says 'KEY=VALUE is needed'
