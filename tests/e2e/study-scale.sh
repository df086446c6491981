# SPDX-License-Identifier: MIT
# study scale: one rank, two on this host, and two on two hosts whose traces a relay collects; what is
# printed is dltrace-report's. A second call finds everything done.
. "$top_srcdir/tests/lib.sh"
need jq
need ip
need lttng-relayd
python_with_torch >/dev/null
[ "$(id -u)" = 0 ] && unshare -n -u -m true 2>/dev/null || skip "no root, or no right to make namespaces"
unshare -n ip link add v0 type veth peer name v1 2>/dev/null || skip "no veth devices"
export DLTRACE_BUILD="$top_builddir"
scale() {
	python3 "$top_srcdir/scripts/study/study" scale --frameworks pytorch-debian --model cifar_cnn --ranks 1,2 --hosts 1,2 \
		--relay --batch 4 --iterations 16 --examples 400 --folder study >out 2>err || fail "status $?: $(cat out err)"
}
scale
cat out
same "three runs" "ok ok ok" "$(sed -n 's/^[123] of 3 .*  //p' out | tr '\n' ' ' | sed 's/ $//')"
holds "three jobs" '[.scaling[] | [.ranks, .hosts, (.traces | length)]] | sort == [[1, 1, 1], [2, 1, 1], [2, 2, 2]]' study/scale/report.json
holds "steps" '[.scaling[].iterations] == [16, 16, 16]' study/scale/report.json
holds "all against one rank" '.scaling as $s | [.scaling[].reference] | unique | length == 1 and $s[.[0]].ranks == 1' study/scale/report.json
holds "communication" '[.scaling[] | select(.ranks == 2).communication > 0] == [true, true]' study/scale/report.json
holds "the network's hosts" '[.runs[].labels.hosts | values] == ["2"]' study/scale/report.json
holds "their way" '[.runs[].labels.way] | unique == ["DDP"]' study/scale/report.json
[ "$(grep -c '^ *-\|^PyTorch' out)" = 3 ] || fail "no table: $(cat out)"
scale
same "nothing is run again" "" "$(sed -n '/^[123] of 3/p' out)"

# Each host finds the others by name, and itself; the machine's own names are as they were.
python3 - "$top_srcdir" <<'END' || fail "names of hosts"
import subprocess, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1] + "/scripts/study")
from harness import hosts
before = open("/etc/hosts").read()
with hosts.Hosts(2) as there:
    for host in range(2):
        for other in range(2):
            words = [*there.on(host), "getent", "ahostsv4", hosts.name(other)]
            assert subprocess.run(words, capture_output=True, text=True).stdout.startswith(hosts.address(other)), words
assert open("/etc/hosts").read() == before
END
