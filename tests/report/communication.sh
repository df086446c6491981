# SPDX-License-Identifier: MIT
# The table `communication`: by process, communicator and function; what only the totals know; the
# same communicator in several processes; who is late; failures of MPI are not CUDA's.
. "$top_srcdir/tests/lib.sh"
{
	echo 'dltrace-text 1'
	for rank in 0 1 2 3; do
		p=$((rank + 1))
		echo "[1s] dltrace_proc:process process=$p pid=$((100 + rank)) begin=1s exe=\"/bin/train\" rank=$rank ranks=4 local_rank=$rank"
		echo "[1s] dltrace_proc:object process=$p type=7 id=3 handle=0x44000000 values=[2 4 $rank 0xabc 1]"
		echo "[1s] dltrace_proc:object process=$p type=7 id=7 handle=0x7f00 values=[1 0 0xffffffffffffffff 0xdef$((rank % 2)) 0]"
		# Rank 2 comes late: the others wait 5 s for it.
		wait=5s
		[ $rank != 2 ] || wait=100ms
		echo "[10s] dltrace_sample:thread thread=$p time=10s since=$([ $rank = 2 ] && echo 9900ms || echo 5s) function=MPI_Allreduce"
		[ $rank = 2 ] || echo "[10s] dltrace_comm:call thread=$p function=MPI_Allreduce library=1 duration=0xffffffff bytes=1000 communicator=3 peer=-1"
		[ $rank != 2 ] || echo "[10s] dltrace_comm:call thread=$p function=MPI_Allreduce library=1 duration=100ms bytes=1000 communicator=3 peer=-1"
		echo "[11s] dltrace_comm:call thread=$p function=ncclAllReduce library=1 duration=10us bytes=4000 communicator=7 peer=-1 stream=1"
		echo "[11s] dltrace_comm:call thread=$p function=ncclAllReduce library=1 duration=10us bytes=4000 communicator=7 peer=-1 result=7"
		echo "[11s] dltrace_comm:call thread=$p function=MPI_Send library=1 duration=1ms bytes=50 communicator=3 peer=1 result=6"
		echo "[11s] dltrace_proc:exit process=$p"
	done
	echo '[11s] dltrace_sample:function process=1 function=ncclAllReduce library=1 calls=5 outer_calls=5 total=100us outer_total=100us bytes=20000'
	for name in "MPI_Allreduce mpi communicate" "MPI_Send mpi communicate" "ncclAllReduce nccl launch"; do
		set -- $name
		echo "[1s] dltrace_proc:function function=$1 layer=\"$2\" kind=\"$3\" name=\"$1\""
	done
} | report_text
comm='[(x["rank"], x["ranks"], x["calls"], x["bytes"], x["total_ns"] // 1000000) for x in sorted(rows("communication", FILTER), key=lambda x: x["process"])]'
table() {
	json "$(echo "$comm" | sed "s/FILTER/$1/")"
}
same world "[(0, 4, 1, 1000, 5000), (1, 4, 1, 1000, 5000), (2, 4, 1, 1000, 100), (3, 4, 1, 1000, 5000)]" \
	"$(table 'communicator="MPI_COMM_WORLD", function="MPI_Allreduce"')"
same "two of NCCL's, not failed when in progress" "[('NCCL 1', 2, 8000, 0), ('NCCL 2', 2, 8000, 0), ('NCCL 1', 2, 8000, 0), ('NCCL 2', 2, 8000, 0)]" \
	"$(json '[(x["communicator"], x["calls"], x["bytes"], x["failed"]) for x in sorted(r["communication"], key=lambda x: x["process"]) if x["function"] == "ncclAllReduce" and x["communicator"]]')"
same "only in the totals" "[(None, 3, 12000, 80000)]" \
	"$(json '[(x["rank"], x["calls"], x["bytes"], x["total_ns"]) for x in rows("communication", function="ncclAllReduce", communicator=None)]')"
same "bytes by time where it blocks" "[200, None]" \
	"$(json '[row("communication", rank=0, function="MPI_Allreduce")["bytes_per_second"], row("communication", communicator="NCCL 1")["bytes_per_second"]]')"
same late "[('warning', 2, 4)]" \
	"$(json '[(f["severity"], f["evidence"]["rank"], f["evidence"]["ranks"]) for f in r["findings"] if "keeps the others waiting on MPI_COMM_WORLD" in f["text"]]')"
same share "[4]" "$(json '[f["evidence"]["processes"] for f in r["findings"] if "blocking communication" in f["text"]]')"
same "errors of MPI" "[('communication-error', 'MPI_Send of 50 B returned 6, 1 time')]" \
	"$(json 'sorted({(f["kind"], f["text"]) for f in r["failures"] if f["function"] == "MPI_Send"})')"
"$REPORT" trace.txt >text
grep -q 'MPI_Allreduce *MPI_COMM_WORLD' text || fail "no communication in the text"
"$REPORT" --rank 0 --layer nccl -f csv --table communication trace.txt >csv
same "filtered" 2 "$(($(wc -l <csv) - 1))"

# Ranks that are apart by less than a tenth of a second are not worth a word.
for rank in 0 1; do
	p=$((rank + 1))
	echo "[1s] dltrace_proc:process process=$p pid=$((100 + rank)) begin=1s exe=\"/bin/train\" rank=$rank ranks=2 local_rank=$rank"
	echo "[1s] dltrace_proc:object process=$p type=7 id=3 handle=0x44000000 values=[2 2 $rank 0xabc 1]"
	echo "[2s] dltrace_comm:call thread=$p function=MPI_Allreduce library=1 duration=$((1 + 80 * rank))ms bytes=1000 communicator=3 peer=-1"
	echo '[1s] dltrace_proc:function function=MPI_Allreduce layer="mpi" kind="communicate" name="MPI_Allreduce"'
done | { echo 'dltrace-text 1'; cat; } | report_text
same "not worth a word" "[]" "$(json '[f for f in r["findings"] if "keeps the others" in f["text"]]')"

# Whose calls: the training's own, or those of a thread that communicates for it.
whose() {
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train" rank=0 ranks=2'
		echo "[1s] dltrace_proc:library process=1 library=1 base=0x1000 size=4096 path=\"$1\""
		echo '[1s] dltrace_proc:function function=MPI_Allreduce layer="mpi" kind="communicate" name="MPI_Allreduce"'
		echo '[2s] dltrace_comm:call thread=1 function=MPI_Allreduce library=1 duration=1ms bytes=1000 communicator=3 peer=-1'
	} | report_text
	json '[x["text"].split(": ")[-1] for x in rows("limits", kind="precision") if "communication of Horovod" in x["text"]]'
}
same "Horovod's thread" "['how long the training waits for it is not known']" \
	"$(whose /lib/python3/site-packages/horovod/torch/mpi_lib_v2.cpython-38-x86_64-linux-gnu.so)"
same "the training's own calls" "[]" "$(whose /lib/libtorch_cpu.so)"

# The world's rank is the process's where MPI was not asked; who talks by NCCL or MPI and over sockets moves
# what he says, not both.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train" rank=3 ranks=4
[1s] dltrace_proc:object process=1 type=7 id=3 handle=0x44000000 values=[2 0 0xffffffffffffffff 0xabc 1]
[1s] dltrace_proc:object process=1 type=7 id=4 handle=0x7f00 values=[2 0 0xffffffffffffffff 0xdef 0]
[1s] dltrace_proc:function function=MPI_Allreduce layer="mpi" kind="communicate" name="MPI_Allreduce"
[2s] dltrace_comm:call thread=1 function=MPI_Allreduce library=1 duration=1ms bytes=1000 communicator=3 peer=-1
[2s] dltrace_comm:call thread=1 function=MPI_Allreduce library=1 duration=1ms bytes=1000 communicator=4 peer=-1
END
same "the world's rank" "[('MPI 1', None), ('MPI_COMM_WORLD', 3)]" "$(json 'sorted((c["communicator"], c["rank"]) for c in r["communication"])')"

# The longest call by the totals: of sockets; of other calls it is among those without a communicator where no event is.
report_text <<'EVENTS'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train" rank=0 ranks=2
[1s] dltrace_proc:object process=1 type=7 id=3 handle=0x7f00 values=[1 2 0 0xdef 0]
[1s] dltrace_proc:function function=recv layer="network" kind="transfer" name="recv"
[1s] dltrace_proc:function function=send layer="network" kind="transfer" name="send"
[1s] dltrace_proc:function function=ncclAllReduce layer="nccl" kind="launch" name="ncclAllReduce"
[1s] dltrace_proc:function function=ncclBroadcast layer="nccl" kind="launch" name="ncclBroadcast"
[2s] dltrace_comm:call thread=1 function=recv library=1 duration=60us bytes=9 peer=-1
[2s] dltrace_comm:call thread=1 function=ncclAllReduce library=1 duration=10us bytes=4 communicator=3 peer=-1
[2s] dltrace_comm:call thread=1 function=ncclBroadcast library=1 duration=10us bytes=4 communicator=3 peer=-1
[3s] dltrace_sample:function process=1 function=recv library=1 calls=3 outer_calls=1 total=8ms outer_total=60us max=6ms
[3s] dltrace_sample:function process=1 function=send library=1 calls=2 outer_calls=0 total=400us max=277us
[3s] dltrace_sample:function process=1 function=ncclAllReduce library=1 calls=3 outer_calls=3 total=70us outer_total=70us max=50us
[3s] dltrace_sample:function process=1 function=ncclBroadcast library=1 calls=3 outer_calls=3 total=16us outer_total=16us max=10us
EVENTS
same "the longest" "[('ncclAllReduce', 'NCCL 1', 10000), ('ncclAllReduce', None, 50000), ('ncclBroadcast', 'NCCL 1', 10000), ('ncclBroadcast', None, None), ('recv', None, 6000000), ('send', None, 277000)]" \
	"$(json 'sorted(((c["function"], c["communicator"], c["max_ns"]) for c in r["communication"]), key=lambda c: (c[0], str(c[1] is None)))')"
