# SPDX-License-Identifier: MIT
# Tiny matrix products: all are counted, with their operations, few are timed, and the report says so; what
# is slow or large is timed each time; one that never returns is told if it is one that is timed.
# Where some have others inside, these are inside all the same, also of one that is not timed; those that are left by
# longjmp disturb nothing.
# Parallel regions are alike when they are the same code: those that are over at once are not all timed, from the same
# place the others are; and what they call is inside of them.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >blas.c <<'C'
#include <setjmp.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#define ARGS int order, int ta, int tb, int m, int n, int k, float alpha, const void *a, int lda, const void *b, int ldb, \
	float beta, void *c, int ldc
#define DARGS int order, int ta, int tb, int m, int n, int k, double alpha, const void *a, int lda, const void *b, int ldb, \
	double beta, void *c, int ldc
static void wait_us(long us)
{
	struct timespec begin, now;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}
void cblas_sgemm(ARGS)
{
	if (alpha == 9)		/* long enough for two readings from outside */
		for (int i = 0; i < 3; i++)
			sleep(1);
	if (alpha == 9)
		kill(getpid(), SIGKILL);
}
void cblas_dgemm(DARGS) { }
void cblas_cgemm(int order, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int lda, const void *b,
		 int ldb, const void *beta, void *c, int ldc) { wait_us(3); }
#define VARGS int order, int t, int m, int n, double alpha, const void *a, int lda, const void *x, int incx, double beta, \
	void *y, int incy
void cblas_dgemv(VARGS);
void cblas_sgemv(int order, int t, int m, int n, float alpha, const void *a, int lda, const void *x, int incx, float beta,
		 void *y, int incy)
{
	if (incy == 7)
		cblas_dgemv(order, t, m, n, alpha, a, lda, x, incx, beta, y, incy);
	if (incy == 9)
		longjmp(*(jmp_buf *)y, 1);
}
C
cat >inner.c <<'C'
void cblas_dgemv(int order, int t, int m, int n, double alpha, const void *a, int lda, const void *x, int incx, double beta,
		 void *y, int incy) { }
C
cat >main.c <<'C'
void cblas_sgemm(int, int, int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
void cblas_dgemm(int, int, int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
void cblas_cgemm(int, int, int, int, int, int, const void *, const void *, int, const void *, int, const void *, void *, int);
#include <setjmp.h>
void cblas_sgemv(int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
static void odd(void)
{
	static jmp_buf back;
	static volatile int i;

	for (i = 0; i < 20000; i++)	/* 100 have one inside, 100 do not return, at places that no period of skipping meets */
		if (!setjmp(back))
			cblas_sgemv(0, 0, 8, 8, 1, 0, 1, 0, 1, 0, &back, i % 199 == 0 ? 9 : i % 199 == 7 ? 7 : 1);
}
static volatile float alphas[] = { 1, 9 };	/* read, so that gcc makes no second call of it */
int main(int argc, char **argv)
{
	odd();
	for (int i = 0; i < 100000; i++)	/* where that is asked for one of the first, which are timed, does not return */
		cblas_sgemm(0, 0, 0, 1, 64, 9, alphas[argc > 1 && i == 99], 0, 1, 0, 1, 0, 0, 1);
	for (int i = 0; i < 10000; i++)
		cblas_dgemm(0, 0, 0, 64, 64, 64, 1, 0, 1, 0, 1, 0, 0, 1);
	for (int i = 0; i < 3000; i++)
		cblas_cgemm(0, 0, 0, 1, 2, 3, 0, 0, 1, 0, 1, 0, 0, 1);
	return 0;
}
C
cat >later.c <<'C'
void cblas_sgemv(int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
static volatile int inside[] = { 1, 7 };	/* read, as above: all have one caller */
int main(void)	/* none has one inside for long, then all have */
{
	for (int i = 0; i < 40000; i++)
		cblas_sgemv(0, 0, 8, 8, 1, 0, 1, 0, 1, 0, 0, inside[i >= 20000]);
	return 0;
}
C
cat >gomp.c <<'C'
void GOMP_parallel(void (*function)(void *), void *data, unsigned width, unsigned flags) { function(data); }
C
cat >regions.c <<'C'
#include <time.h>
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
void cblas_dgemv(int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
static volatile int done;
static void quick(void *unused) { done++; }
static void slow(void *unused)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 3000);
}
static void calling(void *unused) { cblas_dgemv(0, 0, 8, 8, 1, 0, 1, 0, 1, 0, 0, 1); }
int main(void)
{
	void (*const codes[])(void *) = { quick, slow, quick, calling, quick };

	for (int i = 0; i < 100000; i++)
		GOMP_parallel(codes[i % 5], 0, 1, 0);
	return done != 60000;
}
C
cat >forked.c <<'C'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
static pthread_barrier_t both;
static void quick(void *unused) { (void)unused; }
static void regions(int count)
{
	while (count--)
		GOMP_parallel(quick, 0, 1, 0);
}
static void *many(void *unused)
{
	regions(5003);
	for (int i = 0; i < 2; i++)
		pthread_barrier_wait(&both);
	return unused;
}
static void *few(void *unused)
{
	regions(40);
	return unused;
}
int main(void)	/* a child's thread follows the parent's, which owes some to the parent's totals */
{
	pthread_t thread;
	int status = 0;

	pthread_barrier_init(&both, 0, 2);
	pthread_create(&thread, 0, many, 0);
	pthread_barrier_wait(&both);
	regions(5003);
	for (int i = 0; i < 20 && !status; i++) {
		if (fork() == 0) {
			regions(40);
			pthread_create(&thread, 0, few, 0);
			pthread_join(thread, 0);
			_exit(0);
		}
		wait(&status);
	}
	pthread_barrier_wait(&both);
	pthread_join(thread, 0);
	return status;
}
C
cat >ends.c <<'C'
#include <unistd.h>
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
static void quick(void *unused) { (void)unused; }
int main(int argc, char **argv)
{
	for (int i = 0; i < 5003; i++)
		GOMP_parallel(quick, 0, 1, 0);
	if (argc > 1)
		_exit(0);
	return 0;
}
C
gcc -O1 -shared -fPIC -o libinner.so inner.c
gcc -O1 -shared -fPIC -o libblas-stub.so blas.c -L. -linner -Wl,-rpath,"$TMP"
gcc -O1 -o main main.c -L. -lblas-stub -Wl,-rpath,"$TMP"
gcc -O1 -o later later.c -L. -lblas-stub -Wl,-rpath,"$TMP"
gcc -O1 -shared -fPIC -o libgomp-stub.so gomp.c
gcc -O1 -pthread -o forked forked.c -L. -lgomp-stub -Wl,-rpath,"$TMP"
gcc -O1 -o ends ends.c -L. -lgomp-stub -Wl,-rpath,"$TMP"
gcc -O1 -o regions regions.c -L. -lgomp-stub -linner -Wl,-rpath,"$TMP"

"$RECORD" -q --require -o trace -- ./main
"$REPORT" -q trace -o "$TMP/r.json"
row() { json 'row("breakdown", function="'"$1"'")["'"$2"'"]'; }
same "all are counted" 100000 "$(row cblas_sgemm calls)"
same "all operations are" $((100000 * 2 * 64 * 9)) "$(row cblas_sgemm flops)"
untimed=$(row cblas_sgemm untimed)
[ "$untimed" -gt 50000 ] || fail "only $untimed of 100000 tiny calls were not timed"
json 'row("breakdown", function="cblas_sgemm")["error_ns"] > 0' | grep -q True || fail "no error is told"
same "large ones are timed" None "$(row cblas_dgemm untimed)"
same "slow ones are timed" None "$(row cblas_cgemm untimed)"
nested=$(python3 -c 'print(sum(i % 199 == 7 for i in range(20000)))')
left=$(python3 -c 'print(sum(i % 199 == 0 for i in range(20000)))')
same "those that returned are counted" $((20000 - left)) "$(row cblas_sgemv calls)"
same "what nested is" "$nested" "$(row cblas_dgemv calls)"
same "and only there" 0 "$(row cblas_dgemv outer_ns)"
json 'row("breakdown", function="cblas_sgemv")["nested_ns"] > 0' | grep -q True || fail "no time of what nested is told"
untimed=$(row cblas_sgemv untimed)
[ "$untimed" -gt 10000 ] || fail "only $untimed of 20000 tiny calls were not timed"
same "the limits say it of both" 1 "$(json 'len([l for l in r["limits"] if l["kind"] == "untimed" and "cblas_sgemm by" in l["text"] and
	"cblas_sgemv by" in l["text"]])')"
same "exactness says it" sampled "$(json 'row("exactness", numbers="time of calls too short to time each")["exactness"]')"

# The first that is timed finds out.
"$RECORD" -q --require -o later-trace -- ./later
"$REPORT" -q later-trace -o "$TMP/r.json"
same "all are counted" 40000 "$(row cblas_sgemv calls)"
same "and what is inside" 20000 "$(row cblas_dgemv calls)"
json 'row("breakdown", function="cblas_dgemv")["outer_ns"] < row("breakdown", function="cblas_dgemv")["total_ns"] / 50' | grep -q True ||
	fail "outermost for $(row cblas_dgemv outer_ns) of $(row cblas_dgemv total_ns) ns"

"$RECORD" -q --require -o killed -- ./main hang && fail "it was not killed"
"$REPORT" --dump killed >events
grep 'dltrace_sample:thread .*function=[1-9].* state=0' events >last || fail "the call that it died in is not told"
now=$(sed 's/.* time=\([0-9]*\) .*/\1/' last) since=$(sed 's/.* since=\([0-9]*\) .*/\1/' last)
[ $((now - since)) -gt 1000000000 ] || fail "it is told to last for $((now - since)) ns"
[ $((now - since)) -lt 60000000000 ] || fail "it is told to last for $((now - since)) ns"

"$RECORD" -q --require -o regions-trace -- ./regions
"$REPORT" -q regions-trace -o "$TMP/r.json"
same "all regions are counted" 100000 "$(row GOMP_parallel calls)"
untimed=$(row GOMP_parallel untimed)
[ "$untimed" -gt 40000 ] || fail "only $untimed of 80000 quick regions were not timed"
[ "$untimed" -le 80000 ] || fail "$untimed regions were not timed, of 80000 quick ones"
json 'row("breakdown", function="GOMP_parallel")["total_ns"] > 20000 * 3000' | grep -q True || fail "not all slow ones are timed"
same "all that they call is counted" 20000 "$(row cblas_dgemv calls)"
same "inside of them" 0 "$(row cblas_dgemv outer_ns)"

"$RECORD" -q --require -o forked-trace -- ./forked
"$REPORT" -q forked-trace -o "$TMP/r.json"
counts=$(json '[b["calls"] for b in rows("breakdown", function="GOMP_parallel")]')
same "those of the parent, and of each child" "10006 80 21" \
	"$(python3 -c "c = $counts; print(max(c), *set(c) - {max(c)}, len(c))")"
same "the first of each is timed" True "$(json 'all(b["first_ns"] >= max(b["min_ns"], 1) for b in rows("breakdown", function="GOMP_parallel"))')"
untimed=$(json 'max(b["untimed"] or 0 for b in rows("breakdown", function="GOMP_parallel"))')
[ "$untimed" -le $((10006 - 2 * 256)) ] || fail "$untimed regions were not timed, of 10006"

# However a process ends, it pays what its last calls owe to the totals: several processes, since each may owe nothing.
session_start 'dltrace_sample:*'
for end in '' at-once; do
	boxes
	for i in 1 2 3 4 5; do
		LD_PRELOAD=$DLTRACE_LIB ./ends $end
	done
	"$APPS/boxdump" "$DLTRACE_BOX" >totals
	same "calls, and those in buckets ($end)" "5003 5003 5" \
		"$(awk '$2 == "GOMP_parallel" { print $4, $14 }' totals | sort | uniq -c | awk '{ print $2, $3, $1 }')"
done
session_stop
