# SPDX-License-Identifier: MIT
# Two hosts (network, host name and mounts of their own) train one net with PyTorch's
# DistributedDataParallel, each with a recording of its own, on disk or collected by a relay; beside the
# trace of one rank they are one job on two hosts: speed-up, waiting, clocks, one axis, one run.
. "$top_srcdir/tests/lib.sh"
need jq
need ip
need lttng-relayd
python=$(python_with_torch)
"$python" -c 'import torch.distributed as d; d.ProcessGroupGloo' 2>/dev/null || skip "torch has no Gloo"
[ "$(id -u)" = 0 ] && unshare -n -u -m true 2>/dev/null || skip "no root, or no right to make namespaces"

cat >train.py <<'E2'
import os, sys, time
import torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(1)
torch.set_num_threads(1)
rank, ranks = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
net = torch.nn.Sequential(torch.nn.Conv2d(3, 64, 5, 2), torch.nn.ReLU(), torch.nn.Conv2d(64, 64, 5, 2), torch.nn.ReLU(),
                          torch.nn.Flatten(), torch.nn.Linear(64 * 5 * 5, 256), torch.nn.ReLU(), torch.nn.Linear(256, 3))
if ranks > 1:
    dist.init_process_group("gloo")
    net = DistributedDataParallel(net)
optimizer = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
numbers = torch.Generator().manual_seed(rank)
for step in range(24):
    if rank == 1:
        time.sleep(0.1)
    images = torch.randn(32, 3, 32, 32, generator=numbers)
    loss = torch.nn.functional.cross_entropy(net(images), torch.arange(32) % 3)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
if ranks > 1:
    dist.barrier()
# In one write.
os.write(1, f"{rank} {float(sum(p.double().sum() for p in net.parameters())).hex()}\n".encode())
E2

# host NAME: a process that holds the namespaces of a host; its pid in $held
held=
host() {
	unshare -n -u -m sh -c 'hostname "$1"; mount -t tmpfs none /run/lttng; exec sleep 1000' sh "$1" &
	held=$!
	hosts="$hosts $held"
	for i in $(seq 600); do
		[ "$(nsenter -t $held -u hostname 2>/dev/null)" = "$1" ] && return
		sleep 0.05
	done
	fail "no namespaces for $1"
}
hosts=
trap 'kill $hosts 2>/dev/null || :' EXIT
mkdir -p /run/lttng
host alpha; alpha=$held
host beta; beta=$held
ip link add v0 netns $alpha type veth peer name v0 netns $beta || skip "no veth devices"
number=1
for pid in $alpha $beta; do
	on="nsenter -t $pid -n"
	$on ip addr add 10.77.0.$number/24 dev v0
	$on ip link set lo up
	$on ip link set v0 up
	number=$((number + 1))
done
export MASTER_ADDR=10.77.0.1 MASTER_PORT=29511 GLOO_SOCKET_IFNAME=v0

# rank HOST-PID NUMBER WORDS...
rank() {
	pid=$1 number=$2
	shift 2
	RANK=$number LOCAL_RANK=0 WORLD_SIZE=2 timeout -s KILL 120 nsenter -t $pid -n -u -m --wd="$PWD" "$@"
}
train() {
	rank $alpha 0 "$@" &
	first=$!
	rank $beta 1 "$@" || fail "rank 1: status $?: $(cat err)"
	wait $first || fail "rank 0: status $?: $(cat err)"
}
train "$python" train.py 2>err >without
sort without >expected
[ "$(wc -l <expected)" = 2 ] || skip "torch cannot train with Gloo over a veth pair here: $(tail -3 err)"

"$RECORD" -q --label net=small -o one -- "$python" train.py >out 2>err || fail "one rank: $(cat err)"
train sh -c 'exec "$0" -q --label net=small -o "disk-%h" -- "$@"' "$RECORD" "$python" train.py 2>err | sort >with
diff expected with || fail "another result on disk: $(cat err)"

nsenter -t $alpha -n -u -m lttng-relayd --output="$PWD/collected" --control-port=tcp://0.0.0.0:5342 \
	--data-port=tcp://0.0.0.0:5343 --live-port=tcp://127.0.0.1:5344 >relayd 2>&1 &
hosts="$hosts $!"
for i in $(seq 600); do
	nsenter -t $beta -n bash -c ': </dev/tcp/10.77.0.1/5342' 2>/dev/null && break
	sleep 0.1
done
train "$RECORD" -q --label net=small --relay net://10.77.0.1:5342:5343 -- "$python" train.py 2>err | sort >with
diff expected with || fail "another result over the relay: $(cat err)"
same "a folder a host" "alpha beta" "$(ls collected | tr '\n' ' ' | sed 's/ $//')"

# check NAME TRACE...: of one rank, of rank 0, of rank 1
check() {
	name=$1
	shift
	"$REPORT" -q --label 'one:batch=32' --label '*a*:batch=32' "$@" -o report.json -o report.trace.json ||
		fail "$name: status $?"
	holds "$name: jobs" '[.traces[].job] == [0, 1, 1]'
	holds "$name: iterations of each rank" '[.iterations[].count] == [24, 24, 24]'
	holds "$name: scaling" '.scaling | length == 2 and .[1].ranks == 2 and .[1].hosts == 2 and
		.[1].iterations == 24 and .[1].reference == 0 and .[1].traces == [1, 2]'
	holds "$name: speed-up by the medians" '.scaling[1] as $two | .scaling[0] as $one |
		($two.speedup - 2 * $one.iteration_ns / $two.iteration_ns | fabs) < 1e-9 and
		($two.efficiency - $two.speedup / 2 | fabs) < 1e-9 and
		($two.examples_per_second / ($two.throughput * 32) - 1 | fabs) < 1e-9'
	holds "$name: rank 1 keeps the other waiting" '.scaling[1].straggler == 1 and .scaling[1].communication > 0.01 and
		.scaling[1].communication_most <= 1'
	holds "$name: one run of two hosts" '[.runs[] | [.trace, .traces, .labels.hosts, .labels.net]] ==
		[[0, 1, null, "small"], [1, 2, "2", "small"]]'
	holds "$name: one clock of two" '.clocks | length == 1 and .[0].host == "beta" and .[0].calls >= 24 and
		.[0].low_ns <= .[0].offset_ns and .[0].offset_ns <= .[0].high_ns'
	holds "$name: offset" "(.clocks[0].offset_ns - $offset | fabs) < 2e8"
	holds "$name: the shift is the offset's" '.traces[2].shift_ns ==
		(.traces[2].begin_ns[-15:] | tonumber) - (.traces[1].begin_ns[-15:] | tonumber) - .clocks[0].offset_ns'
	# The k-th all-reduce of both ranks ends at about the same time on the timeline.
	python3 - report.trace.json <<-'E3' || fail "$name: the timeline has the hosts on two axes"
	import json, statistics, sys
	events = json.load(open(sys.argv[1]))
	events = events["traceEvents"] if isinstance(events, dict) else events
	ends = {}
	for e in events:
	    if e.get("name") == "gloo::allreduce" and "dur" in e:
	        ends.setdefault(e["pid"], []).append(e["ts"] + e["dur"])
	a, b = (sorted(x) for x in ends.values())
	sys.exit(len(a) != len(b) or statistics.median(abs(x - y) for x, y in zip(a, b)) > 1e6)
	E3
}
offset=0
check "on disk" one disk-alpha disk-beta
check "over the relay" one collected/alpha/* collected/beta/*

# The second host's clock is 0.8 s ahead (the two still overlap): what its recording says of its clock, changed.
python3 - disk-beta <<'E4'
import pathlib, re, sys
for path in pathlib.Path(sys.argv[1]).rglob("metadata"):
    ahead = lambda m: m[1] + str(int(m[2]) + 800_000_000).encode().rjust(len(m[2]))
    data, count = re.subn(rb"(\boffset = )(\d{19})(?=;)", ahead, path.read_bytes())
    assert count == 1, count
    path.write_bytes(data)
E4
offset=800000000
check "with clocks apart" one disk-alpha disk-beta
"$REPORT" -q one disk-alpha disk-beta --width 100 >text
grep -q '^ *1 .* 2 *2 ' text || fail "no scaling in the text: $(cat text)"
