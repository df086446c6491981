# SPDX-License-Identifier: MIT
# PyTorch trains on two ranks with Gloo: the same result as without, ranks named, Gloo's collectives
# with their times in both processes, and the rank that is late is found.
. "$top_srcdir/tests/lib.sh"
need jq
python=$(python_with_torch)
"$python" -c 'import torch.distributed as d; assert d.is_available() and d.is_gloo_available()' 2>/dev/null ||
	"$python" -c 'import torch.distributed as d; d.ProcessGroupGloo' 2>/dev/null || skip "torch has no Gloo"

cat >train.py <<'END2'
import os, sys, time
import torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(1)
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method="file://" + sys.argv[1],
                        rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"]))
rank = dist.get_rank()
net = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10)))
optimizer = torch.optim.SGD(net.parameters(), 0.01)
numbers = torch.Generator().manual_seed(rank)
for step in range(25):
    if rank == 1:
        time.sleep(float(os.environ.get("LATE", 0)))
    loss = net(torch.randn(32, 64, generator=numbers)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.barrier()
# In one write: both ranks have the same pipe.
os.write(1, f"{rank} {float(sum(p.double().sum() for p in net.parameters())).hex()}\n".encode())
END2
cat >train.sh <<'END2'
export WORLD_SIZE=2
for rank in 0 1; do
	RANK=$rank LOCAL_RANK=$rank "$1" train.py "$PWD/$2" &
done
wait
END2
sh train.sh "$python" rendezvous1 2>/dev/null | sort >without
[ "$(wc -l <without)" = 2 ] || skip "torch cannot train with Gloo here: $(sh train.sh "$python" rendezvous3 2>&1 | tail -3)"
LATE=0.15 "$RECORD" -q -o run -- sh train.sh "$python" rendezvous2 2>err | sort >with
diff without with || fail "another result: $(cat err)"
"$REPORT" -q -o report.json run

holds "ranks" '[.processes[].rank | values] | sort == [0, 1]'
holds "both reduce in every step, at least" '[.communication[] | select(.function == "gloo::allreduce") |
	[.rank, .ranks, .calls >= 25, .communicator]] | sort == [[0, 2, true, "all of Gloo'"'"'s"], [1, 2, true, "all of Gloo'"'"'s"]]'
holds "as often" '[.communication[] | select(.function == "gloo::allreduce").calls] | unique | length == 1'
holds "rank 0 waits for rank 1" '
	[.communication[] | select(.function == "gloo::allreduce") | {rank, total_ns}] | sort_by(.rank) |
	.[0].total_ns > 2600000000 and .[0].total_ns > 3 * .[1].total_ns'
holds "which is found" '[.findings[] | select(.text | test("rank 1 keeps the others waiting"))] | length == 1'
holds "a layer of its own" '[.breakdown[] | select(.layer == "gloo").kind] | unique == ["communicate"]'
