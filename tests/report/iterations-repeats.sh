# SPDX-License-Identifier: MIT
# Iterations by large blocks of which none comes just once in each: how often each does tells the rounds;
# a last batch of other sizes is one, too; what may as well be something else is not found.
. "$top_srcdir/tests/lib.sh"
need python3

# trains PYTHON: a text trace of what step(...) allocates, in order; what it is made of is in the words.
trains() {
	python3 - "$1" <<-'END'
	import sys
	now = 1000
	print('dltrace-text 1')
	print('[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3" heap=0')
	print('[1s] dltrace_proc:library process=1 library=5 path="/usr/lib/libmxnet.so"')
	print('[1s] dltrace_proc:function process=1 function=1 kind="allocate" layer="" name="posix_memalign"')
	def step(*blocks):
	    """Blocks of so many KiB each, half a millisecond apart; then what the step does besides."""
	    global now
	    for size in blocks:
	        now += 0.5
	        print(f"[{int((now + 1000) * 1000)}us] dltrace_heap:alloc thread=1 function=1 library=5 size={size * 1024} ptr=0x1000")
	    now += 30
	exec(sys.argv[1])
	print(f"[{int((now + 1100) * 1000)}us] dltrace_proc:exit process=1 how=0 code=0")
	END
}

found() {
	same "$1" "$2" "$(json '"%s %s" % (row("iterations")["count"], row("iterations")["epoch_count"])')"
}

# Per image of a batch of four, and three times a step; start-up asks for some of these, too.
images='
whole = 4 * [100, 200, 300, 400] + 3 * [500, 600]
last = 2 * [100, 200, 300, 400] + 3 * [250, 300 + 5]
'
trains "$images"'
step(500, 500, 600, 700)
for i in range(18): step(*whole)' >"$TMP/even.txt"
report_text --jobs 1 <"$TMP/even.txt"
found "as often in each" "18 None"
mv "$TMP/r.json" "$TMP/one.json"
report_text --jobs 4 <"$TMP/even.txt"
cmp "$TMP/one.json" "$TMP/r.json" || fail "not the same with --jobs 4"

trains 'for i in range(18): step(*(4 * [100, 200, 300, 400] + 2 * [500, 600]))' | report_text
found "all may be divided in two" "None None"

trains 'for i in range(24): step(*(3 * [100, 200, 300, 400] + 2 * [500] + [600, 700]))' | report_text
found "one comes once" "24 None"

# The last batch of an epoch allocates as often, other sizes.
trains '
for epoch in range(4):
    for i in range(8): step(*(3 * [100, 200, 300, 400] + 2 * [500, 600, 700]))
    step(*(3 * [102, 204, 306, 404] + 2 * [250, 303, 350]))' | report_text
found "last batches" "36 4"

# An evaluation goes forward only.
trains '
for epoch in range(4):
    for i in range(8): step(*(4 * [100, 200, 300, 400] + 3 * [500, 600, 700]))
    step(*([110, 220, 330, 440] + [550, 660, 770]))' | report_text
found "evaluations of another size" "None None"
