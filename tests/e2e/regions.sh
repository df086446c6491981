# SPDX-License-Identifier: MIT
# Parallel regions of every kind that gcc makes, on its own libgomp: today's, one call each, and those of gcc until 4.8,
# which one call opens and another one closes: both are one call, as long as what lies between, which is inside of it;
# nested ones and those that are too short to be timed disturb nothing, nor does a jump to the end instead of a call.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >new.c <<'C'
#include <stdio.h>
int main(void)
{
	int sum = 0;

	for (int round = 0; round < 10; round++) {
#pragma omp parallel for schedule(dynamic) num_threads(2)
		for (int i = 0; i < 100; i++)
			__atomic_add_fetch(&sum, i, __ATOMIC_RELAXED);
#pragma omp parallel for schedule(guided) num_threads(2)
		for (int i = 0; i < 100; i++)
			__atomic_add_fetch(&sum, i, __ATOMIC_RELAXED);
#pragma omp parallel for schedule(runtime) num_threads(2)
		for (int i = 0; i < 100; i++)
			__atomic_add_fetch(&sum, i, __ATOMIC_RELAXED);
#pragma omp parallel for schedule(monotonic: dynamic) num_threads(2)
		for (int i = 0; i < 100; i++)
			__atomic_add_fetch(&sum, i, __ATOMIC_RELAXED);
#pragma omp parallel sections num_threads(2)
		{
#pragma omp section
			__atomic_add_fetch(&sum, 1, __ATOMIC_RELAXED);
#pragma omp section
			__atomic_add_fetch(&sum, 2, __ATOMIC_RELAXED);
		}
	}
	printf("%d\n", sum);
	return 0;
}
C
cat >inner.c <<'C'
void cblas_dgemv(int order, int t, int m, int n, double alpha, const void *a, int lda, const void *x, int incx, double beta,
		 void *y, int incy) { }
C
cat >quick.c <<'C'
static int last;
void GOMP_parallel_start(void (*function)(void *), void *data, unsigned width) { }
void GOMP_parallel_loop_static_start(void (*function)(void *), void *data, unsigned width, long from, long to, long step,
				     long chunk) { last = to; }
void GOMP_parallel_end(void) { }
void GOMP_loop_end_nowait(void) { }
_Bool GOMP_loop_static_next(long *from, long *to) { *from = 0; *to = last; last = 0; return *to; }
C
cat >old.c <<'C'
#include <stdio.h>
#include <time.h>
void GOMP_parallel_start(void (*)(void *), void *, unsigned);
void GOMP_parallel_loop_static_start(void (*)(void *), void *, unsigned, long, long, long, long);
void GOMP_parallel_end(void);
void GOMP_loop_end_nowait(void);
_Bool GOMP_loop_static_next(long *, long *);
void cblas_dgemv(int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
static int sum;
static void work(void *data)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 2000000);
	__atomic_add_fetch((int *)data, 1, __ATOMIC_RELAXED);
	cblas_dgemv(0, 0, 8, 8, 1, 0, 1, 0, 1, 0, 0, 1);
}
static void loop(void *data)
{
	long from, to;

	while (GOMP_loop_static_next(&from, &to))
		__atomic_add_fetch((int *)data, to - from, __ATOMIC_RELAXED);
	GOMP_loop_end_nowait();
}
static void quick(void *unused) { (void)unused; }
__attribute__((noinline)) static void quick_region(void)	/* at -O2 a jump to the end */
{
	GOMP_parallel_start(quick, 0, 1);
	quick(0);
	GOMP_parallel_end();
}
static void holding(void *unused)	/* the same as a part of another region */
{
	(void)unused;
	for (int i = 0; i < 100; i++)
		quick_region();
}
int main(void)
{
	for (int i = 0; i < 20; i++) {
		GOMP_parallel_start(work, &sum, 2);
		work(&sum);
		GOMP_parallel_end();
	}
	for (int i = 0; i < 10; i++) {
		GOMP_parallel_loop_static_start(loop, &sum, 2, 0, 1000, 1, 0);
		loop(&sum);
		GOMP_parallel_end();
	}
	for (int i = 0; i < 20000; i++)
		quick_region();
	for (int i = 0; i < 10; i++) {
		GOMP_parallel_loop_static_start(holding, 0, 1, 0, 1, 1, 0);
		holding(0);
		GOMP_parallel_end();
	}
	for (int i = 0; i < 5; i++) {
		GOMP_parallel_start(work, &sum, 1);
		work(&sum);
		GOMP_parallel_end();
	}
	printf("%d\n", sum);
	return 0;
}
C
cat >runtime.c <<'C'
#include <stdlib.h>
static int open;
void GOMP_parallel_start(void (*function)(void *), void *data, unsigned width) { open++; }
void GOMP_parallel_end(void) { if (!open--) abort(); }
C
cat >region.c <<'C'
void GOMP_parallel_start(void (*)(void *), void *, unsigned);
void GOMP_parallel_end(void);
static void nothing(void *unused) { }
void region(void)	/* jumps to the end */
{
	GOMP_parallel_start(nothing, 0, 1);
	GOMP_parallel_end();
}
void around(void (*function)(void))	/* whose OpenMP is another one */
{
	GOMP_parallel_start(nothing, 0, 1);
	GOMP_parallel_end();
	for (int i = 0; i < 1000; i++)
		function();
}
C
cat >two.c <<'C'
#include <dlfcn.h>
int main(void)
{
	void *one = dlopen("./libregion-one.so", RTLD_NOW | RTLD_LOCAL), *two = dlopen("./libregion-two.so", RTLD_NOW | RTLD_LOCAL);
	void (*around)(void (*)(void)) = dlsym(two, "around");
	void (*call)(void (*)(void)) = dlsym(one, "around");

	around(dlsym(one, "region"));
	call(dlsym(two, "region"));
	return 0;
}
C
for one in one two; do
	gcc -O1 -shared -fPIC -o "libgomp-$one.so" runtime.c
	gcc -O2 -shared -fPIC -o "libregion-$one.so" region.c -L. "-lgomp-$one" -Wl,-rpath,"$TMP"
done
gcc -O1 -o two two.c
gcc -O2 -fopenmp -o new new.c
gcc -O1 -shared -fPIC -o libinner.so inner.c
gcc -O1 -shared -fPIC -o libquick.so quick.c
gcc -O2 -o old-quick old.c -L. -linner -lquick -Wl,-rpath,"$TMP"
gcc -O2 -o old old.c -L. -linner -lgomp -Wl,-rpath,"$TMP"

regions() {	# FILE: "NAME CALLS" of all
	"$REPORT" -q "$1" -o "$TMP/r.json"
	json '" ".join("%s %d" % (b["function"], b["calls"]) for b in sorted(rows("breakdown", layer="openmp"), key=lambda b: b["function"]))'
}
same "the sum" 198030 "$("$RECORD" -q --require -o new-trace -- ./new)"
same "every schedule" "GOMP_parallel_loop_dynamic 10 GOMP_parallel_loop_maybe_nonmonotonic_runtime 10 \
GOMP_parallel_loop_nonmonotonic_dynamic 10 GOMP_parallel_loop_nonmonotonic_guided 10 GOMP_parallel_sections 10" \
	"$(regions new-trace)"

same "what they compute" 10045 "$("$RECORD" -q --require -o old-trace -- ./old)"
same "one call each" "GOMP_parallel_loop_static_start 20 GOMP_parallel_start 21025" "$(regions old-trace)"
row() { json 'row("breakdown", function="'"$1"'")["'"$2"'"]'; }
[ "$(row GOMP_parallel_start total_ns)" -ge 50000000 ] || fail "the time between is missing: $(row GOMP_parallel_start total_ns) ns"
same "what they call is counted" 45 "$(row cblas_dgemv calls)"
json 'row("breakdown", function="GOMP_parallel_start")["nested_ns"] > 0' | grep -q True || fail "what they call is not inside"
# By what is inside: a busy machine holds up some of the 21,000 short ones for as long.
long=$("$REPORT" --dump old-trace | grep 'dltrace_cpu:region .* nested=1 .*width=[12]' | sed -n 's/.* duration=\([0-9]*\).*/\1/p' |
	awk '$1 >= 2000000' | wc -l)
same "they are events" 25 "$long"

# Where they are over at once they are only counted, which disturbs none of the others.
same "what they compute" 10025 "$("$RECORD" -q --require -o quick-trace -- ./old-quick)"
same "one call each" "GOMP_parallel_loop_static_start 20 GOMP_parallel_start 21025" "$(regions quick-trace)"
[ "$(row GOMP_parallel_start untimed)" -gt 15000 ] || fail "only $(row GOMP_parallel_start untimed) were not timed"
[ "$(row GOMP_parallel_start total_ns)" -ge 50000000 ] || fail "the time between is missing: $(row GOMP_parallel_start total_ns) ns"
same "what they call is counted" 25 "$(row cblas_dgemv calls)"
same "inside of them" 0 "$(row cblas_dgemv outer_ns)"

# A jump to the end has its function's caller's return address: whose OpenMP that is, the start says.
LD_PRELOAD=$DLTRACE_LIB ./two || fail "a region was closed by another OpenMP than opened it, unheard"
"$RECORD" -q --require -o two-trace -- ./two || fail "a region was closed by another OpenMP than opened it"
same "and all are counted" "GOMP_parallel_start 1001 GOMP_parallel_start 1001" "$(regions two-trace)"

# clang hands over a pointer for each variable of a region, some in registers and the others on the stack: however many
# there are.
command -v clang >/dev/null || exit 0
for many in 1 2 3 4 5 12 13 257 700; do
	{
		echo '#include <stdio.h>'
		echo 'int main(void) { long sum = 0;'
		seq $many | sed 's/.*/long v& = &;/'
		echo 'for (int round = 0; round < 5; round++) {'
		echo '#pragma omp parallel num_threads(2) reduction(+ : sum)'
		echo '{'
		seq $many | sed 's/.*/sum += v& * &;/'
		echo '} }'
		echo 'printf("%ld", sum); return 0; }'
	} >many.c
	clang -O0 -fopenmp -o many many.c 2>/dev/null || exit 0
	rm -rf many-trace
	same "what $many variables come to" $((10 * many * (many + 1) * (2 * many + 1) / 6)) \
		"$("$RECORD" -q --require -o many-trace -- ./many)"
	same "regions with $many variables" "__kmpc_fork_call 5" "$(regions many-trace)"
	[ $many -lt 257 ] ||	# the others may be over within a microsecond
		same "they are events" 5 "$("$REPORT" --dump many-trace | grep -c 'dltrace_cpu:region ')"
done
