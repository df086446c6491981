# SPDX-License-Identifier: MIT
# A call that never ends stands in the black box after SIGKILL; one of over 2^32 ns has an event
# that says "at least", and the moment it began right before.
. "$top_srcdir/tests/lib.sh"
need gcc
need babeltrace2

cat >wait.c <<'C'
int cudaDeviceSynchronize(void);
int main(void) { return cudaDeviceSynchronize(); }
C
gcc -o wait wait.c -L"$STUBS" -l:libcudart.so.12 -Wl,-rpath,"$STUBS"
mkdir -m 700 box
session_start 'dltrace_*'
DLTRACE_STUB_NS=4400000000 LD_PRELOAD=$DLTRACE_LIB ./wait &
long=$!
DLTRACE_BOX=$TMP/box DLTRACE_STUB_NS=60000000000 LD_PRELOAD=$DLTRACE_LIB ./wait &
hung=$!
sleep 1
kill -KILL $hung
wait $hung || :
wait $long
session_stop
same "call in flight" "flight $hung cudaDeviceSynchronize" "$("$APPS/boxdump" box | sed -n 's/^\(flight [0-9]*\) [1-9][0-9]* /\1 /p')"

babeltrace2 --clock-seconds "$TMP/trace" >text
grep -q 'dltrace_cuda:sync:.* duration = 4294967295,' text || fail "no saturated duration"
grep -B 1 'dltrace_cuda:sync' text | head -n 1 |
	sed -n 's/.*dltrace_sample:thread:.* time = \([0-9]*\),.* since = \([1-9][0-9]*\),.*/\1 \2/p' |
	awk '{ d = $1 - $2; found = 1 } END { exit !(found && d >= 4.4e9 && d < 4.6e9) }' ||
	fail "no moment at which the call began right before: $(grep -B 1 'dltrace_cuda:sync' text)"
