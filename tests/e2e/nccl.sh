# SPDX-License-Identifier: MIT
# NCCL on the stub, 2 and 4 processes: calls, bytes, peers; ranks and communicators are the same
# ones in all processes; the stub's own account agrees.
. "$top_srcdir/tests/lib.sh"
need jq

for ranks in 2 4; do
	rm -f id stub.*
	"$RECORD" -q -o "run$ranks" -- sh -c '
		for rank in $(seq 0 '$((ranks - 1))'); do
			RANK=$rank WORLD_SIZE='$ranks' LOCAL_RANK=$rank DLTRACE_STUB_REPORT=stub.$rank \
				"$0" $rank '$ranks' id 20 &
		done
		wait' "$APPS/nccl_work" || fail "status $?"
	"$REPORT" -q -o report.json "run$ranks"

	holds "ranks" "[.processes[] | select(.name == \"nccl_work\").rank | values] | sort == [range($ranks)]"
	holds "each rank is in its communicators once" "
		[.communication[] | select(.communicator == \"NCCL 1\" and .function == \"ncclAllReduce\") | .rank] | sort == [range($ranks)]"
	holds "all say how many" "[.communication[] | select(.communicator == \"NCCL 1\").ranks] | unique == [$ranks]"
	holds "one identity" '[.communication[] | select(.communicator == "NCCL 1").identity] | unique | length == 1'
	holds "even and odd" "
		[.communication[] | select(.function == \"ncclBroadcast\")] |
		([.[].communicator] | unique) == [\"NCCL 2\", \"NCCL 3\"] and length == $ranks and ([.[].bytes] | unique) == [10]"
	holds "what NCCL itself makes a call of is that call" "
		[.communication[] | select(.function == \"ncclBcast\") | [.calls, .bytes]] == [range($ranks) | [1, 18]] and
		[.breakdown[] | select(.function == \"ncclBroadcast\").calls] == [range($ranks) | 1]"
	for sum in "ncclAllReduce 20 80000" "ncclAllGather 20 800" "ncclReduceScatter 20 $((20 * 28 * ranks))" \
		   "ncclSend 20 8000" "ncclRecv 20 8000" "ncclGroupEnd 20 0" "ncclCommInitRank 1 0" \
		   "ncclAllReduceConfig 1 44" "ncclReduceScatterConfig 1 $((12 * ranks))" "ncclScatterConfig 1 8"; do
		set -- $sum
		holds "$1" "[.communication[] | select(.function == \"$1\") | [.calls, .bytes, .failed]] == [range($ranks) | [$2, $3, 0]]"
	done
	for rank in $(seq 0 $((ranks - 1))); do
		same "stub of rank $rank" "libnccl.so.2 ncclAllReduce 20 0 80000" "$(sed -n 's/\(.* ncclAllReduce .*\) [0-9]*$/\1/p' stub.$rank)"
	done
	holds "a layer of its own" '[.breakdown[] | select(.layer == "nccl" and .function == "ncclAllReduce").kind] | unique == ["launch"]'
	holds "nothing lost" '[.limits[] | select(.kind == "lost")] == []'
	"$REPORT" -q --dump "run$ranks" | grep -q "dltrace_comm:call .*function=.* bytes=400 communicator=1 peer=$((ranks - 1)) stream=[1-9]" ||
		fail "no message to the last rank on a stream"
done
"$REPORT" --width 120 run4 >text
grep -q "ncclAllReduce *NCCL 1 *4 *80 " text || fail "not in the text: $(grep ncclAllReduce text)"

# CuPy and Paddle look NCCL up by themselves.
"$RECORD" -q -o asked -- /usr/bin/python3 -c '
import ctypes, sys
nccl = ctypes.CDLL(sys.argv[1])
for i in range(7):
    nccl.ncclGroupStart()
    nccl.ncclGroupEnd()' "$STUBS/libnccl.so.2" || fail "status $?"
"$REPORT" -q -o report.json asked
holds "by dlsym" '[.communication[] | [.function, .calls]] | sort == [["ncclGroupEnd", 7], ["ncclGroupStart", 7]]'
