# SPDX-License-Identifier: MIT
# Who asked for memory, from events: sums by stack, what was held at the peak and in the end, names of frames, the
# program's own line; in text, JSON, folded and speedscope; names that are hostile, stacks that nobody explains.
. "$top_srcdir/tests/lib.sh"

cat >t.txt <<'END'
dltrace-text 1
clock_offset 1700000000000000000
[1s] dltrace_proc:process process=1 pid=100 heap=0 threshold=64K begin=1s exe="/usr/bin/python3" folder="/srv/job"
[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s name="python3"
[1s] dltrace_proc:library process=1 library=1 base=0x1000 size=4096 path="/opt/libwork.so"
[1s] dltrace_proc:library process=1 library=2 base=0x9000 size=4096 path="/lib/libc.so.6"
[1s] dltrace_proc:object process=1 type=13 id=1 name="/srv/job/train.py\x1fmain"
[1s] dltrace_proc:object process=1 type=13 id=2 name="/usr/lib/python3/dist-packages/torch/nn/conv.py\x1fConv2d.forward"
[1s] dltrace_proc:object process=1 type=13 id=3 name="<frozen importlib._bootstrap>\x1f_find_and_load"
[1s] dltrace_proc:object process=1 type=12 id=9 values=[0 0 0 0 0 7]
[1s] dltrace_proc:object process=1 type=13 id=4 name="a;b\x1b[31m.py\x1f<lambda>"
# ids << 32 | caller; 1: libc outside of main, 2: main's line 10, 3: torch, 4: a function, 5: import, 6: main again
[1s] dltracefull_stack:frames process=1 frames=[0x100000000 0x0100020000000100 0x200000001 0x020000000100000a 0x300000002 0x0200000002000014 0x400000003 0x0100010000000abc]
[1s] dltracefull_stack:frames process=1 frames=[0x500000002 0x0200000003000005 0x600000005 0x020000000100000b 0x700000000 0x0400000000000000 0x800000007 0x0300000000000000 0x900000008 0x0200000004000001 0xa00000002 0x0100010000000def]
[2s] dltracefull_stack:alloc thread=1 stack=4 memory=255 size=1000 ptr=0x1000
[3s] dltracefull_stack:alloc thread=1 stack=6 memory=255 size=500 ptr=0x2000
[4s] dltracefull_stack:alloc thread=1 stack=4 memory=255 size=3000 ptr=0x3000
# the most: 4500
[5s] dltracefull_stack:free thread=1 memory=255 size=1000 ptr=0x1000
[5500ms] dltracefull_stack:free thread=1 memory=255 size=70000 ptr=0x7777
[6s] dltracefull_stack:alloc thread=1 stack=9 memory=255 size=200 ptr=0x4000
# its free was lost: the address comes again
[7s] dltracefull_stack:alloc thread=1 stack=6 memory=255 size=600 ptr=0x3000
[8s] dltracefull_stack:alloc thread=1 stack=0 memory=255 size=50 ptr=0x5000
[8s] dltracefull_stack:alloc thread=1 stack=4 memory=0 device=1 size=8000
[8100ms] dltracefull_stack:alloc thread=1 stack=6 memory=5 device=1 size=70
[8200ms] dltracefull_stack:alloc thread=1 stack=10 memory=0 device=1 size=2000
[9s] dltracefull_stack:free thread=1 stack=4 memory=0 device=1 size=8000
[9s] dltrace_proc:exit process=1
END
"$REPORT" t.txt -o r.json
json() { python3 -c "import json; r = json.load(open('r.json')); print($1)"; }
rows='[(m["memory"], m["peak_bytes"], m["peak_blocks"], m["live_bytes"], m["live_blocks"], m["allocated_bytes"], m["allocations"]) for m in r["memory_stacks"] if (m["stack"] or "").endswith(%s)]'
stack() { json "$(printf "$rows" "'$1'")"; }

same "a function of torch's" "[('device', 8000, 1, 0, 0, 8000, 1), ('heap', 4000, 2, 0, 0, 4000, 2)]" "$(stack libwork.so+0xabc)"
same "import's frames are not shown" "[('heap', 500, 1, 1100, 2, 1100, 2), ('pinned', 70, 1, 70, 1, 70, 1)]" \
	"$(stack 'train.py:10 main;train.py:11 main')"
same "cut, and through code in no library" "[('heap', 0, 0, 200, 1, 200, 1)]" "$(stack '<lambda>')"
same "what libc calls is the outermost" "train.py:10 main;torch/nn/conv.py:20 Conv2d.forward;libwork.so+0xabc" \
	"$(json 'r["memory_stacks"][0]["stack"]')"
same "where, in Python, in all" "('train.py:10 main', 'torch/nn/conv.py:20 Conv2d.forward', 'libwork.so+0xabc')" \
	"$(json 'tuple(r["memory_stacks"][0][k] for k in ("where", "python", "function"))')"
same "nobody explains it" "[(None, None, 50)]" \
	"$(json '[(m["where"], m["stack"], m["live_bytes"]) for m in r["memory_stacks"] if m["live_bytes"] == 50]')"
same "sums" "[('gpu', 10000, 7200000000, 2000, None), ('heap', 4500, 3000000000, 1350, 65536), ('other', 70, 7100000000, 70, None)]" \
	"$(json '[(m["memory"], m["peak_bytes"], m["peak_ns"], m["live_bytes"], m["least_bytes"]) for m in r["memory_stack_sums"]]')"

# Of the heap: 0x3000 lasted until its thread had asked for another, 0x1000 too; nothing here is temporary.
same "nothing temporary, and not of GPUs" "[('gpu', 10000, 2, None, None), ('heap', 5350, 6, 0, 0), ('other', 70, 1, None, None)]" \
	"$(json '[(m["memory"], m["allocated_bytes"], m["allocations"], m["temporary_bytes"], m["temporary_allocations"]) for m in r["memory_stack_sums"]]')"
same "parts of" "[('device', 'gpu'), ('heap', 'heap'), ('pinned', 'other')]" \
	"$(json 'sorted({(m["memory"], m["part_of"]) for m in r["memory_stacks"]})')"

# A window: what was live when it begins is the most; what is live when it ends.
"$REPORT" t.txt --from 3500ms --to 6500ms -o r.json
same "from 3.5 s" "[('heap', 4500, 4500, 1300)]" \
	"$(json '[(m["memory"], m["peak_bytes"], sum(x["peak_bytes"] for x in r["memory_stacks"]), m["live_bytes"]) for m in r["memory_stack_sums"] if m["memory"] == "heap"]')"

# What asks only afterwards, or had given all back before, is no stack of the window.
"$REPORT" t.txt --to 1500ms -o r.json
same "to 1.5 s" "[1] 1" "$(json '[m["stacks"] for m in r["memory_stack_sums"]], len(r["memory_stacks"])' | tr -d '(),')"
"$REPORT" t.txt --from 7050ms --to 7500ms -o r.json
same "from 7.05 to 7.5 s" "0" "$(json 'sum(m["memory"] == "heap" and m["function"] == "libwork.so+0xabc" for m in r["memory_stacks"])')"

"$REPORT" t.txt -o f.memory.folded -o s.speedscope.json -o f.folded
same "folded" "python3 (pid 100);heap;train.py:10 main;torch/nn/conv.py:20 Conv2d.forward;libwork.so+0xabc 4000" \
	"$(grep ';heap;.*abc' f.memory.folded)"
same "all of the heap's peak" 4500 "$(grep ';heap;' f.memory.folded | awk '{ sum += $NF } END { print sum }')"
! grep -q "$(printf '\033')" f.memory.folded s.speedscope.json || fail "a name brings its escape sequence along"
same "profiles in bytes" "[('python3 (pid 100): device', 10000), ('python3 (pid 100): heap', 4500), ('python3 (pid 100): pinned', 70)]" \
	"$(python3 -c "import json; print([(p['name'], p['endValue']) for p in json.load(open('s.speedscope.json'))['profiles'] if p['unit'] == 'bytes'])")"

"$REPORT" t.txt --width 150 >text
same "what found no room" 1 "$(json 'sum("7 call stacks of who asked for memory lack their inner frames" in l["text"] for l in r["limits"])')"
grep -q "9 call stacks of 150 ns to 3.0 µs" text || fail "what they cost is not told: $(tail -n 3 text)"
grep -q "^Who asked for memory" text || fail "the text has no such section"
grep -q " 500 B .* train.py:11 main$" text || { cat text; fail "a line is its own way"; }
grep -A 2 " 9.77 KiB .* 2  train.py:10 main$" text >ways || fail "a line is not the sum of its ways"
grep -q "^  *7.81 KiB .* 1    torch/nn/conv.py:20 Conv2d.forward$" ways || { cat ways; fail "no first way of a line"; }
grep -q "^  *1.95 KiB .* 1    libwork.so+0xdef$" ways || { cat ways; fail "no second way of a line"; }
grep -A 1 "3.91 KiB .* train.py:10 main$" text | grep -q "^ *torch/nn/conv.py:20 Conv2d.forward$" ||
	{ cat text; fail "no row of main's line, or not by way of what"; }

# Python that begins has nothing but import's frames.
{
	sed -n '1,/^\[1s\] dltracefull_stack:frames/p' t.txt
	echo '[1s] dltracefull_stack:frames process=1 frames=[0xb00000000 0x0200000003000005]'
	echo '[2s] dltracefull_stack:alloc thread=1 stack=11 memory=255 size=1000 ptr=0x1000'
} >import.txt
"$REPORT" import.txt -o r.json
same "import alone" "[(\"Python's import\", \"Python's import\")]" "$(json '[(m["stack"], m["where"]) for m in r["memory_stacks"]]')"

# Temporary: given back by the thread that asked, before it asks again. Not: by another thread; after another block; one
# that another thread asked for at an address that was one's own; one whose free was lost.
alloc() { printf '[%sms] dltracefull_stack:alloc thread=%s stack=4 memory=255 size=%s ptr=%s\n' "$@"; }
free() { printf '[%sms] dltracefull_stack:free thread=%s memory=255 size=%s ptr=%s\n' "$@"; }
{
	sed -n '1,/^\[1s\] dltracefull_stack:frames/p' t.txt
	echo '[1s] dltrace_proc:thread thread=2 process=1 tid=101 begin=1s name="other"'
	alloc 2000 1 1000 0x1000		# temporary, though the other thread asks in between
	alloc 2001 2 2000 0x2000
	free 2002 1 1000 0x1000
	free 2003 1 2000 0x2000		# by another thread
	alloc 2004 1 4000 0x3000
	alloc 2005 1 8000 0x4000
	free 2006 1 4000 0x3000		# after another block
	free 2007 2 8000 0x4000
	alloc 2008 2 16000 0x4000		# where thread 1's newest was
	free 2009 1 16000 0x4000
	alloc 2010 1 32000 0x5000
	alloc 2011 1 64000 0x5000		# its free was lost
	free 2012 1 64000 0x5000		# temporary
	alloc 2013 3 128000 0x6000		# of a thread that is told later
	free 2014 3 128000 0x6000		# temporary
	alloc 2015 3 256000 0x7000
	echo '[2016ms] dltrace_proc:thread thread=3 process=1 tid=102 begin=2s name="late"'
	free 2017 3 256000 0x7000		# temporary
	alloc 2018 1 1 0x8000
	free 2019 2 1 0x8000
	alloc 2020 2 512000 0x8000
	alloc 2021 1 1 0x9000		# what was its newest is the other thread's by now
	free 2022 2 512000 0x8000	# temporary
} >u.txt
"$REPORT" u.txt -o r.json
temporary='(m["allocated_bytes"], m["allocations"], m["temporary_bytes"], m["temporary_allocations"])'
same "temporary" "[(1023002, 12, 961000, 5)]" "$(json "[$temporary for m in r['memory_stack_sums']]")"
same "temporary, of the stack" "[(1023002, 12, 961000, 5)]" "$(json "[$temporary for m in r['memory_stacks']]")"
# Of what is asked for in the window alone, given back before it ends.
"$REPORT" u.txt --from 1001ms --to 1014ms -o r.json
same "temporary in a window" "[(64000, 1)]" \
	"$(json '[(m["temporary_bytes"], m["temporary_allocations"]) for m in r["memory_stack_sums"]]')"
"$REPORT" u.txt >text
! grep -q "were temporary" text || fail "five blocks are not much"

i=0
{
	cat u.txt
	while [ $i -lt 120 ]; do
		i=$((i + 1))
		alloc $((3000 + 2 * i)) 1 100000 0x8000
		free $((3001 + 2 * i)) 1 100000 0x8000
	done
} >many.txt
"$REPORT" many.txt --width 200 >text
grep -q "heap: of 132 blocks 125 (12.4 MiB) were temporary: .* most by train.py:10 main (125, 12.4 MiB)" text ||
	{ tail -n 12 text; fail "the text does not say that much is temporary"; }
"$REPORT" -q many.txt --jobs 1 -o whole.json
"$REPORT" -q many.txt --jobs 5 -o parts.json
cmp whole.json parts.json || fail "parts make another report"
