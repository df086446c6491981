# SPDX-License-Identifier: MIT
# A library that exports functions about graphs by CUDA's names and passes them on, as TensorFlow's does: what is
# added to a graph counts once, also over a runtime that goes to the driver; so does a graph that is launched on a
# stream that is being captured.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

cat >passes.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#define PASS(name, types, values) PASS_AS(name, types, values)
#define PASS_AS(name, types, values) \
	int name types \
	{ \
		static int (*real) types; \
		if (!real) \
			real = (int (*) types)dlsym(dlopen(FROM, RTLD_NOW), #name); \
		return real values; \
	}
PASS(ADD_KERNEL, (void **node, void *graph, void *on, size_t count, void *params), (node, graph, on, count, params))
PASS(ADD_CHILD, (void **node, void *graph, void *on, size_t count, void *child), (node, graph, on, count, child))
PASS(LAUNCH, (void *exec, void *stream), (exec, stream))
C
cat >work.c <<'C'
#include <stddef.h>
#include <stdint.h>
int CREATE(void **, unsigned);
int ADD_KERNEL(void **, void *, void *, size_t, void *);
int ADD_CHILD(void **, void *, void *, size_t, void *);
int INSTANTIATE(void **, void *, unsigned long long);
int LAUNCH(void *, void *);
int DESTROY_NODE(void *);
int STREAM(void **, unsigned);
int BEGIN(void *, int);
int END(void *, void **);
int main(void)
{
	char params[256] = { 0 };
	void *inner, *graph, *node, *exec, *stream;

	CREATE(&inner, 0);
	CREATE(&graph, 0);
	ADD_KERNEL(&node, inner, NULL, 0, params);
	for (int i = 0; i < 3; i++)
		ADD_KERNEL(&node, graph, NULL, 0, params);
	ADD_CHILD(&node, graph, NULL, 0, inner);
	/* The same handle again: a node all the same. */
	for (int i = 0; i < 2; i++) {
		ADD_KERNEL(&node, graph, NULL, 0, params);
		DESTROY_NODE(node);
	}
	ADD_KERNEL(&node, graph, NULL, 0, params);
	INSTANTIATE(&exec, graph, 0);
	LAUNCH(exec, NULL);			/* 5 */
	STREAM(&stream, 0);
	BEGIN(stream, 0);
	LAUNCH(exec, stream);			/* captured */
	END(stream, &graph);
	INSTANTIATE(&exec, graph, 0);
	LAUNCH(exec, stream);			/* 5 */
	return 0;
}
C
cat >driver.h <<'C'
#define FROM "libcuda.so.1"
#define CREATE cuGraphCreate
#define ADD_KERNEL cuGraphAddKernelNode_v2
#define ADD_CHILD cuGraphAddChildGraphNode
#define INSTANTIATE cuGraphInstantiateWithFlags
#define LAUNCH cuGraphLaunch
#define DESTROY_NODE cuGraphDestroyNode
#define STREAM cuStreamCreate
#define BEGIN cuStreamBeginCapture_v2
#define END cuStreamEndCapture
C
cat >runtime.h <<'C'
#define FROM "libcudart.so.13"
#define CREATE cudaGraphCreate
#define ADD_KERNEL cudaGraphAddKernelNode
#define ADD_CHILD cudaGraphAddChildGraphNode
#define INSTANTIATE cudaGraphInstantiateWithFlags
#define LAUNCH cudaGraphLaunch
#define DESTROY_NODE cudaGraphDestroyNode
#define STREAM cudaStreamCreateWithFlags
#define BEGIN cudaStreamBeginCapture
#define END cudaStreamEndCapture
C
for layer in driver:libcuda.so.1 runtime:libcudart.so.13; do
	gcc -shared -fPIC -include ./${layer%:*}.h -o libpasses-${layer%:*}.so passes.c
	gcc -include ./${layer%:*}.h -o ${layer%:*} work.c ./libpasses-${layer%:*}.so -L"$STUBS" -l:${layer#*:} \
		-Wl,-rpath,"$STUBS"
done

export DLTRACE_STUB_GPU_NS=1000 LD_LIBRARY_PATH="$STUBS"
# counts WHAT FOLDER: once each node
counts() {
	"$REPORT" -q -f json -o report.json "$2" || [ $? = 1 ]
	holds "$1" '[.graphs[] | select(.graph != null) | [.launches, .captured, .kernels, .executed, .unsure]] | sort ==
		[[1, 0, 5, 5, 0], [1, 1, 5, 5, 0]]'
}
for layer in driver runtime; do
	DLTRACE_STUB_GPU_TRUTH=$TMP/truth-$layer "$RECORD" -q -o $layer.run -- ./$layer
	same "kernels that ran by the $layer" 10 "$(grep -c "^0 " truth-$layer)"
	counts "through a library to the $layer" $layer.run
	# Nobody listens to what is made.
	rm -rf trace
	session_start 'dltrace_proc:*' 'dltrace_cuda:launch'
	LD_PRELOAD=$DLTRACE_LIB ./$layer
	session_stop
	counts "through a library to the $layer, launches only" trace
done
