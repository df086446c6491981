# SPDX-License-Identifier: MIT
# Bytes that launches of graphs copy and set: nodes added by hand, of every way to say how much, changed
# and switched off afterwards, in the graph and in what can be launched of it; captured; and how many
# conditional nodes a run came to, of whose bodies nobody knows how often they ran.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >bytes.c <<'C'
#include <stddef.h>
#include <string.h>
struct extent { size_t width, height, depth; };
struct pitched { void *p; size_t pitch, x, y; };
struct copy3d {
	void *from_array; struct extent from_pos; struct pitched from;
	void *to_array; struct extent to_pos; struct pitched to;
	struct extent extent; int kind;
};
struct set { void *to; size_t pitch; unsigned value, element; size_t width, height; };
struct node_params { int type, reserved[3]; union { long long words[29];
	struct { int words[4]; struct copy3d copy; } copy; struct set set; }; long long end; };
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaMemsetAsync(void *, int, size_t, void *);
int cudaStreamCreate(void **);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaGraphCreate(void **, unsigned);
int cudaGraphInstantiateWithFlags(void **, void *, unsigned long long);
int cudaGraphAddMemcpyNode(void **, void *, void *, size_t, const struct copy3d *);
int cudaGraphAddMemcpyNode1D(void **, void *, void *, size_t, void *, const void *, size_t, int);
int cudaGraphAddMemsetNode(void **, void *, void *, size_t, const struct set *);
int cudaGraphAddNode(void **, void *, void *, void *, size_t, struct node_params *);
int cudaGraphGetNodes(void *, void **, size_t *);
int cudaGraphNodeGetType(void *, int *);
int cudaGraphMemsetNodeSetParams(void *, const struct set *);
int cudaGraphExecMemcpyNodeSetParams1D(void *, void *, void *, const void *, size_t, int);
int cudaGraphDestroyNode(void *);
int cudaGraphNodeSetEnabled(void *, void *, unsigned);
int cudaGraphLaunch(void *, void *);
static void *stream, *graph, *exec;
static void launch(int times)
{
	while (times-- > 0)
		cudaGraphLaunch(exec, stream);
}
int main(void)
{
	struct copy3d copy = { .extent = { 8, 4, 2 } };
	struct set set = { .element = 4, .width = 10, .height = 3 };
	struct node_params any = { .type = 1, .copy.copy.extent = { 10, 1, 1 } };
	void *copied, *was_set, *node, *nodes[8];
	size_t count = 8;
	int type;

	cudaStreamCreate(&stream);
	/* 1000 + 64 + 10 bytes copied, 120 + 7 set: 3 times. */
	cudaGraphCreate(&graph, 0);
	cudaGraphAddMemcpyNode1D(&copied, graph, NULL, 0, NULL, NULL, 1000, 1);
	cudaGraphAddMemsetNode(&was_set, graph, NULL, 0, &set);
	cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &copy);
	cudaGraphAddNode(&node, graph, NULL, NULL, 0, &any);
	memset(&any, 0, sizeof(any));
	any.type = 2;
	any.set = (struct set){ .element = 1, .width = 7, .height = 1 };
	cudaGraphAddNode(&node, graph, NULL, NULL, 0, &any);
	cudaGraphInstantiateWithFlags(&exec, graph, 0);
	launch(3);
	/* 2000 in place of 1000, said twice: 2 times; without that node: once; as before: once. */
	cudaGraphExecMemcpyNodeSetParams1D(exec, copied, NULL, NULL, 1500, 1);
	cudaGraphExecMemcpyNodeSetParams1D(exec, copied, NULL, NULL, 2000, 1);
	launch(2);
	cudaGraphNodeSetEnabled(exec, copied, 0);
	launch(1);
	cudaGraphNodeSetEnabled(exec, copied, 1);
	launch(1);
	/* The graph itself still has 1000, and sets 240 in place of 120 from now on: once. */
	set.height = 6;
	cudaGraphMemsetNodeSetParams(was_set, &set);
	cudaGraphInstantiateWithFlags(&exec, graph, 0);
	launch(1);
	/* Captured: 100 copied, 50 set, 4 times. */
	cudaStreamBeginCapture(stream, 0);
	cudaMemcpyAsync(NULL, NULL, 100, 1, stream);
	cudaMemsetAsync(NULL, 0, 50, stream);
	cudaStreamEndCapture(stream, &graph);
	cudaGraphInstantiateWithFlags(&exec, graph, 0);
	launch(4);
	/* Of a captured copy that is taken out the size is not known. */
	cudaGraphGetNodes(graph, nodes, &count);
	cudaGraphNodeGetType(nodes[0], &type);
	cudaGraphDestroyNode(nodes[0]);
	cudaGraphInstantiateWithFlags(&exec, graph, 0);
	launch(6);
	/* Two conditional nodes, 5 times. */
	memset(&any, 0, sizeof(any));
	any.type = 13;
	cudaGraphCreate(&graph, 0);
	cudaGraphAddNode(&node, graph, NULL, NULL, 0, &any);
	cudaGraphAddNode(&node, graph, NULL, NULL, 0, &any);
	cudaGraphInstantiateWithFlags(&exec, graph, 0);
	launch(5);
	return 0;
}
C
gcc -o bytes bytes.c -L"$STUBS" -l:libcudart.so.13 -Wl,-rpath,"$STUBS"

DLTRACE_STUB_GPU_NS=1000 "$RECORD" -q -o run -- ./bytes
"$REPORT" -q -f json -o report.json run || [ $? = 1 ]
holds "what each launch moves" '[.graphs[] | select(.graph != null) |
	[.launches, .copies, .copy_bytes, .sets, .set_bytes, .unsure, .conditional, .moved_bytes]] | sort == ([
	[3, 3, 1074, 2, 127, 0, 0, 3603], [3, 3, 2074, 2, 127, 0, 0, 6603], [1, 2, 74, 2, 127, 0, 0, 201],
	[1, 3, 1074, 2, 247, 0, 0, 1321], [4, 1, 100, 1, 50, 0, 0, 600], [6, 0, 100, 1, 50, 1, 0, 900],
	[5, 0, 0, 0, 0, 2, 2, 0]] | sort)'
holds "what nobody knows" '[.limits[] | select(.text | contains("11 launches of 2 CUDA graphs may have executed") and
	contains("5 of them came to 10 conditional nodes"))] | length == 1'
holds "what is captured moves nothing" '[.breakdown[] | select(.function == "cudaMemcpyAsync") | .bytes] == [0]'
