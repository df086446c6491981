# SPDX-License-Identifier: MIT
# Many streams, graphs, events in captures and shapes: places are given back, and where there is no room all the same
# the report says of how many.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

cat >many.c <<'C'
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct dim3 { unsigned x, y, z; };
int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, size_t, void *);
int cudaStreamCreate(void **);
int cudaStreamDestroy(void *);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaEventCreate(void **);
int cudaEventRecord(void *, void *);
int cudaStreamWaitEvent(void *, void *, unsigned);
int cudaGraphInstantiateWithFlags(void **, void *, unsigned long long);
int cudaGraphDestroy(void *);
int cudaGraphLaunch(void *, void *);
int cuModuleLoadData(void **, const void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuModuleUnload(void *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
static int kernel;
static const struct dim3 one = { 1, 1, 1 };
static void launch(unsigned x, void *stream)
{
	cudaLaunchKernel(&kernel, (struct dim3){ x, 1, 1 }, one, NULL, 0, stream);
}
static void *ended(void *stream)
{
	void *graph, *exec;
	cudaStreamEndCapture(stream, &graph);
	cudaGraphInstantiateWithFlags(&exec, graph, 0);
	cudaGraphDestroy(graph);
	return exec;
}
/* All are there at a time, and the last one is captured and launched three times. */
static void streams(int n)
{
	void *stream = NULL, *exec;
	for (int i = 0; i < n; i++)
		cudaStreamCreate(&stream);
	for (int i = 0; i < 3; i++) {
		cudaStreamBeginCapture(stream, 0);
		launch(1, stream);
		exec = ended(stream);
		cudaGraphLaunch(exec, stream);
	}
}
/* Likewise, each launched once. */
static void graphs(int n)
{
	void *stream, **execs = calloc((size_t)n, sizeof(*execs));
	cudaStreamCreate(&stream);
	for (int i = 0; i < n; i++) {
		cudaStreamBeginCapture(stream, 0);
		launch(1, stream);
		execs[i] = ended(stream);
	}
	for (int i = 0; i < n; i++)
		cudaGraphLaunch(execs[i], stream);
}
/* Each capture of two streams with two events that no other one has; the last one is launched. */
static void events(int n)
{
	void *a, *b, *fork, *join, *exec = NULL;
	cudaStreamCreate(&a);
	cudaStreamCreate(&b);
	for (int i = 0; i < n; i++) {
		cudaEventCreate(&fork);
		cudaEventCreate(&join);
		cudaStreamBeginCapture(a, 0);
		launch(1, a);
		cudaEventRecord(fork, a);
		cudaStreamWaitEvent(b, fork, 0);
		launch(1, b);
		cudaEventRecord(join, b);
		cudaStreamWaitEvent(a, join, 0);
		exec = ended(a);
	}
	cudaGraphLaunch(exec, a);
}
static void shapes(int n)
{
	for (int i = 0; i < n; i++)
		launch((unsigned)i + 1, NULL);
}
static void names(int n)
{
	void *module, *function;
	char name[128];
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "triton_poi_fused_add_mul_relu_some_long_name_%d", i);
		cuModuleLoadData(&module, "x");
		cuModuleGetFunction(&function, module, name);
		cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
		cuModuleUnload(module);
	}
}
/* Captured when it is destroyed, and launched on by its handle, which has come again. */
static void gone(int n)
{
	void *stream;
	cudaStreamCreate(&stream);
	cudaStreamBeginCapture(stream, 0);
	launch(1, stream);
	cudaStreamDestroy(stream);
	for (int i = 0; i < n; i++)
		launch(2, stream);
}
int main(int argc, char **argv)
{
	static const struct { const char *name; void (*work)(int); } works[] = {
		{ "streams", streams }, { "graphs", graphs }, { "events", events }, { "shapes", shapes },
		{ "names", names }, { "gone", gone },
	};
	for (size_t i = 0; argc == 3 && i < sizeof(works) / sizeof(*works); i++)
		if (!strcmp(argv[1], works[i].name))
			works[i].work(atoi(argv[2]));
	return 0;
}
C
gcc -o many many.c -L"$STUBS" -l:libcudart.so.13 -l:libcuda.so.1 -Wl,-rpath,"$STUBS"

# recorded WHAT COUNT: makes report.json
recorded() {
	rm -rf run
	"$RECORD" -q -o run -- ./many $1 $2
	"$REPORT" -q -f json -o report.json run || [ $? = 1 ]
}
# missed TEXT: how many, by the limit that has this text
missed() {
	jq "[.limits[] | select(.text | contains(\"$1\")) | .value] | add // 0" report.json
}
no_row="are in no row of the table"

recorded streams 2000
holds "streams" '[.kernels[] | .launches, .captured] == [0, 3]'
holds "graphs of the last one" '[.graphs[] | select(.graph) | .executed] | add == 3'
same "of 2,000 streams are missing" 0 "$(missed "found no room")"
recorded graphs 6000
holds "graphs" '[.graphs[] | select(.graph) | .executed] | add == 6000'
same "of 6,000 graphs are missing" 0 "$(missed "$no_row")"
recorded events 3000
holds "events" '([.kernels[] | .launches, .captured] == [0, 6000]) and ([.graphs[] | select(.graph) | .executed] == [2])'
same "of 6,000 events are missing" 0 "$(missed "found no room")"
recorded gone 5
holds "of a stream that is gone" '[.kernels[] | .launches, .captured] == [5, 1]'

recorded shapes 20000
lost=$(missed "launches of kernels $no_row kernels")
[ "$lost" -gt 3000 ] || fail "of 20,000 shapes $lost are missing"
holds "what is not missing" "[.kernels[].launches] | add == 20000 - $lost"
recorded names 8000
lost=$(missed "launches of kernels $no_row kernels")
[ "$lost" -gt 1000 ] || fail "of 8,000 long names $lost are missing"
holds "what is not missing" "[.kernels[].launches] | add == 8000 - $lost"
