# SPDX-License-Identifier: MIT
# mpirun -n N dltrace-report gives the report of one process, byte by byte, from one trace and several;
# built without MPI it says so, and nothing waits for ever.
. "$top_srcdir/tests/lib.sh"
need mpirun.openmpi
[ -f "$top_builddir/.libs/dltrace-mpi.so" ] || skip "built without MPI (libopenmpi-dev)"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none

timeout 60 "$RECORD" -q -o one -- "$APPS/threads" >/dev/null
timeout 100 env GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=131072 \
	"$RECORD" -q -o two -l full -- "$APPS/heap_storm" forks 8 >/dev/null
timeout 60 "$REPORT" --jobs 1 one two -f json -o expected.json
for n in 2 3; do
	timeout 100 mpirun.openmpi -n $n "$REPORT" -v --jobs 5 one two -f json -o $n.json 2>said || fail "$n processes: $(cat said)"
	cmp expected.json $n.json || fail "$n processes: another report"
	grep -q 'in [0-9]* parts' said || fail "$n processes: one read it all: $(cat said)"
done
status=0
timeout 100 mpirun.openmpi -n 2 "$REPORT" --jobs 5 one nowhere two -f json -o some.json 2>said || status=$?
same "status when a trace is missing" 1 $status
holds "the others are there" '.traces | length == 3 and .[0].events > 0 and .[2].events > 0' some.json

# One that is ended while it reads, a pipe whose writer is silent, leaves nothing that is half written.
mkfifo pipe
mkdir timelines
sleep 60 >pipe &
writer=$!
timeout 100 mpirun.openmpi -n 2 "$REPORT" pipe -o timelines/r.pftrace -o timelines/r.ctf >said 2>&1 &
started=$!
until_so "what is begun" test -e timelines/r.ctf
until_so "a hidden file" sh -c 'ls -A timelines | grep "^[.]"'
kill -TERM $(below $started dltrace-report)
! wait $started || fail "it ended well"
kill $writer
same "what is left" "" "$(ls -A timelines)"

mkdir -p alone && cp "$top_builddir/.libs/dltrace-report" alone/ 2>/dev/null || cp "$REPORT" alone/dltrace-report
status=0
OMPI_COMM_WORLD_SIZE=2 timeout 20 alone/dltrace-report one >out 2>said || status=$?
same "status without MPI" 2 $status
same "one line" 1 "$(grep -c . said)"
