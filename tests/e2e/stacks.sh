# SPDX-License-Identifier: MIT
# dltrace-record --stacks: who asked for memory, by compiled functions and by lines of Python, with the bytes that
# they got: exactly, when the most was live and in the end; in threads, children, handlers; after SIGKILL; of the heap
# and of GPUs.
. "$top_srcdir/tests/lib.sh"

# Options of dltrace-record.
HOW=

# record ARGUMENT...: the trace of asks, its report in JSON, and what it said itself in `out`
record() {
	rm -rf t
	"$RECORD" -q --stacks $HOW -o t -- "$APPS/asks" "$@" >out || [ "$1" = killed ]
	"$REPORT" t -o r.json
}

# sum COLUMN PATTERN: over rows of the heap whose stack matches
sum() {
	jq --arg pattern "$2" "[.memory_stacks[] | select(.memory == \"heap\" and ((.stack // \"\") | test(\$pattern))) | .$1] | add" r.json
}

# of NAME: bytes that the program says it got
of() {
	awk -v name="$1" '$1 == name { print $2 }' out
}

record peak
same "at peak, kept" "$(of keeps)" "$(sum peak_bytes '^main;peak;keeps;block$')"
same "at peak, held" "$(of holds)" "$(sum peak_bytes '^main;peak;holds;block$')"
same "blocks at peak" 1,2 "$(sum peak_blocks ';keeps;'),$(sum peak_blocks ';holds;')"
same "in the end" "$(of keeps),0" "$(sum live_bytes ';keeps;block$'),$(sum live_bytes ';holds;block$')"
same "how often" 12 "$(sum allocations '^main;peak;holds;block$')"
same "the most" $(($(of keeps) + $(of holds))) "$(jq '.memory_stack_sums[] | select(.memory == "heap") | .peak_bytes' r.json)"
same "threshold" 65536 "$(jq '.memory_stack_sums[0].least_bytes' r.json)"
# Of `holds` ten that come and go, and the last of the two before them.
same "temporary" 11,10 "$(sum temporary_allocations ';holds;'),$((($(sum temporary_bytes ';holds;') - (3 << 20)) / 100000))"
same "of keeps none is" 0 "$(sum temporary_allocations ';keeps;')"
same "innermost" block "$(jq -r '.memory_stacks[0].function' r.json)"

record grows threads
same "realloc's caller" "$(of grows)" "$(sum live_bytes '^main;grows$')"
same "what it moved is temporary" 1 "$(sum temporary_allocations '^main;grows;block$')"
same "what it moved" 0 "$(sum live_bytes '^main;grows;block$')"
same "a thread begins with its start routine" "$(of thread)" "$(sum live_bytes '^thread;keeps;block$')"

record child
same "a child" "$(of child)" "$(sum live_bytes '^main;child;keeps;block$')"

record deep
same "deep: what is outside is cut" "$(of deep)" "$(sum live_bytes '^\.\.\.;deep;(deep;)*block$')"

# Up to the handler: what was interrupted did not call it.
record signals
same "a handler" '"handler;holds;block"' "$(jq '.memory_stacks[] | select(.stack // "" | test("holds")) | .stack' r.json)"

record ways
awk '$1 == "way" { bytes[$2] += $3; times[$2]++ } END { for (w in bytes) print w, times[w], bytes[w] }' out | sort >wanted
jq -r '.memory_stacks[] | select(.stack // "" | startswith("main;ways;")) | [.stack, .allocations, .allocated_bytes] | join(" ")' r.json |
	sort >got
diff wanted got >differences || { head differences; fail "by the way that led there (< program, > stacks)"; }
[ "$(wc -l <got)" -gt 500 ] || fail "only $(wc -l <got) ways"

# Events of threads, and of one that sleeps, do not come in the order of their time.
record hands
same "handed to another thread" "0 0 1000" \
	"$(sum live_bytes ';hands;keeps;') $(sum temporary_allocations ';hands;keeps;') $(sum allocations ';hands;keeps;')"
same "one at a time" 1 "$(sum peak_blocks ';hands;keeps;')"
record naps
same "over a nap" "0 7" "$(sum live_bytes ';naps;keeps;') $(sum temporary_allocations ';naps;keeps;')"

record killed
same "after SIGKILL" "$(of killed)" "$(sum live_bytes '^main;killed;keeps;block$')"

# By LTTng itself; and as people see it.
HOW=--in-process
record peak child
same "in the process, at peak" "$(of holds)" "$(sum peak_bytes '^main;peak;holds;block$')"
same "in the process, a child" "$(of child)" "$(sum live_bytes '^main;child;keeps;block$')"
"$REPORT" t --width 120 >text
grep -q ' 5.01 MiB .* 12  peak;holds;block' text || fail "as text: $(sed -n '/^Who asked/,/^$/p' text)"

# ---- Python

cat >asks.py <<'END'
import sys
kept = []

def inner(size):
    return bytearray(
        size)

class Model:
    def forward(self, x):
        kept.append(inner(1000000))
        return sorted([3, 1, 2], key=lambda v: len(inner(2000000)))

    def steps(self):
        for i in range(3):
            yield self.forward(i)

def main():
    kept.extend([inner(3000000) for _ in range(2)])
    for s in Model().steps():
        pass
    exec(compile("kept.append(inner(4000000))", "<made>", "exec"))

main()
END
for python in python3 /usr/bin/python3; do
	rm -rf t
	"$RECORD" -q --stacks -o t -- $python asks.py
	"$REPORT" t -o r.json
	# list: where, bytes of one, how often; lines as they are said by any version
	jq -r '.memory_stacks[] | select(.where // "" | test("^asks.py")) |
	       [.stack, .allocations, (.allocated_bytes / .allocations / 1000000 | floor)] | @tsv' r.json |
		sed 's/<locals>\.//g; s/inner;.*/inner/' >got
	for wanted in \
		'asks.py:23 <module>;asks.py:19 main;asks.py:15 .*steps;asks.py:10 .*forward;asks.py:5 inner	3	1' \
		'asks.py:23 <module>;asks.py:19 main;asks.py:15 .*steps;asks.py:11 .*forward;asks.py:11 .*<lambda>;asks.py:5 inner	9	2' \
		'asks.py:21 main;<made>:1 <module>;asks.py:5 inner	1	4'; do
		grep -q "$wanted" got || { cat got; fail "$python: $wanted"; }
	done
	grep -q 'asks.py:18 main;.*asks.py:5 inner	2	3' got || { cat got; fail "$python: a list comprehension"; }
done

# ---- GPUs: what stacks hold is what the ledger has

rm -rf t
DLTRACE_STUB_OVER=1 "$RECORD" -q --stacks -o t -- "$APPS/gpu_ledger" storm 3 500 >out
"$REPORT" t -o r.json
for column in live_bytes allocated_bytes allocations; do
	jq -r ".gpu_memory[] | select(.kind != \"gpu\") | [.kind, .$column] | @tsv" r.json | sort >wanted
	jq -r "[.memory_stacks[] | select(.memory != \"heap\")] | group_by(.memory)[] | [.[0].memory, (map(.$column) | add)] | @tsv" \
		r.json | sort >got
	diff wanted got || fail "memory of GPUs, $column (< ledger, > stacks)"
done
jq -e '[.memory_stacks[] | select(.memory == "device") | .stack] | all(test("gpu_ledger|main|[a-z]"))' r.json >/dev/null

# ---- without it nothing of the kind; and not where size has a bound

"$RECORD" -q -o plain -- "$APPS/asks" peak >out
same "not asked for" 0 "$("$REPORT" plain -f json | jq '.memory_stacks | length')"
exits 125 "$RECORD" --stacks -l summary -- true
says_one_line
says "--stacks"
"$RECORD" --print --stacks -- true | grep -q "dltracefull_stack" || fail "--print does not have the events"
