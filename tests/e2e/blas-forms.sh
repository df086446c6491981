# SPDX-License-Identifier: MIT
# Matrix products by the names of BLAS with 64-bit integers (NumPy's own OpenBLAS), groups of products and packed ones
# (MKL), oneDNN's: all are counted, with all their operations, linked and by dlsym.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >blas.c <<'C'
void dgemm_64_(const char *ta, const char *tb, const long *m, const long *n, const long *k, const double *alpha,
	       const double *a, const long *lda, const double *b, const long *ldb, const double *beta, double *c,
	       const long *ldc, unsigned long ta_len, unsigned long tb_len) { }
void scipy_cblas_sgemm64_(int order, int ta, int tb, long m, long n, long k, float alpha, const float *a, long lda,
			  const float *b, long ldb, float beta, float *c, long ldc) { *c = alpha + beta; }
void cblas_dgemv64_(int order, int t, long m, long n, double alpha, const double *a, long lda, const double *x, long incx,
		    double beta, double *y, long incy) { *y = alpha + beta; }
void cblas_sgemm_batch(int order, const int *ta, const int *tb, const int *m, const int *n, const int *k,
		       const float *alpha, const float **a, const int *lda, const float **b, const int *ldb,
		       const float *beta, float **c, const int *ldc, int groups, const int *sizes) { **c = groups; }
void cblas_sgemm_compute(int order, int ta, int tb, int m, int n, int k, const float *a, int lda, const float *b, int ldb,
			 float beta, float *c, int ldc) { *c = beta; }
int dnnl_sgemm(char ta, char tb, long m, long n, long k, float alpha, const float *a, long lda, const float *b, long ldb,
	       float beta, float *c, long ldc) { return lda < 0; }
C
cat >main.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
void dgemm_64_(const char *, const char *, const long *, const long *, const long *, const double *, const double *,
	       const long *, const double *, const long *, const double *, double *, const long *, unsigned long,
	       unsigned long);
void scipy_cblas_sgemm64_(int, int, int, long, long, long, float, const float *, long, const float *, long, float,
			  float *, long);
void cblas_dgemv64_(int, int, long, long, double, const double *, long, const double *, long, double, double *, long);
void cblas_sgemm_compute(int, int, int, int, int, int, const float *, int, const float *, int, float, float *, int);
int dnnl_sgemm(char, char, long, long, long, float, const float *, long, const float *, long, float, float *, long);
int main(void)
{
	static const int m[] = { 2, 3 }, n[] = { 4, 5 }, k[] = { 6, 7 }, sizes[] = { 10, 100 };
	void (*batch)(int, const int *, const int *, const int *, const int *, const int *, const float *, const float **,
		      const int *, const float **, const int *, const float *, float **, const int *, int, const int *) =
		dlsym(RTLD_DEFAULT, "cblas_sgemm_batch");
	long much = 3000000000, one = 1, two = 2;
	float f = 0, *fs[] = { &f };
	double d = 0;

	dgemm_64_("N", "N", &much, &one, &two, &d, &d, &one, &d, &one, &d, &d, &one, 1, 1);
	scipy_cblas_sgemm64_(0, 0, 0, much, 1, 3, 1.5, &f, 1, &f, 1, 2.5, &f, 1);
	printf("%g ", f);
	cblas_dgemv64_(0, 0, much, 1, 1.25, &d, 1, &d, 1, 2.25, &d, 1);
	batch(0, 0, 0, m, n, k, 0, 0, 0, 0, 0, 0, fs, 0, 2, sizes);
	printf("%g %g ", d, f);
	cblas_sgemm_compute(0, 0, 0, 8, 9, 10, &f, 1, &f, 1, 7.5, &f, 1);
	printf("%g ", f);
	printf("%d %d\n", dnnl_sgemm('N', 'N', 5, 6, 7, 1, &f, 1, &f, 1, 1, &f, 1),
	       dnnl_sgemm('N', 'N', 5, 6, 7, 1, &f, -1, &f, 1, 1, &f, 1));
	return 0;
}
C
gcc -O1 -shared -fPIC -o libblas-stub.so blas.c
gcc -O1 -o main main.c -L. -lblas-stub -Wl,-rpath,"$TMP"
same "as without" "$(./main)" "$("$RECORD" -q --require -o trace -- ./main)"
"$REPORT" -q trace -o "$TMP/r.json"
same "each once, with its operations" "cblas_dgemv64_ 1 6000000000
cblas_sgemm_batch 1 $((2 * (2 * 4 * 6 * 10 + 3 * 5 * 7 * 100)))
cblas_sgemm_compute 1 1440
dgemm_64_ 1 12000000000
dnnl_sgemm 2 420
scipy_cblas_sgemm64_ 1 18000000000" \
	"$(json '"\n".join(sorted("%s %d %d" % (b["function"], b["calls"], b["flops"]) for b in r["breakdown"] if b["layer"] in ("blas", "dnn")))')"
same "one failed" 1 "$(json 'row("breakdown", function="dnnl_sgemm")["failed"]')"
