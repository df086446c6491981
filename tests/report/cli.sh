# SPDX-License-Identifier: MIT
# The command line of dltrace-report: exit statuses, formats, what is not available yet.
. "$top_srcdir/tests/lib.sh"
training=$top_srcdir/tests/report/training.txt
cp "$training" t.txt

exits 0 "$REPORT" t.txt
same "stderr of a good trace" "" "$(cat err)"
grep -q "Time in BLAS" out || fail "no breakdown in the text"
exits 0 "$REPORT" --help
for word in $(sed -n 's/^[WE][A-Z]*([a-z]*, "\(\.[a-z.]*\)".*/\1/p' "$top_srcdir/analysis/report/writers.tbl") \
	$(sed -n 's/^FIGURE([a-z_]*, "\([a-z-]*\)",.*/\1/p' "$top_srcdir/analysis/report/figures.tbl"); do
	grep -q -- "[ ]$word[,; ]\|[ ]$word$" out || fail "--help does not tell of $word"
done
exits 0 "$REPORT" --version
exits 2 "$REPORT"; says "a trace is needed"; says_one_line
exits 2 "$REPORT" --nonsense t.txt; says "^dltrace-report: unrecognized option '--nonsense': dltrace-report --help lists them$"; says_one_line
exits 2 "$REPORT" t.txt -qx; says "unrecognized option '-x': dltrace-report --help lists them$"; says_one_line
exits 2 "$REPORT" --fr=a t.txt; says "ambiguous option '--fr=a': "; says_one_line
exits 2 "$REPORT" t.txt --figure; says "option '--figure' needs a value: "; says_one_line
exits 2 "$REPORT" --dump=a t.txt; says "option '--dump=a' takes no value$"; says_one_line
exits 0 "$REPORT" -q '-?'
exits 0 "$REPORT" --help --nonsense
exits 0 "$REPORT" --framew 'Py*' t.txt

# What arguments have in them reaches no terminal.
odd=$(printf 'a\n\033[31mb')
for option in --nonsense- --figure= --table= --phase= -f -o --label= --fail-if= --size=; do
	exits 2 "$REPORT" "$option$odd" t.txt; says 'a\\n\\x1b\[31mb'; says_one_line
done
exits 2 env LC_ALL=C.UTF-8 "$REPORT" --figure=größe t.txt; says größe
exits 2 env LC_ALL=C "$REPORT" --figure=größe t.txt; says 'gr\\u{f6}\\u{df}e'
for option in --help --version; do
	exits 5 sh -c '"$@" >/dev/full' sh "$REPORT" $option; says "cannot write standard output: No space left"; says_one_line
	exits 5 sh -c '"$@" >&-' sh "$REPORT" $option; says "cannot write standard output"; says_one_line
done
exits 2 "$REPORT" t.txt -o x.unknown; says "tells no format"; says " .tex .* .pftrace .ctf$"; says_one_line
exits 2 "$REPORT" -f nonsense t.txt; says_one_line
exits 2 "$REPORT" --table nonsense t.txt; says nonsense; says_one_line
exits 2 "$REPORT" --figure nonsense t.txt; says "curves, overlay, functions"; says_one_line
exits 2 "$REPORT" --color=green t.txt; says_one_line
exits 2 "$REPORT" --from 10 t.txt; says "unit"
exits 2 "$REPORT" --to 10 t.txt; says "unit"
exits 2 "$REPORT" --from 10parsec t.txt; says "units are ns, us, ms, s, m, h, d$"; says_one_line
exits 2 "$REPORT" --from 5s --to 1s t.txt; says "--to has to be after --from"; says_one_line
exits 2 "$REPORT" --min-share x t.txt; says_one_line
exits 2 "$REPORT" --width 3 t.txt; says_one_line
exits 2 "$REPORT" --count 3 t.txt; says "need --live"; says_one_line

# What would be made of it is not what was asked for.
exits 2 "$REPORT" t.txt -o x.html/; says "html is one file: -o x.html$"; says_one_line
exits 2 "$REPORT" t.txt -o x.sqlite//; says "sqlite is one file: -o x.sqlite$"
exits 2 "$REPORT" t.txt -o x.pftrace/; says "perfetto is one file: -o x.pftrace$"
exits 2 "$REPORT" t.txt -o ''; says "a file is needed"
exits 2 "$REPORT" t.txt -f ctf; says "ctf is a folder: -o NAME.ctf$"; says_one_line
exits 2 "$REPORT" t.txt --figure functions; says "no output is a figure"; says_one_line
exits 2 "$REPORT" t.txt --table heap -o x.svg; says "no output is of tables"; says_one_line
exits 2 "$REPORT" --dump t.txt -f json; says "--dump is one text"; says_one_line
exits 2 "$REPORT" --dump t.txt -o d.txt -o e.txt; says "one place"
[ -z "$(ls -d x.* d.txt 2>/dev/null)" ] || fail "made all the same: $(ls)"
exits 0 "$REPORT" --dump t.txt; mv out dumped
exits 0 "$REPORT" --dump t.txt -o d.txt
cmp dumped d.txt || fail "--dump into a file"
exits 4 "$REPORT" --dump nothing-here -o d.txt; says_one_line
cmp dumped d.txt || fail "--dump of nothing replaced what was there"
exits 1 "$REPORT" --dump nothing-here t.txt; says_one_line
cmp dumped out || fail "--dump of two of which one is not there"
exits 5 "$REPORT" --dump t.txt -o nowhere/d.txt; says "cannot write nowhere/d.txt"; says_one_line

exits 2 "$REPORT" --rank 1- t.txt; says "ranks are needed"
exits 2 "$REPORT" --phase nonsense t.txt; says "start-up, compilation"
exits 2 "$REPORT" --phase steady --verify t.txt; says "whole traces"
exits 2 "$REPORT" --phase steady t.txt; says "--phase steady: no such phase was found; there are none$"; says_one_line
exits 4 "$REPORT" --phase steady nothing-here; says "nothing-here"; says_one_line
exits 2 "$REPORT" --rank 0,5-2 t.txt; says "no rank is in 5-2"; says_one_line
exits 2 "$REPORT" --to 0s t.txt; says "nothing was before the trace's begin"; says_one_line
exits 2 "$REPORT" --label a=b --label a=c t.txt; says "--label: a=c: it is a=b already$"; says_one_line
exits 0 "$REPORT" -q --label a=b --label 't.txt:a=c' t.txt
for words in '--title x' '--style dark' '--size 85mm' '--dpi 100'; do
	exits 2 "$REPORT" $words t.txt; says "^dltrace-report: ${words% *}: no output is a figure"; says_one_line
done
exits 2 "$REPORT" -o - -o - t.txt; says "-o -: given twice"; says_one_line
for option in interval hang; do
	exits 2 "$REPORT" --live --$option=0s; says "^dltrace-report: --$option: 0s: a time above 0 is needed"; says_one_line
done

exits 4 "$REPORT" nothing-here; says "nothing-here"; says_one_line
exits 4 "$REPORT" /dev/null; says "path=/dev/null: the file is empty$"; says_one_line
exits 4 "$REPORT" /dev/zero; says "path=/dev/zero: not a trace"; says_one_line
mkdir ended
: >ended/recording
exits 4 "$REPORT" --live ended; says "the recording has ended: dltrace-report ended$"; says_one_line
mkdir empty
exits 4 "$REPORT" empty; says_one_line
exits 1 "$REPORT" t.txt nothing-here; says_one_line
grep -q "Time in BLAS" out || fail "the good trace was not reported"
exits 4 "$REPORT" -q nothing-here
same "stderr with -q" "" "$(cat err)"
echo 'dltrace-text 1' >nothing.txt
exits 4 "$REPORT" nothing.txt; says "no events"

exits 0 "$REPORT" t.txt -o r.txt -o r.json -o r.csv -o r.svg -o tables.csv/ -o figures.svg/ -o t.json/ -o -
same "files in figures.svg" "curves.svg functions.svg gpu-memory.svg heap.svg kinds.svg" "$(echo $(ls figures.svg))"
for name in traces machines processes threads libraries coverage breakdown shares heap phases \
	iterations failures findings limits series; do
	[ -s tables.csv/$name.csv ] || fail "tables.csv/$name.csv is missing"
	[ -s t.json/$name.json ] || fail "t.json/$name.json is missing"
done
cmp r.txt out || fail "text in a file differs from text on a pipe"
cmp r.csv tables.csv/breakdown.csv || fail "a single CSV is the breakdown"
cmp r.svg figures.svg/curves.svg || fail "a single SVG is the curves"
same "left over" "" "$(ls -A | grep '^\.' || :)"

exits 0 "$REPORT" t.txt -f json
cmp out r.json || fail "-f json differs from -o r.json"
exits 0 "$REPORT" t.txt --source text -f json
cmp out r.json || fail "--source text differs"
exits 0 "$REPORT" t.txt -f csv --table shares
cmp out tables.csv/shares.csv || fail "--table shares"
exits 0 "$REPORT" t.txt -f svg --figure functions
cmp out figures.svg/functions.svg || fail "--figure functions"
exits 5 "$REPORT" t.txt -o nowhere/r.json; says "cannot write nowhere/r.json: No such file or directory (the folder that"; says_one_line
mkdir broken
printf 'no metadata of LTTng at all' >broken/metadata
exits 4 "$REPORT" broken; says "path=broken: .*metadata.*; "; says_one_line

# A folder that is given again, under another name, too, is one trace; text may come twice.
ln -s broken link
exits 4 "$REPORT" broken ./broken/ link
same "read once" 1 "$(grep -c 'path=broken: ' err)"
same "given twice" "./broken/ link" "$(echo $(sed -n 's/^dltrace-report: \(.*\): given twice, and used once$/\1/p' err))"
exits 4 "$REPORT" -q broken broken
same "not a word with -q" "" "$(cat err)"
exits 0 "$REPORT" t.txt t.txt
grep -q '^Comparison' out || fail "text that is given twice"

# The command is told as a whole, but for one that would fill the screen.
sed 's/--model/--data\\x1fphotos\\x1f--epochs\\x1f2\\x1f--batch\\x1f8\\x1f--model/' t.txt >long.txt
exits 0 "$REPORT" long.txt --width 40
same "command" "python3 train.py --data photos --epochs 2 --batch 8 --model mobilenet_v2" "$(sed -n '/^PyTorch/q;p' out | xargs)"
same "lines of 40 columns" "" "$(sed -n '/^PyTorch/q;p' out | grep '.\{41\}' || :)"
# So are the lines below it: how it ended and what was lost, however narrow.
same "the head" 1 "$(grep -c 'exit 0$' out)"
same "events lost" 1 "$(sed '/^Findings/q' out | grep -c 'none lost$')"
same "40 columns of the head" "" "$(sed '/^Findings/q' out | grep '.\{41\}' || :)"
sed "s/--model/$(seq -s, 1 500)\\\\x1f--model/" t.txt >long.txt
exits 0 "$REPORT" long.txt
sed '/^PyTorch/q' out | grep -q '^python3 train.py' || fail "begin of a long command: $(head -9 out)"
sed '/^PyTorch/q' out | grep -q ' --model mobilenet_v2$' || fail "end of a long command: $(head -9 out)"
[ $(sed '/^PyTorch/q' out | wc -l) -le 8 ] || fail "a long command: $(head -20 out)"
exits 0 "$REPORT" long.txt -o long.json
grep -q ",499,500" long.json || fail "a long command in JSON"
exits 0 "$REPORT" t.txt --table processes
grep -q "python3" out || fail "--table processes as text"

# No line is wider than it may be, however little that is; what there is no room for is told, and rows are told apart.
awk '{ print } /pid=100/ { for (i = 12345; i < 12349; i++) { sub(/process=[0-9]+ pid=[0-9]+/, "process=" i " pid=" i); print } }' t.txt >many.txt
for width in 40 50 60; do
	exits 0 "$REPORT" many.txt --width $width
	python3 - $width out <<-'END' || fail "$width columns"
	import sys
	lines = open(sys.argv[2], encoding="utf-8").read().split("\n")
	wide = [line for line in lines if len(line) > int(sys.argv[1])]
	assert not wide, wide
	heap = lines[[line.startswith("Heap") for line in lines].index(True) + 2:]
	rows = heap[:heap.index("")] if "" in heap else heap
	names = [row[:16] for row in rows if "python" in row]
	assert len(names) > 4 and len(set(names)) == len(names), rows
	END
done
grep -q "^  no room for allocations" out && fail "all of it has room in 60 columns"
exits 0 "$REPORT" many.txt --width 40
grep -q "^  no room for .*live at end$" out || fail "what had no room in 40 columns: $(cat out)"
grep -q "^Over time  *max$" out || fail "the head of the curves"

# Of many processes those that matter: who used most CPU time, and the highest heaps.
{
	echo "dltrace-text 1"
	for i in $(seq 2001 2030); do
		echo "[1s] dltrace_proc:process process=$i pid=$i begin=1s exe=\"/bin/p$i\""
		echo "[2s] dltrace_sample:process process=$i time=2s user=$i allocated=$((i * 1000)) heap_peak=$((i * 1000))"
	done
	echo '[2s] dltrace_sample:process process=2003 time=2s user=900ms'
	echo '[2s] dltrace_sample:process process=2004 time=2s user=2ns heap_peak=5G'
} >crowd.txt
"$REPORT" -q crowd.txt --width 120 >out || [ $? = 1 ]
grep -q '^Processes  those that used most CPU time$' out || fail "which processes: $(grep ^Processes out)"
section() { sed -n "/^$1/,/^\$/p" out; }
section Processes | grep -qw p2003 || fail "the busiest: $(section Processes)"
section Processes | grep -qw p2004 && fail "one that did nothing: $(section Processes)"
section Heap | grep -qw p2004 || fail "the highest heap: $(section Heap)"
same "so many" 12 "$(section Processes | sed 1,2d | grep -c ' p20')"

# What a table is asked for has room in 80 columns and less.
titles() {
	"$REPORT" -q t.txt --table $1 --width $2 >out || [ $? = 1 ]
	echo $(head -1 out)
}
same "of processes" "id trace pid name begin end exit threads CPU RSS peak" "$(titles processes 80)"
same "of threads" "process thread tid name begin end CPU" "$(titles threads 60)"
same "of exactness" "numbers exactness error why" "$(titles exactness 80)"
for pair in "breakdown total share" "shares time share" "heap allocations peak" "traces duration exit" "runs total" \
	"checks result" "phases duration cores" "phase_functions function share" "phase_shares time share"; do
	set -- $pair
	titles $1 80 >titles
	for title in $(echo "$pair" | cut -d ' ' -f 2-); do
		grep -qw "$title" titles || fail "$1 without $title: $(cat titles)"
	done
done

# One table as text: sentences whole, in lines of their own column; no column that is empty; what has no room is told.
printf '%s\n' "dltrace-text 1" '[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/app"' \
	'[2s] dltrace_heap:alloc thread=1 function=malloc size=5G' '[2s] dltrace_proc:exit process=1 code=3' >failed.txt
for width in 80 120; do
	"$REPORT" -q failed.txt --table findings --width $width >out || [ $? = 1 ]
	same "sentences in $width columns" "an allocation of 5.0 GiB by an unknown caller failed" \
		"$(awk 'NR == 1 { at = index($0, "finding"); to = index($0, "what to do") } NR > 1 && !/no room for/ { print substr($0, at, to - at) }' out |
			xargs | sed 's/.*(pid 100): \(an alloc.* caller failed\).*/\1/')"
	grep -q "phase" out && fail "an empty column in $width columns: $(cat out)"
	grep -q ".\{$((width + 1))\}" out && fail "over $width columns: $(cat out)"
done
"$REPORT" -q failed.txt --table findings --width 60 >out || [ $? = 1 ]
grep -q "no room for rule" out || fail "what has no room: $(cat out)"

# Times in sentences have the sign of 10^-6 where the terminal has it.
"$REPORT" -q t.txt -o - -f json | grep -q ' .u00B5s ' || fail "no such time in a sentence"
LC_ALL=C "$REPORT" -q t.txt >out
grep -q ' us ' out || fail "in ASCII"
! grep -q 'u{b5}' out || fail "an escape for it"

# A part of the time is told where the whole time is.
exits 0 "$REPORT" t.txt --from 100ms --to 400ms
grep -q ' · only 100 ms to 400 ms of it$' out || fail "a part of the time: $(head -3 out)"
exits 0 "$REPORT" t.txt -f json
same "no part" "[null,null]" "$(jq -c '[.traces[0].from_ns, .traces[0].to_ns]' out)"

# filters reach the model
exits 0 "$REPORT" t.txt --function 'sgemm*' -f csv --table breakdown
grep -q sgemm_ out || fail "--function lost it"
grep -q cudaMalloc out && fail "--function kept others"
exits 0 "$REPORT" t.txt --min-share 0 -f csv --table shares
grep -q sgemv_ out || fail "--min-share 0"
exits 0 "$REPORT" t.txt --from 400ms --to 1s -f csv --table breakdown

# colours: not in a pipe, unless asked for
exits 0 "$REPORT" t.txt
grep -q "$(printf '\033')" out && fail "colours in a pipe"
exits 0 "$REPORT" --color=always t.txt
grep -q "$(printf '\033')" out || fail "--color=always"
if command -v script >/dev/null; then
	TERM=xterm script -qec "stty cols 100; $REPORT t.txt" /dev/null >out
	grep -q "$(printf '\033\\[1m')" out || fail "no colours on a terminal"
	NO_COLOR=1 TERM=xterm script -qec "$REPORT t.txt" /dev/null >out
	grep -q "$(printf '\033\\[1m')" out && fail "colours in spite of NO_COLOR"
fi
LC_ALL=C "$REPORT" t.txt >out
LC_ALL=C grep -q '[^ -~]' out && fail "more than ASCII in the C locale"
LC_ALL=C "$REPORT" t.txt -f json | cmp - r.json || fail "JSON depends on the locale"
exit 0
