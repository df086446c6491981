# SPDX-License-Identifier: MIT
# The real libcupti on a machine without a driver: a program that calls it is told the same with and
# without us, and a GPU library that loads it for activity changes nothing but a gap in the trace.
. "$top_srcdir/tests/lib.sh"
need gcc
need babeltrace2
libraries=$(for path in /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64; do
	ls "$path"/libcupti.so.1[23] 2>/dev/null
done | head -1)
for environment in cuda cuda-12; do
	python=$("$top_srcdir/scripts/study/study" python $environment 2>/dev/null) || continue
	libraries="$libraries $(find "${python%/bin/*}"/lib/python3*/site-packages/nvidia -name 'libcupti.so.1[23]')"
done
[ -n "$libraries" ] || skip "no libcupti is installed (scripts/setup frameworks)"
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
tried=
for cupti in $libraries; do
	gcc -Wno-int-conversion -Wno-incompatible-pointer-types -o use use.c "$cupti" -Wl,-rpath,"${cupti%/*}"
	status=0
	./use >without 2>&1 || status=$?
	[ $status = 7 ] || continue # CUPTI 13.3 calls itself for ever where there is no driver
	tried="$tried $cupti"
	status=0
	rm -rf trace
	"$RECORD" -q --gpu=activity -o trace -- ./use >with 2>errors || status=$?
	same "exit status, $cupti" 7 "$status"
	same "what CUPTI says, $cupti" "$(cat without)" "$(cat with)"
	same "standard error, $cupti" "" "$(cat errors)"
	babeltrace2 trace >text
	! grep -q 'dltrace_gpu:kernel' text || fail "kernels without a GPU: $cupti"
done
[ -n "$tried" ] || fail "none of them runs without us: $libraries"
