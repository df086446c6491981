# SPDX-License-Identifier: MIT
# The ledger of GPU memory where memory has several owners: handles that are retained after they were
# released, IPC memory that is opened twice, pointers out of pools and of external memory, objects of
# multicast; what nodes of graphs allocate, which no free outside of the graph ends; and segments that grow in
# reserved addresses, as PyTorch's expandable ones. No free is a stray.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >shared.c <<'C'
#include <stddef.h>
#include <string.h>
struct ipc { char bytes[64]; };
struct allocation { void *pool[11]; const void *access; size_t count, size; void *p; };
int cudaStreamCreate(void **);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaMallocAsync(void **, size_t, void *);
int cudaFreeAsync(void *, void *);
int cudaFree(void *);
int cudaGraphCreate(void **, unsigned);
int cudaGraphAddMemAllocNode(void **, void *, void *, size_t, struct allocation *);
int cudaGraphAddMemFreeNode(void **, void *, void *, size_t, void *);
int cudaIpcOpenMemHandle(void **, struct ipc, unsigned);
int cudaIpcCloseMemHandle(void *);
int cudaMemPoolImportPointer(void **, void *, void *);
int cudaExternalMemoryGetMappedBuffer(void **, void *, const void *);
int cuMemCreate(unsigned long long *, size_t, const void *, unsigned long long);
int cuMemRelease(unsigned long long);
int cuMemMap(unsigned long long, size_t, size_t, unsigned long long, unsigned long long);
int cuMemUnmap(unsigned long long, size_t);
int cuMemRetainAllocationHandle(unsigned long long *, void *);
int cuMemAddressReserve(unsigned long long *, size_t, size_t, unsigned long long, unsigned long long);
int cuMemAddressFree(unsigned long long, size_t);
int cuMemSetAccess(unsigned long long, size_t, const void *, size_t);
int cuMulticastCreate(unsigned long long *, const void *);

static void *stream;

/* Allocated in a graph, given back in it, or by the program after each launch. */
static void in_graphs(void)
{
	struct allocation node = { .size = 500 };
	void *graph, *made, *p, *kept;

	cudaStreamBeginCapture(stream, 0);
	cudaMallocAsync(&p, 1000, stream);
	cudaMallocAsync(&kept, 2000, stream);
	cudaFreeAsync(p, stream);
	cudaStreamEndCapture(stream, &graph);
	cudaFreeAsync(kept, NULL);
	cudaFree(kept);
	cudaGraphCreate(&graph, 0);
	cudaGraphAddMemAllocNode(&made, graph, NULL, 0, &node);
	cudaGraphAddMemFreeNode(&made, graph, NULL, 0, node.p);
}

static void of_others(void)
{
	struct ipc handle;
	void *p;

	memset(&handle, 7, sizeof(handle));
	cudaIpcOpenMemHandle(&p, handle, 1);
	cudaIpcOpenMemHandle(&p, handle, 1);
	cudaIpcCloseMemHandle(p);
	cudaIpcCloseMemHandle(p);
	cudaMemPoolImportPointer(&p, NULL, NULL);
	cudaFree(p);
	cudaExternalMemoryGetMappedBuffer(&p, NULL, NULL);
	cudaFree(p);
}

static void by_handles(void)
{
	const int on_gpu[8] = { 1, 0, 1, 0 };
	const unsigned long long at = 1ULL << 33;
	unsigned long long handle, again, cast;

	cuMemCreate(&handle, 4096, on_gpu, 0);
	cuMemMap(at, 4096, 0, handle, 0);
	cuMemRelease(handle);			/* the mapping holds it */
	cuMemRetainAllocationHandle(&again, (void *)at);
	cuMemUnmap(at, 4096);			/* the handle does */
	cuMemRelease(again);
	cuMulticastCreate(&cast, NULL);
	cuMemRelease(cast);
}

/* A segment has room for as much as it may ever be, grows by parts, shrinks from its end, and is left as it is. */
static void by_segments(void)
{
	const int on_gpu[8] = { 1, 0, 1, 0 }, access[3] = { 1, 0, 3 };
	const size_t part = 2 << 20;
	unsigned long long handles[4], at, other;

	cuMemAddressReserve(&at, 64 * part, 0, 0, 0);
	for (int i = 0; i < 4; i++) {
		cuMemCreate(&handles[i], part, on_gpu, 0);
		cuMemMap(at + (unsigned long long)i * part, part, 0, handles[i], 0);
		cuMemSetAccess(at + (unsigned long long)i * part, part, access, 1);
	}
	for (int i = 3; i >= 1; i--) {
		cuMemUnmap(at + (unsigned long long)i * part, part);
		cuMemRelease(handles[i]);
	}
	cuMemAddressReserve(&other, 8 * part, 0, 0, 0);
	cuMemAddressFree(other, 8 * part);
}

int main(void)
{
	cudaStreamCreate(&stream);
	in_graphs();
	of_others();
	by_handles();
	by_segments();
	return 0;
}
C
gcc -o shared shared.c -L"$STUBS" -l:libcudart.so.13 -l:libcuda.so.1 -Wl,-rpath,"$STUBS"
boxes
LD_PRELOAD=$DLTRACE_LIB ./shared
"$APPS/ledgerdump" "$DLTRACE_BOX" >rows
# KIND LIVE ALLOCATED ALLOCATIONS FREES
awk '$2 != "gpu" { print $2, $5, $7, $8, $9 }' rows | sort >got
part=$((2 << 20))
cat >wanted <<E
address $((64 * part)) $((72 * part)) 2 1
foreign 0 0 3 3
graph 2000 3500 3 2
mapped $part $((4 * part + 4096)) 5 4
multicast 0 0 1 1
physical $part $((4 * part + 4096)) 5 4
E
diff wanted got || fail "kind, live, allocated, allocations, frees (< wanted, > ledger)"
same "physical peak and end" "$((4 * part)) $part" "$(awk '$2 == "gpu" { print $6, $5 }' rows)"
