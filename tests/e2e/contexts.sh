# SPDX-License-Identifier: MIT
# Calls of the driver say the current device of their thread: contexts that are set, pushed, popped.
. "$top_srcdir/tests/lib.sh"
need gcc
need babeltrace2

cat >contexts.c <<'C'
#include <pthread.h>
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuCtxPushCurrent_v2(void *);
int cuCtxPopCurrent_v2(void **);
int cuCtxCreate_v4(void **, void *, unsigned, int);
int cuMemAlloc_v2(unsigned long long *, unsigned long);
static void alloc(unsigned long size)
{
	unsigned long long p;
	cuMemAlloc_v2(&p, size);
}
static void *second(void *one)
{
	alloc(1000);
	cuCtxSetCurrent(one);
	alloc(1001);
	return 0;
}
int main(void)
{
	void *zero, *one, *made, *popped;
	pthread_t thread;
	cuDevicePrimaryCtxRetain(&zero, 0);
	cuDevicePrimaryCtxRetain(&one, 1);
	cuCtxSetCurrent(one);
	alloc(11);
	cuCtxPushCurrent_v2(zero);
	alloc(20);
	cuCtxPushCurrent_v2(one);
	alloc(31);
	cuCtxPopCurrent_v2(&popped);
	alloc(40);
	cuCtxPopCurrent_v2(&popped);
	alloc(51);
	cuCtxSetCurrent(zero);
	cuCtxCreate_v4(&made, 0, 0, 1);
	alloc(61);
	pthread_create(&thread, 0, second, one);
	pthread_join(thread, 0);
	return 0;
}
C
gcc -o contexts contexts.c "$STUBS/libcuda.so.1" -Wl,-rpath,"$STUBS" -lpthread
session_start 'dltrace_*'
LD_PRELOAD=$DLTRACE_LIB ./contexts
session_stop
babeltrace2 "$TMP/trace" | sed -n 's/.*dltrace_cuda:alloc:.* size = \([0-9]*\),.* device = \([0-9]*\).*/\1 \2/p' | sort -n >seen
[ "$(wc -l <seen)" = 8 ] || fail "events: $(cat seen)"
# the last digit of each size is the device
awk '$1 % 10 != $2' seen >wrong
[ ! -s wrong ] || fail "size and device: $(cat wrong)"
