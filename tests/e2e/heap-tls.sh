# SPDX-License-Identifier: MIT
# 150 libraries with thread-local storage are opened while the heap is traced: ld.so allocates for
# them, and a tracepoint at that moment would need thread-local storage itself.
. "$top_srcdir/tests/lib.sh"

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
for round in 1 2 3; do
	LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_edge" tls 150 || fail "round $round"
done
session_stop
