# SPDX-License-Identifier: MIT
# CPU compute with the real libraries: OpenBLAS products with their shapes, OpenMP regions of gcc's
# (and, where it is installed, clang's) runtime; results are right; short calls only count.
. "$top_srcdir/tests/lib.sh"
need gcc
need babeltrace2

cat >blas.c <<'C'
#include <stdio.h>
#include <stdlib.h>
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
void sgemm_(const char *, const char *, const int *, const int *, const int *, const float *, const float *, const int *,
	    const float *, const int *, const float *, float *, const int *);
void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *, const double *, const int *,
	    const double *, double *, const int *);
int main(void)
{
	int m = 96, n = 80, k = 64, one = 1, rows = 960, columns = 640;
	double *a = calloc(m * k, 8), *b = calloc(k * n, 8), *c = calloc(m * n, 8), alpha = 2, beta = 0;
	double *big = calloc(rows * columns, 8), *x = calloc(columns, 8), *y = calloc(rows, 8);
	float *fa = calloc(m * k, 4), *fb = calloc(k * n, 4), *fc = calloc(m * n, 4), falpha = 1, fbeta = 0;
	for (int i = 0; i < m * k; i++) a[i] = fa[i] = 1;
	for (int i = 0; i < k * n; i++) b[i] = fb[i] = 1;
	for (int i = 0; i < 10; i++) {
		cblas_dgemm(102, 111, 111, m, n, k, alpha, a, m, b, k, beta, c, m);
		sgemm_("N", "N", &m, &n, &k, &falpha, fa, &m, fb, &k, &fbeta, fc, &m);
		dgemv_("N", &rows, &columns, &alpha, big, &rows, x, &one, &beta, y, &one);
	}
	printf("%g %g\n", c[0], fc[m * n - 1]);
	m = n = k = 1;
	for (int i = 0; i < 1000; i++)
		cblas_dgemm(102, 111, 111, m, n, k, alpha, a, m, b, k, beta, c, m);
	return 0;
}
C
gcc -o blas blas.c -lopenblas 2>/dev/null || skip "OpenBLAS is not installed (apt install libopenblas-dev)"
cat >omp.c <<'C'
#include <stdio.h>
int main(void)
{
	int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12, m = 13, sum = 0;
	for (int turn = 0; turn < 20; turn++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
		for (volatile int spin = 0; spin < 20000; spin++)
			if (!spin)
				sum += a + b + c + d + e + f + g + h + i + j + k + l + m;
	}
	printf("%d\n", sum);
	return 0;
}
C
gcc -O0 -fopenmp -o omp omp.c
clang -O0 -fopenmp -o kmp omp.c 2>/dev/null || rm -f kmp

mkdir -m 700 box
session_start 'dltrace_*'
export OPENBLAS_NUM_THREADS=1 DLTRACE_BOX=$TMP/box
same "product" "128 64" "$(LD_PRELOAD=$DLTRACE_LIB ./blas)"
same "gcc's regions" 3640 "$(LD_PRELOAD=$DLTRACE_LIB ./omp)"
[ ! -e kmp ] || same "clang's regions" 3640 "$(LD_PRELOAD=$DLTRACE_LIB ./kmp)"
session_stop
babeltrace2 "$TMP/trace" >text
"$APPS/boxdump" box >totals

same "gemm with its shape" 20 "$(grep -c 'dltrace_cpu:blas.* m = 96, n = 80, k = 64' text)"
same "gemv with its shape" 10 "$(grep -c 'dltrace_cpu:blas.* m = 960, n = 1, k = 640' text)"
same "operations" "1010 $((10 * 2 * 96 * 80 * 64 + 1000 * 2))" "$(awk '$2 == "cblas_dgemm" { print $4, $13 }' totals)"
short=$(grep -c 'dltrace_cpu:blas.* m = 1, n = 1, k = 1' text || :)
[ "$short" -lt 500 ] || fail "$short of 1000 products of a microsecond at most are events"
same "gcc's regions are counted" 20 "$(awk '$2 == "GOMP_parallel" { print $4 }' totals)"
grep -q 'dltrace_cpu:region.* width = 2' text || fail "no region says how many threads it asks for"
[ ! -e kmp ] || same "clang's regions are counted" 20 "$(awk '$2 == "__kmpc_fork_call" { print $4 }' totals)"
