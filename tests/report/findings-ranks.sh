# SPDX-License-Identifier: MIT
# Rules on ranks: who keeps the others waiting, how much of the time is communication; each found just
# above its threshold and not just below it.
. "$top_srcdir/tests/lib.sh"

# two_ranks EVENTS ARGUMENT...: a job of two; the function EVENTS writes what each does, process $p of rank $rank
two_ranks() {
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_proc:function function=MPI_Allreduce layer="mpi" kind="communicate" name="MPI_Allreduce"'
		for rank in 0 1; do
			p=$((rank + 1))
			echo "[1s] dltrace_proc:process process=$p pid=$((100 + rank)) begin=1s exe=\"/bin/train\" rank=$rank ranks=2 local_rank=$rank"
			echo "[1s] dltrace_proc:object process=$p type=7 id=3 handle=0x44000000 values=[2 2 $rank 0xabc 1]"
			"$@"
		done
	} | report_text
}
# steps STEPS MS0 MS1: of 100 ms, in which the two ranks are so long inside a collective
steps() {
	awk -v steps="$1" -v p="$p" -v ms="$(eval "echo \$$((2 + rank))")" 'BEGIN { for (i = 1; i <= steps; i++)
		printf "[%dms] dltrace_comm:call thread=%d function=MPI_Allreduce library=1 duration=%dms bytes=1000 communicator=3 peer=-1\n", 1000 + i * 100, p, ms }'
	echo "[$((1000 + $1 * 100))ms] dltrace_proc:exit process=$p"
}
ranks() { two_ranks steps "$@"; }
found() {
	json "[f['rule'] for f in r['findings'] if '$1' in f['text']]"
}
ranks 100 12 1
same "somewhat later" 1 "$(json "len($(found 'rank 1 keeps the others waiting'))")"
ranks 100 9 1
same "hardly later" "[]" "$(found 'keeps the others')"
ranks 100 40 15
same "less than half" 1 "$(json "len($(found 'keeps the others'))")"
ranks 100 40 25
same "more than half" "[]" "$(found 'keeps the others')"
ranks 12 12 1
same "for a tenth of a second" 1 "$(json "len($(found 'keeps the others'))")"
ranks 8 12 1
same "for less" "[]" "$(found 'keeps the others')"

ranks 100 6 6
same "communication" 1 "$(json "len($(found 'blocking communication'))")"
ranks 100 4 4
same "little of it" "[]" "$(found 'blocking communication')"

# lives STEPS STEPS-ANEW MS1: both ranks are inside for 40 ms of each step, end, and are started anew, rank 1 for MS1
lives() {
	echo "[$((1000 + $1 * 100))ms] dltrace_proc:exit process=$p"
	now=$((1100 + $1 * 100)) again=$((p + 10))
	echo "[${now}ms] dltrace_proc:process process=$again pid=$((200 + rank)) begin=${now}ms exe=\"/bin/train\" rank=$rank ranks=2 local_rank=$rank"
	echo "[${now}ms] dltrace_proc:object process=$again type=7 id=3 handle=0x44000000 values=[2 2 $rank 0xabc 1]"
	awk -v old="$1" -v new="$2" -v p="$p" -v ms="$((rank ? $3 : 40))" 'BEGIN { for (i = 1; i <= old + new; i++) {
		late = i > old
		printf "[%dms] dltrace_comm:call thread=%d function=MPI_Allreduce library=1 duration=%dms bytes=1000 communicator=3 peer=-1\n",
		       1000 + i * 100 + late * 200, late ? p + 10 : p, late ? ms : 40
	} }'
	echo "[$((1200 + ($1 + $2) * 100))ms] dltrace_proc:exit process=$again"
}
two_ranks lives 10 100 40
same "ranks that were started anew do not wait for those before" "[]" "$(found 'keeps the others')"
two_ranks lives 10 100 15
same "who is late among those started anew" 1 "$(json "len($(found 'rank 1 keeps the others waiting'))")"

# threads APART: two of each rank are in two collectives of 3 s each, the second one so many ms later. Nothing tells
# iterations: it is of the 10 s that they live. $sum: their totals alone.
sum=
threads() {
	for t in 0 1; do
		echo "[1s] dltrace_proc:thread thread=$((p + 10 * t)) process=$p tid=$((100 + rank + 10 * t)) begin=1s"
		for at in 4000 8000; do
			[ "$sum" ] || echo "[$((at + t * $1))ms] dltrace_comm:call thread=$((p + 10 * t)) function=MPI_Allreduce library=1 duration=3s bytes=1000 communicator=3 peer=-1"
		done
	done
	echo "[11s] dltrace_sample:function process=$p function=MPI_Allreduce library=1 calls=4 outer_calls=4 total=12s outer_total=12s bytes=4000"
	echo "[11s] dltrace_proc:exit process=$p"
}
side_by_side() { two_ranks threads "$@"; }
blocked() {
	json "[[round(f['evidence'][k], 6) for k in ('share', 'least', 'most')] for f in r['findings'] if f['rule'] == 'communication'], [round(x['communication'], 6) for x in r['scaling']]"
}
side_by_side 0
same "two threads that wait at once wait once" "([[0.6, 0.6, 0.6]], [0.6])" "$(blocked)"
side_by_side 1000
same "one a second later" "([[0.8, 0.8, 0.8]], [0.8])" "$(blocked)"
sum=yes
side_by_side 0
same "of sums alone no more than all of the time" "([[1.0, 1.0, 1.0]], [1])" "$(blocked)"
