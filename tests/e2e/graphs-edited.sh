# SPDX-License-Identifier: MIT
# Graphs whose parts change behind the capture: nodes that are taken out or switched off, added by
# hand meanwhile, launched by a library of communication, or left to the GPU. What is counted is what the stub
# GPU has executed; where nobody can know, the report says so. Handles come again at once.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >nccl.c <<'C'
#include <stddef.h>
struct dim3 { unsigned x, y, z; };
int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, size_t, void *);
int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream)
{
	struct dim3 one = { 1, 1, 1 };
	return cudaLaunchKernel((const void *)ncclAllReduce, one, one, NULL, 0, stream);
}
C
cat >edited.c <<'C'
#include <stddef.h>
#include <stdint.h>
#include <string.h>
struct dim3 { unsigned x, y, z; };
int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, size_t, void *);
int cudaMemsetAsync(void *, int, size_t, void *);
int cudaStreamCreate(void **);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaStreamGetCaptureInfo(void *, void *, unsigned long long *, void **, void *, void *, size_t *);
int cudaGraphCreate(void **, unsigned);
int cudaGraphInstantiateWithFlags(void **, void *, unsigned long long);
int cudaGraphAddKernelNode(void **, void *, void *, size_t, void *);
int cudaGraphAddNode(void **, void *, void *, void *, size_t, void *);
int cudaGraphGetNodes(void *, void **, size_t *);
int cudaGraphNodeGetType(void *, int *);
int cudaGraphDestroyNode(void *);
int cudaGraphNodeSetEnabled(void *, void *, unsigned);
int cudaGraphLaunch(void *, void *);
int cudaGraphDestroy(void *);
int cudaGraphExecDestroy(void *);
int ncclAllReduce(const void *, void *, size_t, int, int, void *, void *);
int stub_nodes(const void *, void **, size_t *);
static int kernel;
static const struct dim3 one = { 1, 1, 1 };
static void *stream, *graph, *exec, *node, *nodes[16];
static void launches(int n)
{
	while (n-- > 0)
		cudaLaunchKernel(&kernel, one, one, NULL, 0, stream);
}
static void execute(unsigned long long flags, int times)
{
	cudaGraphInstantiateWithFlags(&exec, graph, flags);
	while (times-- > 0)
		cudaGraphLaunch(exec, stream);
}
static size_t captured(int kernels)
{
	size_t count = 16;
	cudaStreamBeginCapture(stream, 0);
	launches(kernels);
	cudaMemsetAsync(NULL, 0, 8, stream);
	cudaStreamEndCapture(stream, &graph);
	cudaGraphGetNodes(graph, nodes, &count);
	return count;
}
int main(int argc, char **argv)
{
	struct { int type, reserved[3]; long long rest[32]; } conditional = { .type = 13 };
	size_t count;
	int type;

	cudaStreamCreate(&stream);
	/* The same handles each time: 3 launches of 2 kernels. */
	for (int i = 0; i < 3; i++) {
		cudaGraphCreate(&graph, 0);
		cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL);
		cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL);
		execute(0, 1);
		cudaGraphExecDestroy(exec);
		cudaGraphDestroy(graph);
	}
	if (argc > 1)
		return 0;
	/* 4 captured, one taken out, one switched off for one of two launches: 2 and 3 kernels. */
	count = captured(4);
	for (size_t i = 0; i < count; i++)
		cudaGraphNodeGetType(nodes[i], &type);
	cudaGraphDestroyNode(nodes[0]);
	cudaGraphInstantiateWithFlags(&exec, graph, 0);
	cudaGraphNodeSetEnabled(exec, nodes[1], 0);
	cudaGraphLaunch(exec, stream);
	cudaGraphNodeSetEnabled(exec, nodes[1], 1);
	cudaGraphLaunch(exec, stream);
	/* Added by hand while it is captured, twice launched: 2 kernels. */
	cudaStreamBeginCapture(stream, 0);
	launches(1);
	cudaStreamGetCaptureInfo(stream, &type, NULL, &graph, NULL, NULL, NULL);
	cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL);
	cudaStreamEndCapture(stream, &graph);
	execute(0, 2);
	/* By a library of communication, four times: 1 kernel. */
	cudaStreamBeginCapture(stream, 0);
	ncclAllReduce(NULL, NULL, 1, 7, 0, NULL, stream);
	cudaStreamEndCapture(stream, &graph);
	execute(0, 4);
	/* What nobody asked for the kind of: it may have been the set. */
	captured(2);
	cudaGraphDestroyNode(nodes[2]);
	execute(0, 1);
	/* What the GPU decides: a conditional node; launches of its own. */
	cudaGraphCreate(&graph, 0);
	cudaGraphAddNode(&node, graph, NULL, NULL, 0, &conditional);
	execute(0, 5);
	cudaGraphCreate(&graph, 0);
	cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL);
	execute(4, 6);
	/* A node that nobody saw it ask for: one of the 3 kernels. */
	cudaStreamBeginCapture(stream, 0);
	launches(3);
	cudaStreamEndCapture(stream, &graph);
	count = 16;
	stub_nodes(graph, nodes, &count);
	cudaGraphDestroyNode(nodes[0]);
	execute(0, 1);
	return 0;
}
C
gcc -shared -fPIC -o libnccl.so.2 nccl.c -L"$STUBS" -l:libcudart.so.13 -Wl,-rpath,"$STUBS" -Wl,-soname,libnccl.so.2
gcc -o edited edited.c ./libnccl.so.2 -L"$STUBS" -l:libcudart.so.13 -Wl,-rpath,"$TMP" -Wl,-rpath,"$STUBS"

export DLTRACE_STUB_GPU_NS=1000
DLTRACE_STUB_GPU_TRUTH=$TMP/truth "$RECORD" -q -o run -- ./edited
"$REPORT" -q -f json -o report.json run || [ $? = 1 ]
same "kernels that ran" 29 "$(grep -c '^0 ' truth)"
holds "as many are counted, and one of which nobody knows" '[.graphs[] | select(.graph != null) | .executed] | add == 30'
# Those at one address that have the same work, one after the other, are one row, if malloc gives it again.
holds "each graph" '[.graphs[] | select(.graph != null)] | group_by(.kernels, .sets, .unsure) |
	map([.[0].kernels, .[0].sets, .[0].unsure, (map(.launches) | add)]) | sort == ([[2, 0, 0, 5], [2, 1, 0, 1],
	[3, 1, 0, 1], [1, 0, 0, 4], [2, 1, 1, 1], [0, 0, 1, 5], [1, 0, 1, 6], [3, 0, 1, 1]] | sort)'
holds "what nobody knows" '[.limits[] | select(.text | contains("13 launches of 4 CUDA graphs may have executed"))] | length == 1'

# The driver's call inside the runtime's says the same node: it counts once.
DLTRACE_STUB_GPU_TRUTH=$TMP/truth-over DLTRACE_STUB_OVER=1 "$RECORD" -q -o over -- ./edited built
"$REPORT" -q -f json -o report.json over || [ $? = 1 ]
same "kernels that ran, over the driver" 6 "$(grep -c "^0 " truth-over)"
holds "over the driver" '[.graphs[] | select(.graph != null) | .executed] | add == 6'
