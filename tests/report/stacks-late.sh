# SPDX-License-Identifier: MIT
# Call stacks in a batch that is written long after its time (its process was stopped): events that come too late for
# their place count, at the time of the one before, and the report says how many they are and by how much.
. "$top_srcdir/tests/lib.sh"

layout=$(cat "$top_builddir/tracepoints/batch.h" "$top_srcdir/tracepoints/batch.h" 2>/dev/null |
	sed -n 's/^#define DLT_BATCH_LAYOUT \(0x[0-9a-f]*\).*/\1/p' | head -n 1)
[ -n "$layout" ] || fail "no layout of batches is known"
cat >events.py <<'END'
"""batch WRITTEN BEGIN THREAD FIRST LAYOUT: allocations of 1,000 bytes, 10 ms apart, as a line of a text trace."""
import struct
import sys

written, begin, thread, first, layout = (int(a, 0) for a in sys.argv[1:])
data, count = b"", 3
for i in range(count):
    data += struct.pack("<IIBBQQ", 14 << 24 | (10000000 if i else 0), 1, 255, 0, 1000, (thread << 20) + (i << 12))
data += bytes(-len(data) % 8)
words = " ".join(str(w) for w in struct.unpack(f"<{len(data) // 8}Q", data))
print(f"[{written}ms] dltrace_batch:records thread={thread} first={first} count={count} layout={layout} "
      f"begin={begin}ms records=[{words}]")
END
{
	echo 'dltrace-text 1'
	echo 'clock_offset 1700000000000000000'
	echo '[1s] dltrace_proc:process process=1 pid=100 threshold=64K begin=1s exe="/bin/work"'
	for thread in 1 2; do
		echo "[1s] dltrace_proc:thread thread=$thread process=1 tid=10$thread begin=1s name=\"t\""
	done
	echo '[1s] dltrace_proc:library process=1 library=1 base=0x1000 size=4096 path="/opt/libwork.so"'
	echo '[1s] dltracefull_stack:frames process=1 frames=[0x100000000 0x0100010000000abc]'
	python3 events.py 6000 5900 2 0 "$layout"
	python3 events.py 9000 8900 2 3 "$layout"
} >head.txt
said() {
	"$REPORT" "$1" -o r.json
	same "$1: allocations" 9 "$(python3 -c 'import json; print(sum(m["allocations"] for m in json.load(open("r.json"))["memory_stacks"]))')"
	python3 -c 'import json; print(*[l["text"] for l in json.load(open("r.json"))["limits"] if "too late" in l["text"]])'
}
# Of 8.5 s, while others have told of 8.92 s.
{ cat head.txt; python3 events.py 9050 8500 1 0 "$layout"; } >near.txt
same "within a second" "" "$(said near.txt)"
{ cat head.txt; python3 events.py 9050 3000 1 0 "$layout"; } >late.txt
# 5.92 s was the last that had been put in order.
same "late" "3 events with call stacks came too late to be put in order of time, by up to 2,920 ms: memory may count as held that was given back" \
	"$(said late.txt)"
