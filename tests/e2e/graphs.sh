# SPDX-License-Identifier: MIT
# What is captured is not executed, also on streams that join by an event; a graph's launch executes
# what was captured or built into it; and nothing of that depends on somebody listening meanwhile.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >graphs.c <<'C'
#include <stddef.h>
#include <stdio.h>
struct dim3 { unsigned x, y, z; };
int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, size_t, void *);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaMemsetAsync(void *, int, size_t, void *);
int cudaStreamCreate(void **);
int cudaEventCreate(void **);
int cudaEventRecord(void *, void *);
int cudaStreamWaitEvent(void *, void *, unsigned);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaGraphCreate(void **, unsigned);
int cudaGraphInstantiate(void **, void *, unsigned long long, void *, size_t);
int cudaGraphClone(void **, void *);
int cudaGraphAddKernelNode(void **, void *, void *, size_t, void *);
int cudaGraphAddMemsetNode(void **, void *, void *, size_t, void *);
int cudaGraphAddChildGraphNode(void **, void *, void *, size_t, void *);
int cudaGraphAddNode(void **, void *, void *, void *, size_t, void *);
int cudaGraphLaunch(void *, void *);
int cudaGraphDestroyNode(void *);
int cudaGraphNodeSetEnabled(void *, void *, unsigned);
static int kernel;
static const struct dim3 grid = { 2, 3, 4 }, block = { 64, 1, 1 };
static void *a, *b, *event, *other;
static void launch(int n, void *stream)
{
	while (n-- > 0)
		cudaLaunchKernel(&kernel, grid, block, NULL, 0, stream);
}
static void *capture(void)
{
	void *graph;
	cudaStreamBeginCapture(a, 0);
	launch(3, a);
	cudaMemcpyAsync(NULL, NULL, 100, 1, a);
	cudaEventRecord(event, a);
	launch(1, b);			/* not yet a part of it */
	cudaStreamWaitEvent(b, event, 0);
	launch(2, b);
	cudaMemsetAsync(NULL, 0, 100, b);
	cudaEventRecord(other, b);
	cudaStreamWaitEvent(a, other, 0);
	launch(1, NULL);		/* another one */
	cudaStreamEndCapture(a, &graph);
	launch(4, b);			/* executed again */
	return graph;
}
/* Of three kernels one is taken out, and one is switched off for a while: 1, 1, 2. */
static void edited(void)
{
	void *graph, *exec, *nodes[3];
	cudaGraphCreate(&graph, 0);
	for (int i = 0; i < 3; i++)
		cudaGraphAddKernelNode(&nodes[i], graph, NULL, 0, NULL);
	cudaGraphDestroyNode(nodes[0]);
	cudaGraphInstantiate(&exec, graph, 0, NULL, 0);
	cudaGraphNodeSetEnabled(exec, nodes[1], 0);
	cudaGraphNodeSetEnabled(exec, nodes[1], 0);
	cudaGraphLaunch(exec, a);
	cudaGraphLaunch(exec, a);
	cudaGraphNodeSetEnabled(exec, nodes[1], 1);
	cudaGraphLaunch(exec, a);
}
int main(void)
{
	long long set[5] = { 0 };
	struct { int type, reserved[3]; void *child; } params = { 4, { 0 }, NULL };
	void *graph, *exec, *clone, *built, *node;
	cudaStreamCreate(&a);
	cudaStreamCreate(&b);
	cudaEventCreate(&event);
	cudaEventCreate(&other);
	graph = capture();
	cudaGraphInstantiate(&exec, graph, 0, NULL, 0);
	for (int i = 0; i < 10; i++)
		cudaGraphLaunch(exec, a);			/* 10 x 5 kernels */
	cudaGraphCreate(&built, 0);
	cudaGraphAddKernelNode(&node, built, NULL, 0, NULL);
	cudaGraphAddMemsetNode(&node, built, NULL, 0, set);
	cudaGraphAddChildGraphNode(&node, built, NULL, 0, graph);	/* 5 more */
	params.child = graph;
	cudaGraphAddNode(&node, built, NULL, NULL, 0, &params);	/* and 5 */
	cudaGraphClone(&clone, built);
	cudaGraphInstantiate(&exec, clone, 0, NULL, 0);
	for (int i = 0; i < 3; i++)
		cudaGraphLaunch(exec, NULL);			/* 3 x 11 */
	cudaStreamBeginCapture(b, 0);
	launch(2, b);
	cudaGraphLaunch(exec, b);				/* captured: 11 */
	cudaStreamEndCapture(b, &graph);
	cudaGraphInstantiate(&exec, graph, 0, NULL, 0);
	cudaGraphLaunch(exec, b);				/* 13 */
	edited();
	return 0;
}
C
gcc -o graphs graphs.c -L"$STUBS" -l:libcudart.so.13 -Wl,-rpath,"$STUBS"

# recorded EVENTS...: makes report.json
recorded() {
	rm -rf "$TMP/trace"
	session_start "$@"
	LD_PRELOAD=$DLTRACE_LIB ./graphs
	session_stop
	"$REPORT" -q -f json -o report.json "$TMP/trace" || [ $? = 1 ]
}
recorded 'dltrace_*'
holds "kernels" '.kernels | length == 1 and .[0].launches == 6 and .[0].captured == 7'
holds "what is captured moves nothing" '[.breakdown[] | select(.function == ("cudaMemcpyAsync", "cudaMemsetAsync")) | .bytes // 0] == [0, 0]'
holds "graphs" '[.graphs[] | [.graph != null, .launches, .captured, .kernels, .copies, .sets, .executed]] | sort ==
	([[false, 6, 7, 1, null, null, 6], [true, 10, 0, 5, 1, 1, 50], [true, 3, 1, 11, 2, 3, 33], [true, 1, 0, 13, 2, 3, 13],
	  [true, 2, 0, 1, 0, 0, 2], [true, 1, 0, 2, 0, 0, 2]] | sort)'
"$REPORT" -q "$TMP/trace" >text || [ $? = 1 ]
grep -q 'GPU kernels.*106 executed: 6 one by one, 100 by 17 launches of graphs; 7' text ||
	fail "not in the text report: $(grep 'GPU kernels' text)"

# Nobody listens to what is made; the launches of graphs know all the same.
recorded 'dltrace_proc:*' 'dltrace_cuda:launch'
holds "graphs, launches only" '[.graphs[] | .executed] | add == 106'
