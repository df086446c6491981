# SPDX-License-Identifier: MIT
# The default stream of a thread is another one in each: what one thread captures on it (by its handle, or
# by functions to which 0 means it) is not executed, what others launch meanwhile is.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

cat >threads.c <<'C'
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
struct dim3 { unsigned x, y, z; };
int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, size_t, void *);
int cudaLaunchKernel_ptsz(const void *, struct dim3, struct dim3, void **, size_t, void *);
int cudaMemcpyAsync_ptsz(void *, const void *, size_t, int, void *);
int cudaMemcpyBatchAsync_ptsz(void **, void **, size_t *, size_t, void *, size_t *, size_t, void *);
int cudaEventCreate(void **);
int cudaEventRecord_ptsz(void *, void *);
int cudaStreamWaitEvent_ptsz(void *, void *, unsigned);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaGraphInstantiate(void **, void *, unsigned long long, void *, size_t);
int cudaGraphLaunch(void *, void *);
static int kernel;
static const struct dim3 grid = { 2, 3, 4 }, block = { 64, 1, 1 };
static void *const mine = (void *)(uintptr_t)2;
static void *event;
static pthread_barrier_t barrier;
static void launch(int n, void *stream)
{
	while (n-- > 0)
		cudaLaunchKernel(&kernel, grid, block, NULL, 0, stream);
}
static void launch_own(int n)
{
	while (n-- > 0)
		cudaLaunchKernel_ptsz(&kernel, grid, block, NULL, 0, NULL);
}
static void *other(void *unused)
{
	pthread_barrier_wait(&barrier);
	launch(2, mine);
	launch_own(1);
	launch(1, NULL);
	pthread_barrier_wait(&barrier);		/* the other's is captured no more */
	pthread_barrier_wait(&barrier);		/* and again */
	cudaStreamWaitEvent_ptsz(NULL, event, 0);
	launch_own(7);				/* captured: ours has joined */
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	launch_own(8);
	return unused;
}
int main(void)
{
	void *graph, *exec;
	pthread_t thread;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, other, NULL);
	cudaEventCreate(&event);
	cudaStreamBeginCapture(mine, 0);
	launch(3, mine);			/* captured */
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	cudaStreamEndCapture(mine, &graph);
	cudaGraphInstantiate(&exec, graph, 0, NULL, 0);
	cudaGraphLaunch(exec, NULL);		/* 3 */
	launch(1, mine);
	cudaStreamBeginCapture(mine, 0);
	launch_own(5);				/* captured */
	cudaMemcpyAsync_ptsz(NULL, NULL, 8, 1, NULL);
	cudaMemcpyBatchAsync_ptsz(&(void *){ NULL }, &(void *){ NULL }, &(size_t){ 8 }, 1, NULL, NULL, 0, NULL);
	cudaEventRecord_ptsz(event, NULL);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	cudaStreamEndCapture(mine, &graph);
	pthread_barrier_wait(&barrier);
	cudaGraphInstantiate(&exec, graph, 0, NULL, 0);
	cudaGraphLaunch(exec, NULL);		/* 5 + 7 */
	pthread_join(thread, NULL);
	return 0;
}
C
gcc -o threads threads.c -L"$STUBS" -l:libcudart.so.13 -Wl,-rpath,"$STUBS" -lpthread
"$RECORD" -q -o trace -- ./threads
"$REPORT" -q -o report.json trace
holds "kernels" '.kernels | length == 1 and .[0].launches == 13 and .[0].captured == 15'
holds "graphs" '[.graphs[] | select(.graph) | [.launches, .kernels, .copies, .executed]] | sort == [[1, 3, 0, 3], [1, 12, 2, 12]]'
