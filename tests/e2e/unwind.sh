# SPDX-License-Identifier: MIT
# Calls that never return in the ordinary way - by a C++ exception, longjmp, pthread_exit - do no
# harm: the program behaves as without, and later calls are outermost again.
. "$top_srcdir/tests/lib.sh"
need g++
need babeltrace2

cat >leave.cc <<'C'
#include <csetjmp>
#include <cstdio>
#include <pthread.h>
extern "C" int cudaLaunchHostFunc(void *, void (*)(void *), void *);
extern "C" int cudaMalloc(void **, unsigned long);
extern "C" int cudaSetDevice(int);
static jmp_buf back;
struct scope { ~scope() { std::puts("scope left"); } };
static void throws(void *) { scope s; throw 42; }
static void jumps(void *) { longjmp(back, 1); }
static void exits(void *) { scope s; pthread_exit(nullptr); }
static void nests(void *) { cudaSetDevice(0); }
static void nests_often(void *) { for (int i = 0; i < 300; i++) cudaSetDevice(0); }
static void deep(int n)
{
	volatile char room[2000];
	room[0] = 0;
	if (n)
		deep(n - 1);
	else
		cudaLaunchHostFunc(nullptr, throws, nullptr);
}
static void *thread(void *)
{
	cudaLaunchHostFunc(nullptr, exits, nullptr);
	return nullptr;
}
int main()
{
	void *p;
	pthread_t t;
	for (int i = 0; i < 100; i++) {
		try { deep(i % 7); } catch (int e) { std::printf("caught %d\n", e); }
		if (!setjmp(back))
			cudaLaunchHostFunc(nullptr, jumps, nullptr);
		cudaMalloc(&p, 1);
		cudaLaunchHostFunc(nullptr, nests, nullptr);
	}
	cudaLaunchHostFunc(nullptr, nests_often, nullptr);
	pthread_create(&t, nullptr, thread, nullptr);
	pthread_join(t, nullptr);
	cudaMalloc(&p, 2);
	std::puts("end");
}
C
g++ -fexceptions -o leave leave.cc -L"$STUBS" -l:libcudart.so.12 -Wl,-rpath,"$STUBS" -lpthread
./leave >plain
session_start 'dltrace_*'
LD_PRELOAD=$DLTRACE_LIB ./leave >traced
session_stop
diff plain traced || fail "the program behaves otherwise"

babeltrace2 "$TMP/trace" >text
same "cudaMalloc is outermost, with nothing in it" 101 "$(grep -c 'dltrace_cuda:alloc.* nested = 0, nested_time = 0' text)"
same "one call inside" 100 "$(grep -c 'dltrace_cuda:launch.* nested = 1, ' text)"
# The stub's cudaSetDevice may be over before the clock ticks.
timed=$(grep -c 'dltrace_cuda:launch.* nested = 1, nested_time = [1-9]' text)
[ "$timed" -ge 50 ] || fail "one call inside: only $timed took time"
same "more calls inside than the field holds" 1 "$(grep -c 'dltrace_cuda:launch.* nested = 255,' text)"
same "no other launches ended" 101 "$(grep -c 'dltrace_cuda:launch' text)"
same "nested ones are no events" 0 "$(grep -c 'dltrace_cuda:other' text)"
