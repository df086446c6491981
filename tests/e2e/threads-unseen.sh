# SPDX-License-Identifier: MIT
# Threads that the C library makes for itself, past pthread_create: they are told, and each event of theirs is counted
# once, also where their end is all that they say.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

cat >timer.c <<'C'
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>
static atomic_int rung;
static void ring(union sigval v)
{
	(void)v;
	atomic_fetch_add(&rung, 1);
}
int main(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring };
	struct itimerspec often = { { 0, 2000000 }, { 0, 2000000 } };
	timer_t timer;
	if (timer_create(CLOCK_MONOTONIC, &e, &timer) || timer_settime(timer, 0, &often, NULL))
		return 1;
	for (int i = 0; i < 1000 && atomic_load(&rung) < 10; i++)
		usleep(10000);
	timer_delete(timer);
	usleep(50000);
	return 0;
}
C
gcc -o timer timer.c
for how in "" --in-process "-l summary" "-l full"; do
	"$RECORD" -q $how -o run -- ./timer || fail "recording $how: status $?"
	"$REPORT" --verify run >said 2>&1 || fail "recorded $how: $(cat said)"
	"$REPORT" -q -f json run >report.json
	holds "threads, recorded $how" '[.threads[]] | length >= 10'
	rm -r run
done
