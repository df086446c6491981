# SPDX-License-Identifier: MIT
# Ranges (NVTX) that are called iterations and epochs define them, with numbers in their names or without.
. "$top_srcdir/tests/lib.sh"

# ranges STEP EPOCH: patterns of names, of 3 epochs of 4 steps that last 5 ms of 10
ranges() {
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3"'
		python3 - "$1" "$2" <<-'END'
		import sys
		step, epoch = sys.argv[1:]
		def end(at, ms, name, depth):
		    print(f'[{at}ms] dltrace_mark:range thread=1 begun_by=1 kind=1 depth={depth} duration={ms}ms name="{name}"')
		for e in range(3):
		    for s in range(4):
		        at = 2000 + 100 * e + 10 * s
		        end(at + 2, 2, "forward", 2)
		        end(at + 5, 5, step.replace("N", str(s)), 1)
		    end(2000 + 100 * e + 50, 50, epoch.replace("N", str(e)), 0)
		END
		echo '[3s] dltrace_proc:exit process=1 how=0 code=0'
	} | report_text
}
told() {
	json '[(x["how"], x["count"], x["epoch_count"]) for x in r["iterations"]]'
}
ranges "Train step N" "epoch N"
same "with numbers" "[('ranges', 12, 3)]" "$(told)"
same "of each epoch" "[4, 4, 4]" "$(json '[e["iterations"] for e in r["epochs"]]')"
same "until the next one begins" "10 100" "$(json '"%.0f %.0f" % (row("iterations")["median_ns"] / 1e6, row("iterations")["per_second"])')"
same "the last of an epoch until it ends" 0 "$(json 'row("iterations")["slow"]')"
same "which says no duration of one" "[10, 10]" "$(json '[round(row("iterations")[k] / 1e6) for k in ("min_ns", "max_ns")]')"
ranges "[pl][profile]run_training_batch" "[pl][profile]run_training_epoch"
same "as a framework calls them" "[('ranges', 12, 3)]" "$(told)"
ranges "iteration" "the whole epoch again"
same "no epochs" "[('ranges', 12, None)]" "$(told)"
same "then what lies between them is the last one's" "[(4, 70), (8, 70)]" "$(json '[(x["iteration"], round(x["duration_ns"] / 1e6)) for x in r["slow_iterations"]]')"
same "after its range" "54 ms more after its range (loading data, the program itself)" "$(json 'row("slow_iterations")["why"]' | sed 's/; .*//')"
ranges "stepwise" "epochal"
same "other words" "[]" "$(json '[x for x in r["iterations"] if x["how"] == "ranges"]')"

# The text names what tells them, once, or in each row where rows differ.
ranges "Train step N" "epoch N"
cp trace.txt ranges.txt
{
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=200 begin=1s host="h" exe="/usr/bin/python3"'
	for step in 1 2 3 4 5; do
		echo "[$((2000 + step * 100))ms] dltrace_mark:range thread=1 begun_by=1 kind=5 domain=\"dltrace\" payload_type=1 payload=$step"
	done
	echo '[3s] dltrace_proc:exit process=1 how=0 code=0'
} >marks.txt
"$REPORT" -q ranges.txt >out
grep -qx "Iterations  by the ranges that the program names" out || fail "what tells them: $(grep ^Iterations out)"
"$REPORT" -q marks.txt >out
grep -qx "Iterations  as marked by the program" out || fail "what tells them: $(grep ^Iterations out)"
"$REPORT" -q --width 100 ranges.txt marks.txt >out
grep -qx "Iterations" out || fail "of all: $(grep ^Iterations out)"
same "of each" "(100) ranges (200) marks" "$(echo $(sed -n '/^Iterations/,/^  phase/p' out | awk '$2 ~ /^\([12]00\)$/ && NF > 5 && !/of trace/ { print $2, $NF }'))"
