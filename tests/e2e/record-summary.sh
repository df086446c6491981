# SPDX-License-Identifier: MIT
# What keeps the level summary small: the process is sampled each second, its threads every ten; but
# a call that has lasted for a second is said at once, and the last sample knows the CPU time.
. "$top_srcdir/tests/lib.sh"
need gcc
need lttng-sessiond
need babeltrace2

cat >spin.c <<'C'
#include <pthread.h>
#include <time.h>
#include <unistd.h>
int cudaDeviceSynchronize(void);
static void *spin(void *stop)
{
	while (!*(volatile int *)stop)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	for (;;)
		pause();
	return stop;
}
int main(void)
{
	static pthread_t ids[3];
	static int stop;
	for (int i = 0; i < 3; i++)
		pthread_create(&ids[i], NULL, spin, &stop);
	sleep(2);
	cudaDeviceSynchronize();
	stop = 1;
	_exit(0);
}
C
gcc -o spin spin.c -lpthread -L"$STUBS" -l:libcudart.so.12 -Wl,-rpath,"$STUBS"
DLTRACE_STUB_NS=4500000000 "$RECORD" -q --require -l summary --rotate 0 -o t -- ./spin
babeltrace2 t >events
# A busy machine lets the sampler miss some; of those at full seconds two that follow each other tell the period.
count=$(grep -c 'dltrace_sample:process:' events)
[ "$count" -ge 4 ] && [ "$count" -le 10 ] || fail "$count samples of the process in 6 s"
sed -n 's/.*dltrace_sample:process:.* final = 0, time = \([0-9]*\),.*/\1/p' events | sed 1d |
	awk 'NR > 1 && (!least || $1 - last < least) { least = $1 - last }
		{ last = $1 }
		END { exit !(least && least < 1.5e9) }' || fail "not each second: $(grep dltrace_sample:process: events)"
main=$(sed -n 's/.*dltrace_proc:process:.*{ process = \([0-9]*\),.*/\1/p' events | head -n 1)
grep 'dltrace_sample:thread:' events >threads || fail "no samples of threads"
grep -v "{ thread = $main," threads | sed 's/.*{ thread = \([0-9]*\),.*/\1/' | sort | uniq -c |
	awk '$1 > 3 { print; bad = 1 } END { exit bad || NR < 3 }' >counts || fail "each of 3 threads in 6 s: $(cat threads)"
grep "{ thread = $main," threads | grep 'state = [1-9]' | grep -qv 'function = 0,' || fail "the long call was not said in time: $(cat threads)"
! tail -n 3 threads | grep -q ' cpu = 0,' || fail "no CPU time in the last samples: $(cat threads)"
grep 'dltrace_sample:function:' events | tail -n 1 | grep -q '_length = [1-9]' || fail "no distribution in the last totals"

"$RECORD" --print -l summary -o x -- true | grep -q 'switch-timer=10000000' || fail "not flushed every ten seconds"
