# SPDX-License-Identifier: MIT
# dltrace-record --stacks where a stack is not what it seems, or what describes it is broken: the program goes on as
# without, and nothing is called another's.
. "$top_srcdir/tests/lib.sh"

# record ARGUMENT...: the trace of odd_stacks, its report in JSON, and what it said itself in `out`
record() {
	rm -rf t
	timeout 100 "$RECORD" -q --stacks -o t -- "$APPS/odd_stacks" "$@" >out || fail "$*: status $?"
	grep -qx whole out || fail "$*: it did not come to its end"
	"$REPORT" t -o r.json
}

# asked PATTERN: allocations of the heap whose stack matches
asked() {
	jq --arg pattern "$1" '[.memory_stacks[] | select((.stack // "") | test($pattern)) | .allocations] | add // 0' r.json
}

# Tables of frames that claim to be far larger than their file.
cat >ask.c <<'EOF'
#include <stdlib.h>
void *ask(size_t size) { void *p = malloc(size); __asm__ volatile("" : : "r"(p)); return p; }
EOF
${CC:-cc} -O1 -shared -fPIC -o ask.so ask.c
record calls ./ask.so
same "whole tables" 1 "$(asked 'main;.*ask$')"
python3 - ask.so <<'EOF'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
headers, = struct.unpack_from("<Q", data, 32)
count, = struct.unpack_from("<H", data, 56)
for i in range(count):
    kind, _, offset = struct.unpack_from("<IIQ", data, headers + 56 * i)
    if kind == 0x6474e550:	# PT_GNU_EH_FRAME
        struct.pack_into("<I", data, offset + 8, 0x7fffffff)
open(sys.argv[1], "wb").write(data)
EOF
record calls ./ask.so
same "broken tables" 1 "$(asked 'ask$')"

# A fiber's stack ends where the thread's begins that runs it, and what lies between cannot be read.
record fiber
same "fibers are nobody's" 0 "$(asked 'in_thread')"

# Python that is loaded, unloaded and loaded again, beside a thread that never was in it.
cat >where.py <<'EOF'
import os, sysconfig
for folder in ("LIBDIR", "LIBPL"):
    path = os.path.join(sysconfig.get_config_var(folder) or "", sysconfig.get_config_var("INSTSONAME") or "")
    if ".so" in path and os.path.exists(path):
        print(path)
EOF
for python in $( (python3 where.py; /usr/bin/python3 where.py) | sort -u); do
	"$APPS/odd_stacks" embeds "$python" >bare || fail "without dltrace: status $?"
	record embeds "$python"
	diff bare out || fail "$python: unloaded or not (< without, > with dltrace)"
	same "each time its lines are told" 3 "$(asked ';<string>:3 <module>;<string>:2 f$')"
done

# Two callers of one function, from one place, whose frames are not equally large.
record shifts
same "each by its own way" "21 21" "$(asked '^main;(shifts;)?wide;hole;between;inner$') $(asked '^main;(shifts;)?narrow;hole;between;inner$')"

# Handlers on a stack that lies above the one that they come upon, in the middle of a stack that is taken: what they
# ask for has none then, and whatever has one has its own.
record above
for name in handler deep; do
	most=$(awk -v name=$name '$1 == name { print $2 }' out)
	[ "$(asked "(^|;)$name\$")" -le "$most" ] || fail "$name: $(asked "(^|;)$name\$") of $most"
done

# Code that a program makes, runs and throws away, again and again: the next one lies where the last one lay.
cat >made.py <<'EOF'
for i in range(300):
    exec(compile("bytearray(100000)", "<made %d>" % i, "exec"))
for i in range(300):
    exec("def f%d(): return bytearray(100000)\nf%d()" % (i, i), {})
for i in range(300):
    exec(compile("\n" * (i % 50) + "bytearray(100000)", "<lines>", "exec"))
EOF
for python in python3 /usr/bin/python3; do
	rm -rf t
	"$RECORD" -q --stacks -o t -- $python made.py
	"$REPORT" t -o r.json
	same "$python: pieces of code, by their file" 300 "$(jq '[.memory_stacks[].stack // "" | select(test("<made [0-9]+>:1 <module>"))] | length' r.json)"
	same "... by their name" 300 "$(jq '[.memory_stacks[].stack // "" | select(test("<string>:1 f[0-9]+"))] | length' r.json)"
	same "... by their lines" "50 300" "$(jq -r '[.memory_stacks[] | select(.stack // "" | test("<lines>:[0-9]+ <module>"))] | "\(length) \(map(.allocations) | add)"' r.json)"
done
