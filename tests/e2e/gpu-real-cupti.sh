# SPDX-License-Identifier: MIT
# The real libcupti on a machine without a driver: a program that calls it is told the same with and
# without us, and a GPU library that loads it for activity changes nothing but a gap in the trace.
. "$top_srcdir/tests/lib.sh"
need gcc
need babeltrace2
cupti=
for path in /usr/local/cuda/lib64 /usr/local/cuda/lib /usr/local/cuda/extras/CUPTI/lib64; do
	for file in "$path"/libcupti.so.1[23]; do
		[ ! -e "$file" ] || cupti=$file
	done
done
[ -n "$cupti" ] || skip "no libcupti is installed"
! ldconfig -p | grep -q 'libcuda\.so\.1' || skip "there is a driver: the stub GPU cannot stand for it"

cat >use.c <<'C'
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int cuptiSubscribe(void **, void *, void *);
int cuptiActivityRegisterCallbacks(void *, void *);
int cuptiActivityEnable(int);
int cuptiActivityDisable(int);
int cuptiActivityFlushAll(uint32_t);
int cuptiGetVersion(uint32_t *);
static void callback(void) {}
int main(void)
{
	const char *injection = getenv("CUDA_INJECTION64_PATH");
	void *library = injection ? dlopen(injection, RTLD_NOW) : NULL, *subscriber = NULL;
	int (*inject)(void) = library ? (int (*)(void))dlsym(library, "InitializeInjection") : NULL;
	uint32_t version = 0;
	int v, subscribe, callbacks, enable, disable, flush;

	if (inject)
		inject();
	v = cuptiGetVersion(&version);
	subscribe = cuptiSubscribe(&subscriber, (void *)callback, NULL);
	callbacks = cuptiActivityRegisterCallbacks((void *)callback, (void *)callback);
	enable = cuptiActivityEnable(10);
	disable = cuptiActivityDisable(10);
	flush = cuptiActivityFlushAll(1);
	printf("%d %u %d %d %d %d %d\n", v, version, subscribe, callbacks, enable, disable, flush);
	return 7;
}
C
gcc -Wno-int-conversion -Wno-incompatible-pointer-types -o use use.c "$cupti" -Wl,-rpath,"${cupti%/*}"
status=0
./use >without || status=$?
same "exit status without" 7 "$status"
status=0
"$RECORD" -q --gpu=activity -o trace -- ./use >with 2>errors || status=$?
same "exit status" 7 "$status"
same "what CUPTI says" "$(cat without)" "$(cat with)"
same "standard error" "" "$(cat errors)"
babeltrace2 trace >text
! grep -q 'dltrace_gpu:kernel' text || fail "kernels without a GPU"
