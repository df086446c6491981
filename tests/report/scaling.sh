# SPDX-License-Identifier: MIT
# Throughput, speed-up and efficiency of four ranks against one, in one trace and in one a host; what
# communication takes, and who keeps the others waiting.
. "$top_srcdir/tests/lib.sh"

# ranks FIRST LAST OF STEP-MS [HOST]: events of these ranks; 20 steps each; rank 2 comes late to each collective.
# $early: so many collectives, a minute in all, come before them.
# $said: more of what their processes say. $silent: their collectives are not seen. $wires: but their sockets.
export said='' silent='' wires='' twice='' early=''
ranks() {
	python3 - "$@" <<-'END'
	import os, sys
	first, last, of, step = map(int, sys.argv[1:5])
	host = sys.argv[5] if len(sys.argv) > 5 else "a"
	for r in range(first, last + 1):
	    t = r + 1
	    said = f"rank={r} ranks={of} local_rank={r} " + os.environ["said"] if of > 1 else ""
	    print(f'[1s] dltrace_proc:process process={t} pid={100 + r} begin=1s exe="/bin/train" host="{host}" command="train\\x1f--batch\\x1f8" {said}')
	    print(f'[1s] dltrace_proc:thread thread={t} process={t} tid={100 + r} begin=1s')
	    print(f'[1s] dltrace_proc:thread thread={t + 10} process={t} tid={200 + r} begin=1s')
	    print('[1s] dltrace_proc:function function=MPI_Allreduce layer="mpi" kind="communicate" name="MPI_Allreduce"')
	    for name in ("sendmsg", "recvmsg"):
	        print(f'[1s] dltrace_proc:function function={name} layer="network" kind="transfer" name="{name}"')
	    if not os.environ["silent"]: print(f'[1s] dltrace_proc:object process={t} type=7 id=3 handle=0x44 values=[2 {of} {r} 0xabc 1]')
	    early, start = int(os.environ["early"] or 0), 61000 if os.environ["early"] else 1000
	    for i in range(early):
	        print(f'[{1000 + (i + 1) * 60000 // early}ms] dltrace_comm:call thread={t} function=MPI_Allreduce library=1 duration={60000 // early}ms communicator=3 peer=-1')
	    for i in range(20):
	        end = start + (i + 1) * step
	        if of > 1 and not os.environ["silent"]:
	            wait = 5 if r == 2 else 25
	            print(f'[{end - 1}ms] dltrace_comm:call thread={t} function=MPI_Allreduce library=1 duration={wait}ms bytes=256 communicator=3 peer=-1')
	            if os.environ["twice"]:
	                print(f'[{end - 3}ms] dltrace_comm:call thread={t + 10} function=MPI_Allreduce library=1 duration={wait - 3}ms communicator=3 peer=-1')
	        for name, at in (("sendmsg", 20), ("recvmsg", 14.5), ("sendmsg", 4.5)) if os.environ["wires"] else ():
	            print(f'[{end - at}ms] dltrace_comm:call thread={t} function={name} library=1 duration=5ms bytes=1M peer=-1')
	        print(f'[{end - step}ms] dltrace_mark:range thread={t} begun_by={t} kind=5 payload_type=1 payload={i} domain="dltrace" name="step"')
	    print(f'[{start + 20 * step}ms] dltrace_proc:exit process={t} code=0')
	END
}
trace() {
	{
		echo dltrace-text 1
		cat
	} >"$1.txt"
}
scaling() {
	"$REPORT" -q -f json "$@" >"$TMP/r.json" || fail "dltrace-report: $?"
}
ranks 0 0 1 100 | trace one
ranks 0 3 4 125 | trace four
ranks 0 1 4 125 a | trace a
ranks 2 3 4 125 b | trace b
row='[(x["traces"], x["hosts"], x["ranks"], x["iterations"], round(x["throughput"], 6), round(x["examples_per_second"], 6), x["reference"], round(x["speedup"], 6), round(x["efficiency"], 6)) for x in r["scaling"]]'
scaling four.txt one.txt
same "against one rank" "[([0], 1, 4, 20, 32, 256, 1, 3.2, 0.8), ([1], 1, 1, 20, 10, 80, 1, 1, 1)]" "$(json "$row")"
same "rank 2 is waited for" "(2, True)" "$(json '(lambda x: (x["straggler"], x["straggler_gap"] > 0.1))(r["scaling"][0])')"
same "communication" "[0.04, 0.16, 0.2]" "$(json '(lambda x: sorted([round(x["communication_least"] * 2.5 / 2.5, 2), round(x["communication"], 2), round(x["communication_most"], 2)]))(r["scaling"][0])')"
for early in 15 600; do
	ranks 0 3 4 125 | trace waited
	scaling waited.txt
	same "$early calls before the first step" "[(0.16, 0.04, 0.2)]" "$(json '[tuple(round(x[k], 2) for k in ("communication", "communication_least", "communication_most")) for x in r["scaling"]]')"
done
early=''
scaling one.txt a.txt b.txt
same "a trace a host" "[([0], 1, 1, 20, 10, 80, 0, 1, 1), ([1, 2], 2, 4, 20, 32, 256, 0, 3.2, 0.8)]" "$(json "$row")"
ranks 0 0 1 80 | trace fast
ranks 0 0 1 120 | trace slow
scaling slow.txt four.txt one.txt fast.txt
same "against the one in the middle" "[(2, 0.833333), (2, 3.2), (2, 1), (2, 1.25)]" \
	"$(json '[(x["reference"], round(x["speedup"], 6)) for x in r["scaling"]]')"
scaling fast.txt four.txt slow.txt
same "of two the faster one" "[0, 0, 0]" "$(json '[x["reference"] for x in r["scaling"]]')"
scaling --baseline four.txt one.txt
same "a baseline of one's own" "[(0, 1, 1), (0, 0.3125, 1.25)]" "$(json '[(x["reference"], x["speedup"], x["efficiency"]) for x in r["scaling"]]')"
scaling one.txt one.txt
same "no ranks" "[]" "$(json 'r["scaling"]')"
"$REPORT" -q one.txt a.txt b.txt --width 100 >text
grep -q '^ *1 *4 *2 .* 3.20 *80.0 %' text || fail "no scaling in the text"
"$REPORT" -q one.txt a.txt b.txt --figure scaling -o f.svg
for word in Speed-up Communication Ranks "on 2 hosts" ideal; do
	grep -q ">$word[^<]*</text>" f.svg || fail "the figure has no $word"
done
"$REPORT" -q one.txt --figure scaling -o f.svg
grep -q '>no job of several ranks was recorded</text>' f.svg || fail "the figure of one rank says nothing"
! grep -q '>ideal<' f.svg || fail "the figure of one rank has a legend"
"$REPORT" -q one.txt -o figures.svg/
[ ! -e figures.svg/scaling.svg ] || fail "a figure of one rank"

# Half of the ranks are there: what each of them gives is the same. What one gets is no gift, nor what all get from one.
same "bytes a step of two of four" "[(4, 256)]" "$(scaling a.txt; json '[(x["ranks"], x["communication_bytes"]) for x in r["scaling"]]')"
awk '{ print } /function=MPI_Allreduce library=1/ { sub("MPI_Allreduce", "MPI_Send"); sub("peer=-1", "peer=0"); print
	sub("MPI_Send", "MPI_Recv"); print; sub("MPI_Recv", "MPI_Bcast"); print; sub("MPI_Bcast", "MPI_File_write"); print }
	NR == 3 { for (n = split("Send Recv Bcast File_write", name); n; n--)
		printf "[1s] dltrace_proc:function function=MPI_%s layer=\"mpi\" kind=\"communicate\" name=\"MPI_%s\"\n", name[n], name[n] }' a.txt >more.txt
scaling more.txt
same "what is sent, and a part of a broadcast" 576 "$(json 'r["scaling"][0]["communication_bytes"]')"

# A broadcast of two of the ranks: each has half of it, and a quarter where nobody knows on which communicator it was.
halves() {
	sed -E -e "/MPI_Bcast library/s/communicator=3/communicator=$1/" \
		-e 's/^(.* process=)([12])( type=7 )id=3 .*/&\n\1\2\3id=5 handle=0x55 values=[2 2 0 0xdef 0]/' more.txt >halves.txt
	scaling halves.txt
	json 'r["scaling"][0]["communication_bytes"]'
}
same "a part of a broadcast of two" 640 "$(halves 5)"
same "a part of a broadcast of nobody knows how many" 576 "$(halves 0)"

# Ranks whose collectives nobody sees (Gloo inside of PyPI's torch): what their launcher says of the job.
silent=yes said=job=0x77
ranks 0 1 4 125 a | trace c
ranks 2 3 4 125 b | trace d
scaling one.txt c.txt d.txt
same "one job by its launcher" "[([0], 1, 1, 20, 10, 80, 0, 1, 1), ([1, 2], 2, 4, 20, 32, 256, 0, 3.2, 0.8)]" "$(json "$row")"
same "one run" "[(0, 1), (1, 2)]" "$(json '[(x["trace"], x["traces"]) for x in r["runs"]]')"
same "of two hosts" "{'ranks': '4', 'hosts': '2'}" "$(json '{k: r["runs"][1]["labels"][k] for k in ("ranks", "hosts")}')"
same "jobs of traces" "[0, 1, 1]" "$(json '[x["job"] for x in r["traces"]]')"
same "communication that is not seen is said" 4 "$(json 'sum("none of its communication was seen" in x["text"] for x in r["limits"])')"
scaling one.txt four.txt
same "what is seen is not" 0 "$(json 'sum("none of its communication was seen" in x["text"] for x in r["limits"])')"
scaling c.txt c.txt d.txt
same "a repetition has the same ranks" "[0, 1, 0]" "$(json '[x["job"] for x in r["traces"]]')"
said=job=0x78
ranks 2 3 4 125 b | trace d
scaling c.txt d.txt
same "another job" "[0, 1]" "$(json '[x["job"] for x in r["traces"]]')"

# Of their sockets there is the time in which data moved, with pauses of 0.5 ms and not with those of 5 ms.
wires=yes
ranks 0 3 4 125 | trace wires
scaling one.txt wires.txt
same "data moves" "[(0.124, 0.124, 0.124, 2097152)]" "$(json '[tuple(round(x[k], 6) for k in ("communication", "communication_least", "communication_most", "communication_bytes")) for x in r["scaling"] if x["ranks"] == 4]')"
same "and what that is" "(0, 4)" "$(json 'tuple(sum(t in x["text"] for x in r["limits"]) for t in ("none of its communication was seen", "when its sockets moved data"))')"
# Who says what he moves is not asked what his sockets moved for it; two threads that wait at once wait once.
silent='' twice=yes
ranks 0 3 4 125 | trace wires
scaling one.txt wires.txt
same "bytes that are said" "[256]" "$(json '[x["communication_bytes"] for x in r["scaling"] if x["ranks"] == 4]')"
same "two threads at once" "[0.04, 0.16, 0.2]" "$(json '(lambda x: sorted([round(x["communication_least"], 2), round(x["communication"], 2), round(x["communication_most"], 2)]))(r["scaling"][0] if r["scaling"][0]["ranks"] == 4 else r["scaling"][1])')"
wires='' twice='' silent=yes

# The same work is compared, whatever else is there.
scaling one.txt four.txt a.txt b.txt --label 'one*:model=x' --label 'a.txt:model=x'
same "of the same model" "[(0, 'x'), (1, None), (0, 'x')]" "$(json '[(x["reference"], x["name"]) for x in r["scaling"]]')"
