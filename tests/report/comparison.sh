# SPDX-License-Identifier: MIT
# Several traces compared: labels, groups of repetitions, baselines; means, intervals and tests against
# SciPy's numbers for the same values; runs that failed are counted and left out.
. "$top_srcdir/tests/report/runs.inc"

# report OPTION... TRACE...: in r.json
report() {
	"$REPORT" -q -f json "$@" >"$TMP/r.json" || fail "dltrace-report: $?"
}
quantity() {
	json "row('comparison', group=$1, quantity='$2')['$3']"
}

train='python3 train.py --model resnet50 --batch 8'
run a1 10100 1000 "$train"
run a2 10400 1100 "$train --seed=2"
run a3 9800 1200 "$train"
run b1 12300 3000 "$train"
run b2 12900 3300 "$train"
run b3 11700 3600 "$train"

# Repetitions by their command lines; an option of no meaning here does not tell runs apart.
report a1.txt a2.txt a3.txt
same "one group" "[0, 0, 0]" "$(json '[x["group"] for x in r["runs"]]')"
same "labels" "[('train.py', 'PyTorch 1.13.0', 'resnet50', None, '8', 'mini-batch 8', 'cpu', {})]" \
	"$(json 'sorted({tuple(str(x[k]) if k == "labels" else x[k] for k in ("program", "framework", "model", "dataset", "batch", "mode", "device")) + () for x in r["runs"]})' | sed 's/)]$/, {})]/')"
same "its name" "PyTorch 1.13.0 resnet50" "$(quantity 0 total name)"
near mean 10.1e9 "$(quantity 0 total mean)"
near low 9.3547586864749e9 "$(quantity 0 total low)"
near high 10.845241313525099e9 "$(quantity 0 total high)"
same "runs" 3 "$(quantity 0 total runs)"
same "no median's interval with three" None "$(quantity 0 total median_low)"
near share "$(python3 -c 'print((1000/1100 + 1100/1200 + 1200/1300) / 3)')" "$(quantity 0 share:compute mean)"

# As text, of how many runs a mean is where it is not all; what grew by function, library and phase.
for n in 1 2 3; do
	cp a$n.txt n$n.txt
	cp b$n.txt m$n.txt
done
grep -v 'dltrace_cuda' a3.txt >n3.txt
"$REPORT" -q --baseline 'n?.txt' m?.txt -o - -f text >text
sed -n '/^Comparison/,/^$/p' text | grep -q 'baseline *3 .* B (2)$' || fail "of two runs alone: $(cat text)"
sed -n '/^Comparison/,/^$/p' text | grep -q '[+]21.8 % *yes' || sed -n '/^Comparison/,/^$/p' text | grep -q ' %  *no' || fail "how sure it is: $(cat text)"
for width in 70 80 120; do
	"$REPORT" -q --baseline 'n?.txt' m?.txt -o - -f text --width $width | sed -n '/^What grew/,/^$/p' >grown
	same "lines of $width columns" "" "$(awk -v w=$width 'length($0) > w' grown)"
	same "what tells a change" "before after difference sure" "$(sed -n '2s| change | |;2p' grown | xargs)"
	[ $width = 70 ] || grep -q ' change ' grown || fail "no relative change in $width columns"
	same "by what" "functions libraries" "$(sed -n 's/^  \([a-z]*\)$/\1/p' grown | xargs)"
	for line in 'sgemm_ *1.10 ms *3.30 ms *+2.20 ms ' 'libtorch_cpu.so.1.13.0 *1.17 ms *3.40 ms *+2.23 ms '; do
		grep -q "^ *$line.*  \(yes\|no\)$" grown || fail "what grew: $(cat grown)"
	done
done

# Nothing adds up traces that are compared: each section tells which one a row is of.
cp "$top_srcdir/tests/report/training.txt" x.txt
cp x.txt y.txt
"$REPORT" -q x.txt y.txt --width 100 >two || [ $? = 1 ]
for section in "Time by calling library" Processes Threads Heap "GPU memory"; do
	sed -n "/^$section/,/^\$/{/of no thread:/,/end\.\$/d;p}" two >part
	same "whose, in $section" "trace 0 1" "$(echo $(awk 'NR == 2 || NR > 2 && NF { print $1 }' part | uniq))"
done
"$REPORT" -q x.txt >one || [ $? = 1 ]
same "each has its own shares" "$(sed -n '/^Time by calling/,/^$/s/ *\([0-9.]* %\).*/ \1/p' one | xargs -n 3)" \
	"$(sed -n '/^Time by calling/,/^$/s/^ *0  \(.*[^ ]\) *\( [0-9.]* %\).*/ \1\2/p' two | xargs -n 3)"
same "whose limits" "trace 0: trace 1:" "$(echo $(sed -n '/^What limits/,$s/^  . \(trace [0-9]*[:,]\).*/\1/p' two | uniq))"

# Of many groups each has a line of shares, "-" where none of its calls are seen. What changed most is told,
# nothing that is a trifle beside it.
for n in 1 2 3 4 5 6 7; do
	run g$n 10100 1000 "python3 train.py --model k$n"
done
grep -v 'dltrace_cpu\|dltrace_cuda' g3.txt >g3.part
mv g3.part g3.txt
"$REPORT" -q g?.txt -o - -f text --width 80 >text
sed -n '/^Share of time/,/^$/p' text >shares
same "a line each" 7 "$(grep -c '^  k[1-7] ' shares)"
same "no calls seen" "k3 – –" "$(sed -n 's/^  *\(k3 .*\)/\1/p' shares | xargs)"
report g?.txt
same "no share of no calls" None "$(quantity 2 share:compute mean)"
for n in 1 2; do
	run t$n 10100 1000 "python3 train.py --model m$n"
	{
		sed '$d' t$n.txt
		for i in 1 2 3 4 5 6 7 8 9 10 11; do
			[ $i = 11 ] && us=$((n * 100)) || us=$(((n == 1) * i * 10000 + 1000))
			echo "[1100ms] dltrace_proc:function function=$((3000 + i)) layer=\"blas\" kind=\"compute\" name=\"f$i\""
			echo "[2s] dltrace_cpu:blas thread=1 function=$((3000 + i)) library=1 duration=${us}us"
		done
		tail -n 1 t$n.txt
	} >t$n.part
	mv t$n.part t$n.txt
done
told() {
	"$REPORT" -q --baseline t1.txt t2.txt -o - -f text --width 80 | sed -n '/^What grew/,/^$/p' >grown
	sed -n 's/^  *\(f[0-9]*\) .*/\1/p' grown | xargs
}
same "eight that changed most" "f3 f4 f5 f6 f7 f8 f9 f10" "$(told)"
for n in 1 2; do
	grep -v 'function=300[1-5]' t$n.txt >t$n.part
	mv t$n.part t$n.txt
done
same "no trifle" "f6 f7 f8 f9 f10" "$(told)"

# A baseline that is named is apart, and what is labelled alike belongs to it.
report --baseline 'a?.txt' b1.txt b2.txt b3.txt a2.txt
same "a2 once, baselines first" "[0, 0, 0, 1, 1, 1]" "$(json '[x["group"] for x in r["runs"]]')"
same "baseline" "[1, 1, 1, 0, 0, 0]" "$(json '[x["baseline"] for x in r["runs"]]')"
near difference 2.2e9 "$(quantity 1 total difference)"
near "difference from" 0.9533801490452505e9 "$(quantity 1 total difference_low)"
near "difference to" 3.446619850954755e9 "$(quantity 1 total difference_high)"
near p 0.011404954000674561 "$(quantity 1 total p)"
near change 0.21782178217821782 "$(quantity 1 total change)"
same test "('Welch', 0, 1)" "$(json '(lambda x: (x["test"], x["reference"], x["significant"]))(row("comparison", group=1, quantity="total"))')"
same "what changed, most grown first" "[('function', 'sgemm_', 1100000, 3300000), ('kind', 'compute', 1100000, 3300000), ('layer', 'blas', 1100000, 3300000), ('library', 'libtorch_cpu.so.1.13.0', 1200000, 3400000)]" \
	"$(json 'sorted((x["what"], x["name"], round(x["before_ns"]), round(x["after_ns"])) for x in r["changes"] if x["difference_ns"])')"
same "the unchanged last" "cudaMalloc" "$(json '[x["name"] for x in r["changes"] if x["what"] == "function"][-1]')"
same "sorted" True "$(json '[x["difference_ns"] for x in r["changes"]] == sorted((x["difference_ns"] for x in r["changes"]), reverse=True)')"
report --label 'a*:variant=old' --label 'b*:variant=new' --baseline a1.txt a2.txt b1.txt a3.txt
same "labelled alike" "[1, 1, 0, 1]" "$(json '[x["baseline"] for x in r["runs"]]')"
same "its name" "['old baseline', 'new']" "$(json '[row("runs", group=0)["name"].replace("variant ", ""), row("runs", group=1)["name"].replace("variant ", "")]')"

# The study: frameworks are compared with the first one on the same model.
m='python3 mx.py --model'
for model in vgg16 alexnet; do
	run t-$model 5000 1 "python3 train.py --model=$model --batch=1"
	run m-$model 6000 1 "$m $model --batch 1" 'recording label "framework=MXNet"'
	sed -i 's/libtorch_cpu/libmxnet/' m-$model.txt
done
report t-vgg16.txt m-alexnet.txt t-alexnet.txt m-vgg16.txt
same "baselines" "[1, 0, 1, 0]" "$(json '[x["baseline"] for x in r["runs"]]')"
same "references" "[None, 2, None, 0]" "$(json '[row("comparison", group=g, quantity="total")["reference"] for g in range(4)]')"
same "mode" "['SGD']" "$(json 'sorted({x["mode"] for x in r["runs"]})')"
near "one run, no test" 1e9 "$(quantity 1 total difference)"
same "one run, no test" "[None, None, None]" "$(json '[row("comparison", group=1, quantity="total")[k] for k in ("p", "low", "significant")]')"

# Labels: the report's own win over the recording's, these over the command line's; a file in the folder.
run l 1000 1 "$train --data /d/small" 'recording label "model=said"' 'recording label "note=x,\"y\"<b>"'
report l.txt --label 'model=told' --label l.txt:dataset=big
same "labels" "('told', 'big', {'note': 'x,\"y\"<b>'})" "$(json '(lambda x: (x["model"], x["dataset"], x["labels"]))(r["runs"][0])')"
"$REPORT" --dump l.txt >again.txt
report again.txt
same "labels written and read" "said /d/small" "$(json '" ".join((r["runs"][0]["model"], r["runs"][0]["dataset"]))')"

# Which repetition a run is tells nothing apart.
run p1 1000 1 "$train" 'recording label "repeat=1"'
run p2 1200 1 "$train" 'recording label "repeat=2"'
run p3 1200 1 "$train --size 64" 'recording label "repeat=2"'
report p1.txt p2.txt p3.txt
same "repetitions" "[(0, '1', 'p1.txt and 1 more'), (0, '2', 'p1.txt and 1 more'), (1, '2', 'size 64')]" \
	"$(json '[(x["group"], x["labels"]["repeat"], x["name"]) for x in r["runs"]]')"

# Of a path a name has its end, where that tells it from others. What is long is cut at its end, and `baseline` stands
# before it. Several runs that nothing tells from the baseline are not called like one of them alone.
names() {
	json '[row("runs", group=g)["name"] for g in range(2)]'
}
run n1 1000 1 "$train --data /one/photos"
run n2 1200 1 "$train --data /two/faces"
run n3 1200 1 "$train --data /two/photos"
report n1.txt n2.txt
same "ends of paths" "['photos', 'faces']" "$(names)"
report n1.txt n3.txt
same "whole paths" "['/one/photos', '/two/photos']" "$(names)"
report --baseline a1.txt a2.txt a3.txt
same "several unnamed runs" "['baseline', 'a2.txt and 1 more']" "$(names)"
# No two are called alike: the framework tells some apart, of the others the program, or where they are.
run q1 1000 1 'python3 one.py'
run q2 1000 1 'python3 two.py'
run q3 1000 1 'python3 three.py'
sed 's/libtorch_cpu.so.1.13.0/libtensorflow_cc.so.2/' q3.txt >q5.txt
report q1.txt q2.txt q5.txt
same "by program" "['PyTorch 1.13.0 one.py', 'PyTorch 1.13.0 two.py', 'TensorFlow']" "$(json '[x["name"] for x in r["runs"]]')"
same "in a study" "['PyTorch 1.13.0 one.py', 'PyTorch 1.13.0 two.py', 'TensorFlow']" "$(json '[x["subject"] for x in r["study"]]')"
report --baseline q1.txt q2.txt q5.txt
same "the named one" "['PyTorch 1.13.0 baseline', 'PyTorch 1.13.0', 'TensorFlow']" "$(json '[x["name"] for x in r["runs"]]')"
# What cannot be read is no run.
exits 1 "$REPORT" a1.txt missing.txt
says "missing.txt: No such file or directory"
grep -q "no events could be read" out || fail "not said: $(cat out)"
! grep -q "Comparison\|0\.00" out || fail "compared with nothing: $(cat out)"
"$REPORT" -q -f json a1.txt missing.txt b1.txt >r.json || true
same "the runs" "[0, 2]" "$(json '[x["trace"] for x in r["runs"]]')"
same "none has failed" "{0}" "$(json 'set(x["failed"] for x in r["comparison"])')"
long="--data photos-of-many-things --size 96 --workers 2 --epochs 4 --optimizer adam"
run n4 1000 1 "python3 train.py --model resnet50 $long"
run n5 1000 1 "python3 train.py --model vgg16 --batch 3 $long"
"$REPORT" -q --width 60 --baseline n4.txt n5.txt n1.txt >text
same "their models" "baseline: resnet50 photos vgg16 photos resnet50 photos" \
	"$(echo $(sed -n '2,/^$/s/^  \(baseline: \)*\([a-z0-9]* photos\).*/\1\2/p' text))"

# Failed runs have no times, but count. Columns of which nothing is known are not there.
"$REPORT" -q a1.txt b1.txt --label 'b1.txt:device=gpu' >text
same "of one run each nobody is sure" "runs total change GPU peak" "$(sed -n 2p text | xargs)"
same "... nor of what grew" "before after difference change" "$(sed -n '/^What grew/{n;p}' text | xargs)"
run f1 100 1 "$train"
sed -i 's/recording exit 0/recording signal 9/' f1.txt
report a1.txt f1.txt a2.txt
near "without the failed one" 10.25e9 "$(quantity 0 total mean)"
"$REPORT" -q --baseline f1.txt a1.txt >text
same "no change from what failed" "runs total GPU peak" "$(sed -n 2p text | xargs)"
same "nothing but failed ones" 1 "$(sed -n '/^Comparison/,/^$/p' text | grep -c '  baseline  *1 failed$')"
same "it is counted" "(2, 1)" "$(json '(lambda x: (x["runs"], x["failed"]))(row("comparison", quantity="total"))')"

# More runs: a permutation test, order statistics, Holm over what was compared at once.
i=0
for total in 1000 2000 3000 4500 2500; do
	i=$((i + 1))
	run c$i $total 1 'python3 c.py --model x'
done
for total in 2200 5000 6000 4000; do
	i=$((i + 1))
	run d$i $total 1 'python3 d.py --model x'
done
report c?.txt d?.txt b1.txt b2.txt b3.txt
near permutation "$(python3 -c 'print(15 / 126)')" "$(quantity 1 total p)"
same "its name" permutation "$(quantity 1 total test)"
near holm "$(python3 -c 'print(2 * min(15/126, 1))' | head -c 8 >/dev/null; json 'min(1, max(15/126, 2 * row("comparison", group=2, quantity="total")["p"]))')" \
	"$(json 'row("comparison", group=1, quantity="total")["p_adjusted"]')"
report c?.txt --label 'd?.txt:program=c.py' d?.txt
same "nine runs" "(9, 3000000000, 2000000000, 5000000000)" \
	"$(json '(lambda x: (x["runs"], round(x["median"]), round(x["median_low"]), round(x["median_high"])))(row("comparison", quantity="total"))')"

# Ranks are in a phase side by side: it is as long as that of the longest, and no longer than the run.
for steady in 10 8; do
	{
		echo dltrace-text 1
		for rank in 1 2 3 4; do
			echo "[1s] dltrace_proc:process process=$rank pid=10$rank begin=1s exe=\"/bin/python3\""
			echo "[1s] dltrace_proc:thread thread=$rank process=$rank tid=10$rank begin=1s"
			for step in 0 1 2 3 4 5 6 7 8 9; do
				echo "[$((2000 + step * 100 * (steady - rank / 4)))ms] dltrace_mark:range thread=$rank begun_by=$rank kind=5 payload=$step"
			done
			echo "[$((2000 + 1000 * (steady - rank / 4)))ms] dltrace_mark:range thread=$rank begun_by=$rank kind=5 payload=-1"
			echo "[13s] dltrace_proc:exit process=$rank code=0"
		done
	} >steady$steady.txt
done
report --baseline steady10.txt steady8.txt
same "phases of four ranks" "[(10.0, 8.0)]" \
	"$(json '[(round(x["before_ns"] / 1e9, 6), round(x["after_ns"] / 1e9, 6)) for x in r["changes"] if (x["what"], x["name"]) == ("phase", "steady")]')"
"$REPORT" -q -f json --fail-if 'phase:steady>10.1s' steady10.txt >/dev/null 2>&1 || fail "a phase that lasted longer than the run"

# Folders of the same name are told apart by as much of their paths as is needed, everywhere.
mkdir -p x/old/run x/new/run y/run
cp a1.txt x/old/run/t.txt
cp b1.txt x/new/run/t.txt
cp a2.txt y/run/u.txt
report x/old/run/t.txt x/new/run/t.txt y/run/u.txt
same "names" "['old/run/t.txt', 'new/run/t.txt', 'u.txt']" "$(json '[t["name"] for t in r["traces"]]')"
"$REPORT" -q x/old/run/t.txt ./x/new/run/t.txt -o - -f text --width 120 >text
sed -n '/^Each trace/,/^$/p' text | grep -q 'old/run/t.txt' || fail "a trace's name in the text: $(cat text)"
"$REPORT" -q x/old/run/t.txt x/new/run/t.txt -o p.svg
grep -q '>old/run/t.txt</text>' p.svg && grep -q '>new/run/t.txt</text>' p.svg || fail "names in a figure"
python3 "$top_srcdir/tests/report/phased.py" >x/old/run/p.txt
cp x/old/run/p.txt x/new/run/p.txt
"$REPORT" -q x/old/run/p.txt x/new/run/p.txt --baseline x/old/run/p.txt -o - -f text --width 80 >text
same "a group that nothing else tells apart" 1 "$(sed -n '/^Comparison/,/^$/p' text | grep -c '^  new/run/p.txt ')"
same "curves of each" "old/run/p.txt new/run/p.txt" "$(sed -n 's/^Over time, trace [01]: \([^ ]*\) .*/\1/p' text | xargs)"
same "whose phases" "0: old/run/p.txt 1: new/run/p.txt" "$(sed -n 's/.* of trace \(.*\)/\1/p' text | xargs)"
same "phases of each" 2 "$(grep -c '^  start-up  *4.00 s' text || :)"
same "findings of each" "new/run/p.txt old/run/p.txt" "$(sed -n 's/^ *\([a-z/]*p.txt\), since .*/\1/p' text | sort -u | xargs)"
grep -q '^What grew' text && fail "something grew in what is the same: $(cat text)"
grep ' $' text && fail "blanks at a line's end"
report x/old/run/p.txt x/old/run/t.txt
same "phases where none was found" 0 "$(json 'sum(x["what"] == "phase" for x in r["changes"])')"
report x/old/run/t.txt x/old/run/t.txt
same "the same twice" "['x/old/run/t.txt', 'x/old/run/t.txt']" "$(json '[t["name"] for t in r["traces"]]')"

for bad in model =x 'a b=c' 'dir:=x'; do
	"$REPORT" --label "$bad" a1.txt >/dev/null 2>err && fail "--label '$bad' was taken"
	grep -q "KEY=VALUE is needed" err || fail "--label '$bad': $(cat err)"
done
exit 0
