# SPDX-License-Identifier: MIT
# Memory of streams and of pools is where the stream's device or the pool's location is, whatever is current: on
# another GPU, on a part of one, page-locked on the host, managed; a pool that is gone tells nothing of the next one.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

cat >pools.c <<'C'
#include <stddef.h>
struct props { int type, handles, location, id; void *security; size_t most; unsigned short usage; char rest[54]; };
int cudaSetDevice(int);
int cudaStreamCreate(void **);
int cudaMallocAsync(void **, size_t, void *);
int cudaMallocFromPoolAsync(void **, size_t, void *, void *);
int cudaFreeAsync(void *, void *);
int cudaMemPoolCreate(void **, const struct props *);
int cudaMemPoolDestroy(void *);
int cudaDeviceGetDefaultMemPool(void **, int);
int cuMemAllocAsync(unsigned long long *, size_t, void *);
int cuMemAllocFromPoolAsync(unsigned long long *, size_t, void *, void *);
int cuMemPoolCreate(void **, const struct props *);
int cuMemGetDefaultMemPool(void **, int *, int);
/* The stubs leave handles of pools as they are: these are ours. */
static void *from(void *pool, struct props props, size_t size)
{
	void *p;
	cudaMemPoolCreate(&pool, &props);
	cudaMallocFromPoolAsync(&p, size, pool, NULL);
	return p;
}
int main(void)
{
	void *first, *second, *p, *pool = (void *)0x500;
	struct props on_third = { .type = 1, .location = 1, .id = 3 };
	unsigned long long d;
	int fourth[2] = { 1, 4 };

	cudaStreamCreate(&first);
	cudaSetDevice(1);
	cudaStreamCreate(&second);
	cudaMallocAsync(&p, 1, first);
	cudaMallocAsync(&p, 20, NULL);
	cudaSetDevice(0);
	cudaMallocAsync(&p, 300, second);
	cudaFreeAsync(p, first);
	cudaMallocAsync(&p, 4000, second);
	cudaMallocAsync(&p, 50000, (void *)0x77777);	/* nobody saw it being made */
	cuMemAllocAsync(&d, 600000, second);
	from((void *)0x100, (struct props){ .type = 1, .location = 3, .id = 1 }, 7);
	from((void *)0x200, (struct props){ .type = 1, .location = 2 }, 80);
	from((void *)0x300, (struct props){ .type = 1, .location = 1, .id = 2 }, 900);
	from((void *)0x300, (struct props){ .type = 1, .location = 6, .id = 0x102 }, 1000);
	cudaFreeAsync(from((void *)0x400, (struct props){ .type = 2, .location = 1, .id = 2 }, 11000), NULL);
	from((void *)0x400, (struct props){ .type = 2 }, 12000);
	cudaDeviceGetDefaultMemPool(&pool, 2);
	cudaMallocFromPoolAsync(&p, 30000, pool, first);
	cuMemPoolCreate(&pool, &on_third);
	cuMemAllocFromPoolAsync(&d, 5, pool, second);
	cudaMemPoolDestroy(pool);
	cuMemAllocFromPoolAsync(&d, 2000000, pool, second);	/* of the stream's device */
	pool = (void *)0x600;
	cuMemGetDefaultMemPool(&pool, fourth, 1);
	cuMemAllocFromPoolAsync(&d, 70, pool, second);
	return 0;
}
C
gcc -o pools pools.c -L"$STUBS" -l:libcudart.so.13 "$STUBS/libcuda.so.1" -Wl,-rpath,"$STUBS"
for level in summary calls; do
	"$RECORD" -q -l $level -o $level -- ./pools
	"$REPORT" -q -o report.json $level || [ $? = 1 ]
	same "$level: device, kind, live" '[[0,"async",50001],[0,"managed",12000],[0,"pinned",87],[1,"async",2604020],[2,"async",31900],[2,"managed",0],[3,"async",5],[4,"async",70]]' \
		"$(jq -c '[.gpu_memory[] | [.device, .kind, .live_bytes]] | sort' report.json)"
	same "$level: on each GPU" "[50001,2604020,31900,5,70]" "$(jq -c '[.gpu[] | select(.device != null)] | sort_by(.device) | map(.live_bytes)' report.json)"
done
