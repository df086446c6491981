# SPDX-License-Identifier: MIT
# A call that never ends stands in the black box after SIGKILL; one of over 2^32 ns has an event
# that says "at least", and the moment it began right before.
. "$top_srcdir/tests/lib.sh"
need gcc
need babeltrace2

cat >wait.c <<'C'
#include <stdio.h>
#include <time.h>
int cudaDeviceSynchronize(void);
static void now(const char *what)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	printf("%s %lld\n", what, t.tv_sec * 1000000000LL + t.tv_nsec);
	fflush(stdout);
}
int main(void)
{
	now("begin");
	cudaDeviceSynchronize();
	now("end");
	return 0;
}
C
gcc -o wait wait.c -L"$STUBS" -l:libcudart.so.12 -Wl,-rpath,"$STUBS"
mkdir -m 700 box
session_start 'dltrace_*'
DLTRACE_STUB_NS=4400000000 LD_PRELOAD=$DLTRACE_LIB ./wait >said &
long=$!
DLTRACE_BOX=$TMP/box DLTRACE_STUB_NS=250000000000 LD_PRELOAD=$DLTRACE_LIB ./wait >/dev/null &
hung=$!
for try in $(seq 600); do
	"$APPS/boxdump" box 2>/dev/null | grep -q '^flight' && break
	sleep 0.1
done
kill -KILL $hung
wait $hung || :
wait $long
session_stop
same "call in flight" "flight $hung cudaDeviceSynchronize" "$("$APPS/boxdump" box | sed -n 's/^\(flight [0-9]*\) [1-9][0-9]* /\1 /p')"

babeltrace2 --clock-seconds "$TMP/trace" >text
grep -q 'dltrace_cuda:sync:.* duration = 4294967295,' text || fail "no saturated duration"
grep -B 1 'dltrace_cuda:sync' text | head -n 1 |
	sed -n 's/.*dltrace_sample:thread:.* time = \([0-9]*\),.* since = \([1-9][0-9]*\),.*/\1 \2/p' |
	awk 'NR == FNR { own[$1] = $2; next } { time = $1; since = $2; found = 1 }
		END { exit !(found && time - since >= 4.4e9 && since >= own["begin"] - 1e6 && time <= own["end"]) }' said - ||
	fail "no moment at which the call began right before: $(cat said; grep -B 1 'dltrace_cuda:sync' text)"
