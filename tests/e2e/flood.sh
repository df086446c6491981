# SPDX-License-Identifier: MIT
# Calls that come by the hundred thousand a second: all are counted and timed, the longest are events, and the
# report says so. When few come, all are events again. A forked child tells of its own flood.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >blas.c <<'C'
#include <time.h>
void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float us, const void *a, int lda, const void *b, int ldb,
		 float beta, void *c, int ldc)
{
	struct timespec begin, now;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1e6 + (now.tv_nsec - begin.tv_nsec) / 1e3 < us);
}
C
cat >main.c <<'C'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
void cblas_sgemm(int, int, int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
static void calls(int count, float us, int pause, int rows)	/* rows: which calls these are */
{
	for (int i = 0; i < count; i++) {
		cblas_sgemm(0, 0, 0, rows, 64, 64, us, 0, 1, 0, 1, 0, 0, 1);	/* too much work to be left untimed */
		if (pause)
			usleep(pause);
	}
}
int main(int argc, char **argv)
{
	calls(300000, 1.2, 0, 501);
	if (argc > 1) {
		if (fork() == 0) {
			calls(500, 1.2, 0, 504);	/* a child begins with none */
			calls(100000, 1.2, 0, 501);
			exit(0);
		}
		wait(NULL);
		return 0;
	}
	calls(100, 3000, 0, 502);
	calls(1000, 1.2, 1000, 503);
	return 0;
}
C
gcc -O1 -shared -fPIC -o libblas-stub.so blas.c
gcc -O1 -o main main.c -L. -lblas-stub -Wl,-rpath,"$TMP"

"$RECORD" -q --require -o trace -- ./main
"$REPORT" -q trace -o "$TMP/r.json"
same "all are counted" 301100 "$(json 'row("breakdown", function="cblas_sgemm")["calls"]')"
json 'row("breakdown", function="cblas_sgemm")["total_ns"] > 301000 * 1200' | grep -q True || fail "not all are timed"
"$REPORT" --dump trace | sed -n 's/.*dltrace_cpu:blas .* m=\([0-9]*\) .*/\1/p' >rows
count=$(grep -c 501 rows)
[ "$count" -lt 100000 ] || fail "$count events"
[ "$count" -gt 4000 ] || fail "$count events"
same "the long ones" 100 "$(grep -c 502 rows)"
# After the flood at most some steps back are left: 128 ms each.
late=$(grep -c 503 rows)
[ "$late" -gt 500 ] || fail "$late of 1000 events when few came"
same "the limits say it" 1 "$(json 'len([l for l in r["limits"] if l["kind"] == "flood"])')"
"$REPORT" --verify trace >verify.txt || fail "$(cat verify.txt)"

"$RECORD" -q --require -o forked -- ./main fork
"$REPORT" -q forked -o "$TMP/r.json"
same "both say it" 2 "$(json 'len([l for l in r["limits"] if l["kind"] == "flood"])')"
"$REPORT" --verify forked >verify.txt || fail "$(cat verify.txt)"
same "a child begins with all" 500 "$("$REPORT" --dump forked | grep -c 'dltrace_cpu:blas .* m=504 ')"
