# SPDX-License-Identifier: MIT
# Clock offsets between hosts: the median at which ranks leave collectives together, certain bounds by
# who entered when, drift; over traces of their own; nothing where calls cannot be numbered.
. "$top_srcdir/tests/lib.sh"

# rank NUMBER HOST OFFSET-US DRIFT-PPM CALLS [MISSING]: the events of one rank, by its own clock. The
# collectives end at 2 s, 3 s, ...; each rank enters 10 ms before, and leaves 0 to 20 us after.
rank() {
	awk -v r="$1" -v host="$2" -v offset="$3" -v ppm="$4" -v calls="$5" -v missing="${6:-0}" 'BEGIN {
		t = r + 1
		printf "[1s] dltrace_proc:process process=%d pid=%d begin=1s exe=\"/bin/train\" host=\"%s\" rank=%d ranks=3\n", t, 100 + r, host, r
		printf "[1s] dltrace_proc:thread thread=%d process=%d tid=%d begin=1s\n", t, t, 100 + r
		printf "[1s] dltrace_proc:object process=%d type=7 id=3 handle=0x44000000 values=[2 3 %d 0xabc 1]\n", t, r
		printf "[1s] dltrace_proc:function function=MPI_Allreduce layer=\"mpi\" kind=\"communicate\" name=\"MPI_Allreduce\"\n"
		printf "[1s] dltrace_proc:function function=MPI_Bcast layer=\"mpi\" kind=\"communicate\" name=\"MPI_Bcast\"\n"
		for (i = 0; i < calls; i++) {
			end = (2 + i) * 1000000 + (r * 7 + i * 5) % 21
			own = end + offset + int(ppm * (2 + i) + 0.5)
			if (i != missing - 1)
				printf "[%dus] dltrace_comm:call thread=%d function=MPI_Allreduce library=1 duration=%dus communicator=3 peer=-1\n", own, t, 10000 + end % 1000
			printf "[%dus] dltrace_comm:call thread=%d function=MPI_Bcast library=1 duration=1us communicator=3 peer=0\n", own + 500, t
		}
	}'
}
trace() {
	{
		echo dltrace-text 1
		cat
	} >"$1.txt"
}
clocks() {
	"$REPORT" -q -f json "$@" >"$TMP/r.json" || fail "dltrace-report: $?"
}

# One trace of three hosts: b is 2.5 ms ahead, c 40 us behind.
{ rank 0 a 0 0 100; rank 1 b 2500 0 100; rank 2 c -40 0 100; } | trace one
clocks one.txt
# What the differences are, from the same arithmetic.
expected() {
	python3 - "$1" "$2" <<-'END'
	import statistics, sys
	r, offset = int(sys.argv[1]), int(sys.argv[2])
	end = lambda r, i: (2 + i) * 1000000 + (r * 7 + i * 5) % 21
	d = sorted(end(r, i) - end(0, i) + offset for i in range(100))
	begin = lambda r, i: end(r, i) - 10000 - end(r, i) % 1000
	low = max(begin(r, i) + offset - end(0, i) for i in range(100))
	high = min(end(r, i) + offset - begin(0, i) for i in range(100))
	print((round(statistics.median(d) * 1000), round((d[100 - 1 - 25] - d[25]) * 500), low * 1000, high * 1000))
	END
}
found() {
	json "tuple(row('clocks', host='$1')[k] for k in ('offset_ns', 'spread_ns', 'low_ns', 'high_ns'))"
}
same b "$(expected 1 2500)" "$(found b)"
same c "$(expected 2 -40)" "$(found c)"
same "the first host counts" "[('b', 'a', 100, 'MPI_Allreduce'), ('c', 'a', 100, 'MPI_Allreduce')]" \
	"$(json '[(x["host"], x["reference"], x["calls"], x["function"]) for x in r["clocks"]]')"
same "the truth lies between" "[True, True]" "$(json '[x["low_ns"] <= o <= x["high_ns"] for x, o in zip(r["clocks"], (2500000, -40000))]')"
same "no drift" True "$(json 'abs(row("clocks", host="b")["drift_ppm"]) < 0.2')"

# b leaves 1 ms late but once, when a enters 100 us before all leave: an estimate beyond what is certain is none.
late() {
	rank "$1" "$2" 0 0 0
	for i in $(seq 2 41); do
		[ $i = 20 ] && echo "[$((i * 1000000 + $4))us] $5 duration=$6us communicator=3 peer=-1" ||
			echo "[$((i * 1000000 + $3))us] $5 duration=10ms communicator=3 peer=-1"
	done
}
{
	late 0 a 0 0 "dltrace_comm:call thread=1 function=MPI_Allreduce library=1" 100
	late 1 b 1000 200 "dltrace_comm:call thread=2 function=MPI_Allreduce library=1" 10000
} | trace late
clocks late.txt
same "late, but within what is certain" "(300000, 0, -9000000, 300000)" "$(found b)"

# A trace a host, of which each counts its time from another beginning; more calls than are kept.
rank 0 a 0 0 2000 | trace a
rank 1 b 7000000 3 2000 | { echo 'clock_offset 5000000000'; cat; } | trace b
clocks a.txt b.txt
same "calls of both ends" 512 "$(json 'row("clocks", host="b")["calls"]')"
same "drift" True "$(json '2.9 < row("clocks", host="b")["drift_ppm"] < 3.1')"
same "offset, in the middle of the run" True "$(json 'abs(row("clocks", host="b")["offset_ns"] - 12.003e9) < 20000')"

# Another number of calls: only the beginning tells. Lost events, or a part of the time: nothing does.
rank 1 b 2500 0 60 | trace short
clocks one.txt --rank 0 short.txt
{ rank 0 a 0 0 400; rank 1 b 2500 0 300; } | trace uneven
clocks uneven.txt
same "the beginning" 256 "$(json 'row("clocks", host="b")["calls"]')"
clocks one.txt --from 10s
same "a part of the time" "[0, None]" "$(json '(lambda x: [x["calls"], x["offset_ns"]])(row("clocks", host="b"))')"
{ rank 0 a 0 0 100; rank 1 b 2500 0 100 50; echo '[200s] dltrace_sample:process process=2 time=200s final=1 events=1000'; } | trace lost
clocks lost.txt
same "lost events" 0 "$(json 'row("clocks", host="b")["calls"]')"
clocks "$top_srcdir/tests/report/training.txt"
same "one host" "[]" "$(json 'r["clocks"]')"
