# SPDX-License-Identifier: MIT
# Graphs inside of graphs: a child that gets other parameters in what can be launched, nodes inside of a child
# that are changed, switched, added and taken out, a child that was moved; updates from the same and from another
# graph; the bodies of conditional nodes. Kernels are compared with those that the stub GPU has executed; where
# nobody can know any more, the report says so.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >children.c <<'C'
#include <stddef.h>
#include <stdio.h>
struct dim3 { unsigned x, y, z; };
struct conditional { unsigned long long handle; int type; unsigned count; void **graphs; };
struct node_params { int type, reserved[3]; union { long long words[29]; struct { void *graph; int moved; } child;
	struct conditional conditional; }; long long end; };
int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, size_t, void *);
int cudaStreamCreate(void **);
int cudaStreamBeginCaptureToGraph(void *, void *, void *, void *, size_t, int);
int cudaStreamEndCapture(void *, void **);
int cudaGraphCreate(void **, unsigned);
int cudaGraphInstantiateWithFlags(void **, void *, unsigned long long);
int cudaGraphAddKernelNode(void **, void *, void *, size_t, void *);
int cudaGraphAddMemcpyNode1D(void **, void *, void *, size_t, void *, const void *, size_t, int);
int cudaGraphAddChildGraphNode(void **, void *, void *, size_t, void *);
int cudaGraphAddNode(void **, void *, void *, void *, size_t, struct node_params *);
int cudaGraphExecChildGraphNodeSetParams(void *, void *, void *);
int cudaGraphExecNodeSetParams(void *, void *, struct node_params *);
int cudaGraphExecMemcpyNodeSetParams1D(void *, void *, void *, const void *, size_t, int);
int cudaGraphMemcpyNodeSetParams1D(void *, void *, const void *, size_t, int);
int cudaGraphChildGraphNodeGetGraph(void *, void **);
int cudaGraphNodeFindInClone(void **, void *, void *);
int cudaGraphNodeSetEnabled(void *, void *, unsigned);
int cudaGraphExecUpdate(void *, void *, void *, void *);
int cudaGraphDestroyNode(void *);
int cudaGraphExecDestroy(void *);
int cudaGraphLaunch(void *, void *);
static void *stream, *exec, *kernel, *copy;
static int function;
static void launch(int times)
{
	while (times-- > 0)
		cudaGraphLaunch(exec, stream);
}
static void *kernels(int count, size_t bytes)
{
	void *graph;
	cudaGraphCreate(&graph, 0);
	while (count-- > 0)
		cudaGraphAddKernelNode(&kernel, graph, NULL, 0, NULL);
	if (bytes)
		cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, NULL, NULL, bytes, 1);
	return graph;
}
static void ready(void *graph, unsigned long long flags)
{
	cudaGraphInstantiateWithFlags(&exec, graph, flags);
}
/* Other parameters for a child, and for what is inside of it; each line is one row of `graphs`. */
static void children(void)
{
	struct node_params child = { .type = 4 };
	void *small = kernels(2, 100), *small_kernel = kernel, *small_copy = copy, *large = kernels(2, 700);
	void *graph, *node, *inside, *own_kernel, *own_copy;
	graph = kernels(1, 0);
	cudaGraphAddChildGraphNode(&node, graph, NULL, 0, small);
	cudaGraphChildGraphNodeGetGraph(node, &inside);
	cudaGraphNodeFindInClone(&own_kernel, small_kernel, inside);
	cudaGraphNodeFindInClone(&own_copy, small_copy, inside);
	ready(graph, 0);
	launch(1);							/* 3 kernels, 100 bytes */
	cudaGraphExecChildGraphNodeSetParams(exec, node, large);
	launch(2);							/* 3, 700 */
	child.child.graph = small;
	cudaGraphExecNodeSetParams(exec, node, &child);
	launch(3);							/* 3, 100 */
	cudaGraphExecMemcpyNodeSetParams1D(exec, own_copy, NULL, NULL, 300, 1);
	launch(4);							/* not known: it is a node of the first child */
	ready(graph, 0);
	cudaGraphExecMemcpyNodeSetParams1D(exec, own_copy, NULL, NULL, 300, 1);
	launch(5);							/* 3, 300 */
	cudaGraphNodeSetEnabled(exec, own_kernel, 0);
	launch(6);							/* 2, 300 */
	cudaGraphNodeSetEnabled(exec, own_copy, 0);
	launch(7);							/* 2, nothing */
	cudaGraphNodeSetEnabled(exec, own_kernel, 1);
	cudaGraphNodeSetEnabled(exec, own_copy, 1);
	cudaGraphExecChildGraphNodeSetParams(exec, node, large);
	launch(8);							/* 3, 700 */
	/* The graph itself has one more inside now, and then one less. */
	cudaGraphAddKernelNode(&kernel, inside, NULL, 0, NULL);
	ready(graph, 0);
	launch(9);							/* 4, 100 */
	cudaGraphDestroyNode(kernel);
	cudaGraphDestroyNode(own_kernel);
	cudaGraphMemcpyNodeSetParams1D(own_copy, NULL, NULL, 50, 1);
	ready(graph, 0);
	launch(10);							/* 2, 50 */
	/* Changed in the graph first, then in what was made of it before: not known. */
	cudaGraphMemcpyNodeSetParams1D(own_copy, NULL, NULL, 60, 1);
	cudaGraphExecMemcpyNodeSetParams1D(exec, own_copy, NULL, NULL, 70, 1);
	launch(11);
	/* A child that is no copy. */
	child.child.graph = small;
	child.child.moved = 1;
	graph = kernels(1, 0);
	cudaGraphAddNode(&node, graph, NULL, NULL, 0, &child);
	cudaGraphAddKernelNode(&kernel, small, NULL, 0, NULL);
	ready(graph, 0);
	launch(12);							/* 4, 100 */
}
static void updates(void)
{
	void *graph = kernels(3, 0), *node = kernel, *other = kernels(3, 0);
	ready(graph, 0);
	cudaGraphNodeSetEnabled(exec, node, 0);
	launch(13);							/* 2 */
	cudaGraphExecUpdate(exec, graph, NULL, NULL);
	launch(14);							/* 2: still off */
	cudaGraphExecUpdate(exec, other, NULL, NULL);
	launch(15);							/* which one is off is not known */
	ready(graph, 4);
	cudaGraphExecUpdate(exec, other, NULL, NULL);
	launch(16);							/* the GPU may still launch it */
	ready(graph, 0);
	cudaGraphExecUpdate(exec, kernels(3, 80), NULL, NULL);
	launch(17);							/* 3, 80 */
}
static void bodies(void)
{
	struct node_params p = { .type = 13, .conditional = { .count = 2 } };
	struct dim3 one = { 1, 1, 1 };
	void *graph = kernels(1, 0), *node, *captured;
	cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p);
	cudaGraphAddKernelNode(&kernel, p.conditional.graphs[0], NULL, 0, NULL);
	cudaGraphAddMemcpyNode1D(&copy, p.conditional.graphs[0], NULL, 0, NULL, NULL, 1000, 1);
	cudaStreamBeginCaptureToGraph(stream, p.conditional.graphs[1], NULL, NULL, 0, 0);
	cudaLaunchKernel(&function, one, one, NULL, 0, stream);
	cudaLaunchKernel(&function, one, one, NULL, 0, stream);
	cudaStreamEndCapture(stream, &captured);
	ready(graph, 0);
	launch(18);							/* 1, and 3 in two bodies */
}
int main(int argc, char **argv)
{
	cudaStreamCreate(&stream);
	children();
	updates();
	bodies();
	return 0;
}
C
gcc -o children children.c -L"$STUBS" -l:libcudart.so.13 -Wl,-rpath,"$STUBS"

export DLTRACE_STUB_GPU_NS=1000
DLTRACE_STUB_GPU_TRUTH=$TMP/truth "$RECORD" -q -o run -- ./children
"$REPORT" -q -f json -o report.json run || [ $? = 1 ]
# The launches of one thing that execute the same are one row: 1 + 3, and 13 + 14.
holds "each graph" '[.graphs[] | select(.graph != null) |
	[.launches, .kernels, .copy_bytes, .unsure, .conditional, .body_kernels]] | sort == ([
	[4, 3, 100, 0, 0, 0], [2, 3, 700, 0, 0, 0], [4, 3, 100, 1, 0, 0], [5, 3, 300, 0, 0, 0],
	[6, 2, 300, 0, 0, 0], [7, 2, 0, 0, 0, 0], [8, 3, 700, 0, 0, 0], [9, 4, 100, 0, 0, 0], [10, 2, 50, 0, 0, 0],
	[11, 2, 50, 1, 0, 0], [12, 4, 100, 0, 0, 0], [27, 2, 0, 0, 0, 0], [15, 3, 0, 1, 0, 0],
	[16, 3, 0, 1, 0, 0], [17, 3, 80, 0, 0, 0], [18, 1, 0, 1, 1, 3]] | sort)'
# What is counted, less the 15 that were off and nobody could know, and the 18 x 3 in bodies, which the stub runs once.
same "kernels that ran" "$(jq '([.graphs[] | select(.graph != null) | .executed] | add) - 15 + 18 * 3' report.json)" \
	"$(grep -c '^0 ' truth)"
holds "what nobody knows" '[.limits[].text | select(contains("64 launches of 5 CUDA graphs may have executed") and
	contains("18 of them came to 18 conditional nodes") and contains("each once: 54 kernels"))] | length == 1'
