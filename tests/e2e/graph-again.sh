# SPDX-License-Identifier: MIT
# A graph that is captured once more has the work of the second time, not that of both; a node that is a batch of
# copies is one copy of them all; by the runtime and by the driver's newest forms.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >again.c <<'C'
#include <stddef.h>
struct batch { size_t count; void **to, **from; const size_t *sizes; };
struct copy { struct { int type; unsigned long long words[2]; } from, to; size_t size; unsigned flags; };
struct fabric { size_t count; const struct copy *copies; };
struct node_params { int type, reserved[3]; union { long long words[29]; struct batch batch; struct fabric fabric; };
	long long end; };
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaMemsetAsync(void *, int, size_t, void *);
int cudaStreamCreate(void **);
int cudaStreamBeginCapture(void *, int);
int cudaStreamBeginRecaptureToGraph(void *, int, void *, void *);
int cudaStreamEndCapture(void *, void **);
int cudaGraphCreate(void **, unsigned);
int cudaGraphAddNode(void **, void *, void *, void *, size_t, struct node_params *);
int cudaGraphInstantiateWithFlags(void **, void *, unsigned long long);
int cudaGraphGetNodes(void *, void **, size_t *);
int cudaGraphNodeGetType(void *, int *);
int cudaGraphDestroyNode(void *);
int cudaGraphLaunch(void *, void *);
int cuStreamCreate(void **, unsigned);
int cuStreamBeginCapture_v2(void *, int);
int cuStreamBeginRecaptureToGraph(void *, int, void *, void *, void *);
int cuStreamEndCapture(void *, void **);
int cuFabricCpyBatchAsync(size_t, const struct copy *, unsigned long long, void *);
int cuGraphCreate(void **, unsigned);
int cuGraphAddNode_v3(void **, void *, void *, void *, size_t, struct node_params *);
int cuGraphNodeSetParams_v2(void *, struct node_params *);
int cuGraphInstantiateWithFlags(void **, void *, unsigned long long);
int cuGraphLaunch(void *, void *);
static const size_t sizes[] = { 10, 20, 30 }, larger[] = { 10, 20, 40 };
static const struct copy copies[] = { { .size = 5 }, { .size = 6 } };
static void *stream, *graph, *exec, *node;
static void launch(int times)
{
	cudaGraphInstantiateWithFlags(&exec, graph, 0);
	while (times-- > 0)
		cudaGraphLaunch(exec, stream);
}
static void moves(size_t size)
{
	cudaMemcpyAsync(NULL, NULL, size, 1, stream);
	cudaMemsetAsync(NULL, 0, 50, stream);
	cudaStreamEndCapture(stream, &graph);
}
/* 100 copied, 50 set, twice; 300 and 50, 3 times; of the copy that is taken out then nobody knows the size. */
static void runtime(void)
{
	struct node_params any = { .type = 14, .batch = { .count = 3, .sizes = sizes } };
	void *nodes[8];
	size_t count = 8;
	int type;

	cudaStreamCreate(&stream);
	cudaStreamBeginCapture(stream, 0);
	moves(100);
	launch(2);
	cudaGraphGetNodes(graph, nodes, &count);
	for (size_t i = 0; i < count; i++)
		cudaGraphNodeGetType(nodes[i], &type);
	cudaStreamBeginRecaptureToGraph(stream, 0, graph, NULL);
	moves(300);
	launch(3);
	cudaGraphDestroyNode(nodes[0]);
	launch(1);
	/* A batch of 60, 4 times. */
	cudaGraphCreate(&graph, 0);
	cudaGraphAddNode(&node, graph, NULL, NULL, 0, &any);
	launch(4);
}
static void driver_launch(int times)
{
	cuGraphInstantiateWithFlags(&exec, graph, 0);
	while (times-- > 0)
		cuGraphLaunch(exec, stream);
}
/* Batches of 60 + 11, 5 times; of 70 + 11, 6 times. */
static void driver(void)
{
	struct node_params any = { .type = 18, .fabric = { 2, copies } };

	cuStreamCreate(&stream, 0);
	cuGraphCreate(&graph, 0);
	cuGraphAddNode_v3(&node, graph, NULL, NULL, 0, &any);
	any = (struct node_params){ .type = 14, .batch = { .count = 3, .sizes = sizes } };
	cuGraphAddNode_v3(&node, graph, NULL, NULL, 0, &any);
	driver_launch(5);
	any.batch.sizes = larger;
	cuGraphNodeSetParams_v2(node, &any);
	driver_launch(6);
	/* One by one: 11; captured, twice: 11 for each of 7 launches. */
	cuFabricCpyBatchAsync(2, copies, 0, stream);
	cuStreamBeginCapture_v2(stream, 0);
	cuFabricCpyBatchAsync(2, copies, 0, stream);
	cuStreamEndCapture(stream, &graph);
	cuStreamBeginRecaptureToGraph(stream, 0, graph, NULL, NULL);
	cuFabricCpyBatchAsync(2, copies, 0, stream);
	cuStreamEndCapture(stream, &graph);
	driver_launch(7);
}
int main(void)
{
	runtime();
	driver();
	return 0;
}
C
gcc -o again again.c -L"$STUBS" -l:libcudart.so.13 -l:libcuda.so.1 -Wl,-rpath,"$STUBS"

"$RECORD" -q -o run -- ./again
"$REPORT" -q -f json -o report.json run || [ $? = 1 ]
holds "what each launch moves" '[.graphs[] | select(.graph != null) |
	[.launches, .copies, .copy_bytes, .sets, .set_bytes, .unsure]] | sort == ([
	[2, 1, 100, 1, 50, 0], [3, 1, 300, 1, 50, 0], [1, 0, 300, 1, 50, 1], [4, 1, 60, 0, 0, 0],
	[5, 2, 71, 0, 0, 0], [6, 2, 81, 0, 0, 0], [7, 1, 11, 0, 0, 0]] | sort)'
holds "a batch is one call of all its bytes" '[.breakdown[] | select(.function == "cuFabricCpyBatchAsync") | [.calls, .bytes]] == [[3, 11]]'
