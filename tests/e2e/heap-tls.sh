# SPDX-License-Identifier: MIT
# 150 libraries with thread-local storage are opened while the heap is traced: ld.so allocates for
# them, and a tracepoint at that moment would need thread-local storage itself. So with ld.so as the program.
. "$top_srcdir/tests/lib.sh"
need readelf

cat >tls.c <<'C'
__thread volatile int value = 1;	/* not a constant for the compiler */
int touch(void) { return value; }
C
$CC -shared -fPIC -O1 -Wl,-Bsymbolic -o tls1.so tls.c
for i in $(seq 2 150); do
	cp tls1.so tls$i.so
done
DLTRACE_THRESHOLD=1
export DLTRACE_THRESHOLD
session_start 'dltrace_*' 'dltracefull_*'
loader=$(readelf -l "$APPS/heap_edge" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
for round in 1 2 3; do
	LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_edge" tls 150 || fail "round $round"
	LD_PRELOAD=$DLTRACE_LIB "$loader" "$APPS/heap_edge" tls 150 || fail "round $round, by $loader"
done
session_stop
