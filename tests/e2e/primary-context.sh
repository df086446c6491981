# SPDX-License-Identifier: MIT
# Memory of a device's primary context goes with the last one that holds it, and with its reset; that of
# another device, and what is held once more, stays.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

cat >primary.c <<'C'
#include <string.h>
int cuDevicePrimaryCtxRetain(void **, int);
int cuDevicePrimaryCtxRelease_v2(int);
int cuDevicePrimaryCtxReset_v2(int);
int cuCtxSetCurrent(void *);
int cuMemAlloc_v2(unsigned long long *, unsigned long);
static void alloc(void *context, unsigned long size)
{
	unsigned long long p;
	cuCtxSetCurrent(context);
	cuMemAlloc_v2(&p, size);
}
/* Each letter of the argument gives back or resets: r and R of device 0, o of device 1. */
int main(int argc, char **argv)
{
	void *zero, *one;
	cuDevicePrimaryCtxRelease_v2(0);	/* nobody holds it: this counts for nothing */
	cuDevicePrimaryCtxRetain(&zero, 0);
	cuDevicePrimaryCtxRetain(&zero, 0);
	cuDevicePrimaryCtxRetain(&one, 1);
	alloc(zero, 1000);
	alloc(one, 300);
	for (const char *c = argc > 1 ? argv[1] : ""; *c; c++)
		*c == 'R' ? cuDevicePrimaryCtxReset_v2(0) : cuDevicePrimaryCtxRelease_v2(*c == 'o');
	return 0;
}
C
gcc -o primary primary.c "$STUBS/libcuda.so.1" -Wl,-rpath,"$STUBS"
# live CALLS LIVE: what is live on each device after them
live() {
	rm -rf trace
	"$RECORD" -q -l summary -o trace -- ./primary $1
	"$REPORT" -q -o report.json trace
	same "live after '$1'" "$2" "$(jq -c '[.gpu_memory[] | select(.kind == "device") | .live_bytes] | sort' report.json)"
}
live "" "[300,1000]"
live r "[300,1000]"
live rr "[0,300]"
live R "[0,300]"
live ro "[0,1000]"
live rro "[0,0]"
