# SPDX-License-Identifier: MIT
# LTTng's session daemon, or its consumer, is killed in the middle of a training: that goes on and ends as without
# dltrace, and the report says what died and since when, and shows what came before.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq
[ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import torch' 2>/dev/null || skip "Debian's PyTorch is not installed (python3-torch)"
cat >training.py <<'END'
import os, sys, time, torch
torch.manual_seed(1)
torch.set_num_threads(1)
net = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(16 * 62 * 62, 3))
sgd = torch.optim.SGD(net.parameters(), lr=0.001, momentum=0.9)
def train(steps):
    for step in range(steps):
        sgd.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(torch.randn(8, 3, 64, 64)), torch.randint(3, (8,)))
        loss.backward()
        sgd.step()
        print(f"{loss.item():.9f}", flush=True)
train(20)
open("halfway", "w").close()
while not os.path.exists("go"):  # the daemon is gone by then
    time.sleep(0.05)
train(200)
sys.exit(3)
END

touch go
/usr/bin/python3 training.py >bare || same "exit" 3 $?
for victim in sessiond:session consumerd:consumer; do
	name=${victim#*:}
	rm -f go halfway
	"$RECORD" -o $name -- /usr/bin/python3 training.py >out 2>err &
	recorder=$!
	until_so "the first steps" test -e halfway
	# All but the last second is on the disk, without a rotation, for which processes that start would wait.
	sleep 1.5
	[ ! -e $name/archives ] || fail "rotated unasked: $(ls $name/archives)"
	pid=$(below $recorder lttng-${victim%:*} | head -n 1)
	[ -n "$pid" ] || fail "no lttng-${victim%:*} below the recorder"
	kill -KILL $pid
	until_so "the recorder's word that the $name daemon died" grep -q "LTTng's $name daemon has died" $name/recording
	touch go
	status=0
	wait $recorder || status=$?
	same "exit status without its $name daemon" 3 $status
	cmp bare out || fail "another output without its $name daemon"
	grep -q "LTTng's $name daemon has died, recording has stopped [0-9.]* s after its start" err || fail "not said: $(cat err)"
	"$REPORT" -q -f json -o report.json $name || [ $? = 1 ]
	holds "what died, and when" ".limits | any(.kind == \"stopped\" and
		(.text | test(\"$name daemon has died, recording has stopped [0-9.]+ s after its start: what came later is missing\")))"
	holds "what came before" '.processes | any(.frameworks // [] | any(.name == "PyTorch"))'
	holds "its events" '.traces[0].events > 0'
done
