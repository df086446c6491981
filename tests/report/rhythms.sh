# SPDX-License-Identifier: MIT
# Iterations and epochs of frameworks, from samples of real recordings: the files of rhythms/, a line
# for each thing that repeats (function, caller, sizes, then when first and the distances of the others).
. "$top_srcdir/tests/lib.sh"

expand() {
	python3 - "$1" <<-'END'
	import sys
	unit, events = 1, []
	for line in open(sys.argv[1]):
	    words = line.split()
	    if words[0] == "unit":
	        unit = int(words[1][:-2])
	    if line[0] == "#" or words[0] == "unit":
	        continue
	    what, times = (part.split() for part in line.split(":"))
	    kind, function, library, sizes = what[0], what[1], what[2], what[3:]
	    now = 1000000
	    for distance in times:
	        now += int(distance) * unit
	        same = f"thread=1 function={function} library={library}"
	        if kind == "heap":
	            events.append((now, f"dltrace_heap:alloc {same} size={sizes[0]} ptr=0x1000"))
	        elif kind == "map":
	            events.append((now, f"dltrace_map:map {same} size={sizes[0]}"))
	        elif kind == "cuda":
	            events.append((now, f"dltrace_cuda:other {same} duration=1us"))
	        elif kind == "blas":
	            events.append((now, "dltrace_cpu:blas {} duration=1us m={} n={} k={}".format(same, *sizes)))
	        else:
	            events.append((now, f"dltrace_cpu:region {same} duration=1us width={sizes[0]}"))
	print("dltrace-text 1")
	print('[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3" heap=0')
	for now, event in sorted(events, key=lambda e: e[0]):
	    print(f"[{now}us] {event}")
	print(f'[{max(e[0] for e in events) + 100000}us] dltrace_proc:exit process=1 how=0 code=0')
	END
}

for file in "$top_srcdir"/tests/report/rhythms/*; do
	truth=$(sed -n 's/^# .*: \([0-9]*\) iterations, \([0-9-]*\) epochs$/\1 \2/p' "$file")
	[ "$truth" ] || fail "$file does not say what it is"
	expand "$file" | report_text
	same "${file##*/}" "$truth" "$(json '"%s %s" % (row("iterations")["count"], row("iterations")["epoch_count"] or "-")')"
done

# What repeats may be the gaps where much of what was emitted was not read.
file=$(ls "$top_srcdir"/tests/report/rhythms/* | head -n 1)
count=$(expand "$file" | grep -c 'thread=1')
for lost in 0 $((count / 10)); do
	{ expand "$file"; echo "[1000000s] dltrace_sample:process process=1 time=1000000s final=1 events=$((count + 2 + lost))"; } |
		report_text
	same "with $lost lost" $((lost == 0)) "$(json 'int(any(i["count"] for i in r["iterations"]))')"
done
