# SPDX-License-Identifier: MIT
# Sizes and times mean the same where they are taken and where they are kept to: with a point, with every unit, in
# bytes. What nothing can keep to is refused.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2
need gcc

cat >program.c <<'END'
#include <stdlib.h>
static void times(int count, size_t size)
{
	while (count--)
		free(malloc(size));
}
int main(void)
{
	times(1000, 1000);
	times(10, 1 << 20);
	times(2, 2 << 20);
	times(1, 12 << 20);
	return 0;
}
END
gcc -O0 -o program program.c

# allocations COUNT OPTION...: so many of them are events
allocations() {
	expected=$1
	shift
	rm -rf t
	"$RECORD" -q --require "$@" -o t -- ./program
	same "$*: allocations" "$expected" "$(events t | grep -c dltrace_heap:alloc)"
}
allocations 3 --threshold=1.5M
allocations 13 --threshold=0.5M
allocations 1 --threshold=10000000B
export DLTRACE_THRESHOLD=10000000
allocations 1
unset DLTRACE_THRESHOLD
# odd WORD VARIABLE=VALUE: the default holds, which is said in a line, and the command is run
odd() {
	rm -rf t
	exits 7 env "$2" "$RECORD" -q -o t -- sh -c 'exit 7'
	says "^dltrace-record: $2 $1"; says_one_line
}
odd 'is no size, .*: 64K holds$' DLTRACE_THRESHOLD=64k
odd 'is no time, .*: the default holds$' DLTRACE_SAMPLE=5
odd 'is in the environment: only samples of the machine are recorded; unset it$' DLTRACE=off
exits 0 env DLTRACE_SAMPLE=5 DLTRACE_THRESHOLD=64k "$RECORD" -q --sample=1s --threshold=1M -o options -- true
same "what options stand in for" "" "$(cat err)"

# One when it is young, one of its end.
for period in 1h 1d; do
	"$RECORD" -q --require --sample=$period -o sample-$period -- sleep 2
	count=$(babeltrace2 sample-$period | grep -c dltrace_sample:process:)
	[ "$count" -ge 1 ] && [ "$count" -le 2 ] || fail "--sample=$period: $count samples in 2 s"
done

for option in --threshold=0 --threshold=0.1B --sample=0 --sample=500us --sample=1; do
	status=0
	"$RECORD" "$option" -o no -- true 2>err || status=$?
	same "$option: status" 125 $status
	grep -q "^dltrace-record: ${option%=*}: ${option#*=}: " err || fail "$option: $(cat err)"
done
exits 125 "$RECORD" --max-size=99999999999G -- true; says "that is too large"
exits 125 "$RECORD" --max-size=1K -- true; says "1K: 1M is the least"
exits 125 "$RECORD" --duration=0s -- true; says "0s: a time above 0 is needed"
exits 125 "$RECORD" --label a=b --label a=c -- true; says "--label: a=c: it is a=b already"; says_one_line
exits 125 "$RECORD" --threshold=64k -- true; says "64k: units are B, K, M, G, T"
exits 125 "$RECORD" --delay=1M -- true; says "1M: units are ns, us, ms, s, m, h, d"
