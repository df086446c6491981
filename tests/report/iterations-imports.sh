# SPDX-License-Identifier: MIT
# What imports asks for large blocks again and again: these are no iterations, of a program that computes later, or in
# ways which cannot be seen; and its heap does not "keep growing".
. "$top_srcdir/tests/lib.sh"
need python3

# blocks ROUNDS ENGINE IMPORTS: a text trace of rounds with the same blocks each, of which half stay; with a library
# of a framework; with an import in the first so many of them.
blocks() {
	python3 - "$@" <<-'END'
	import sys
	rounds, engine, imports = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
	now = 1000
	print('dltrace-text 1')
	print('[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3" heap=0')
	print(f'[1s] dltrace_proc:library process=1 library=5 path="/usr/lib/{engine}"')
	print('[1s] dltrace_proc:function process=1 function=1 kind="allocate" layer="" name="malloc"')
	def event(ms, text):
	    global now
	    now += ms
	    print(f"[{now}ms] {text}")
	for i in range(rounds):
	    for size in range(100, 124):
	        event(20, f"dltrace_heap:alloc thread=1 function=1 library=5 size={size * 4096} ptr={(i << 24) + size}")
	        event(20, f"dltrace_sample:process process=1 time={now}ms allocated={i * 24 + size - 99}M")
	    if i < imports:
	        event(1, f'dltrace_proc:object process=1 type=8 id={i + 1} state=0 name="/usr/lib/python3/dist-packages/p{i}"')
	event(1, "dltrace_proc:exit process=1 how=0 code=0")
	END
}

while read -r rounds engine imports count; do
	blocks "$rounds" "$engine" "$imports" | report_text
	same "$rounds rounds, $engine, $imports imports" "$count" "$(json 'r["iterations"][0]["count"] if r["iterations"] else "-"')"
	same "$rounds rounds, $engine, $imports imports: the heap grows" "$(case $count in [0-9]*) echo 1;; *) echo 0;; esac)" \
		"$(json 'sum(f["rule"] == "heap_grows" for f in r["findings"])')"
done <<END
3 libmxnet.so 0 3
3 libmxnet.so 1 None
4 libmxnet.so 1 4
5 libmxnet.so 0 5
5 libmxnet.so 2 5
5 libmxnet.so 5 None
10 libmxnet.so 5 10
10 libmxnet.so 6 None
5 libfoo.so 0 -
12 libfoo.so 0 12
12 libfoo.so 12 -
12 libpython3.11.so.1.0 0 -
END
