# SPDX-License-Identifier: MIT
# The study with Debian's PyTorch and a few small photos: the same photos each time, runs in an order
# of chance, resumed where they ended, failures as results, and a report from the traces.
. "$top_srcdir/tests/lib.sh"
study=$top_srcdir/scripts/study/study
[ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import torch, torchvision, PIL' 2>/dev/null ||
	skip "Debian's PyTorch is not installed (python3-torch python3-torchvision)"
DLTRACE_BUILD=$top_builddir
export DLTRACE_BUILD
status_of() {
	python3 -c 'import json, sys; print(json.load(open(f"study/runs/{sys.argv[1]}/result.json"))[sys.argv[2]])' "$@"
}

# Photos: three classes, the first ones whatever the scale, bit for bit.
"$study" data small --scale 0.01 >out
same "photos" "study/data/small-0.01: 8 photos" "$(cat out)"
same "classes" "3 3 2" "$(for c in fire smoke none; do ls study/data/small-0.01/$c | wc -l; done | tr '\n' ' ' | sed 's/ $//')"
"$study" data small --scale 0.005 --folder other >out
cmp study/data/small-0.01/smoke/0001.jpg other/data/small-0.005/smoke/0001.jpg || fail "not the same photo"
[ "$(stat -c %s study/data/small-0.01/fire/0000.jpg)" -gt 100000 ] || fail "a small photo"
rm study/data/small-0.01/fire/0003.jpg
"$study" data small --scale 0.01 >out
[ -s study/data/small-0.01/fire/0003.jpg ] || fail "what was missing was not drawn"
"$study" data --images study/data/small-0.01 --name mine >out
same "linked" "$PWD/study/data/small-0.01/fire/0003.jpg" "$(readlink study/data/mine/fire/0001.jpg)"
"$study" data --images study 2>err && fail "photos without classes"
grep -q "has no folder fire smoke none" err || fail "said: $(cat err)"

# The order is that of the seed.
every='run --frameworks pytorch-debian --scale 0.01 --epochs 2 --threads 1'
run() {
	"$study" $every "$@"
}
run --dry-run >order1
run --dry-run >order2
run --dry-run --order 2 >order3
run --dry-run --models alexnet,vgg16 --mode sgd,batch >commas
run --dry-run --models alexnet vgg16 --mode sgd batch >spaces
same "words by commas and by spaces" "$(cat commas)" "$(cat spaces)"
same "as many runs" 12 "$(wc -l <spaces)"
cmp order1 order2 || fail "another order with the same seed"
same "four models, two modes, three times" 24 "$(wc -l <order1)"
[ "$(sort order1)" = "$(sort order3)" ] || fail "other runs"
cmp -s order1 order3 && fail "no other order with another seed"

# One that trains, traced and bare, and one that fails (it wants larger images): a result, too.
small='--models mobilenet_v2,alexnet --mode sgd --size 48 --repeats 1 --bare'
run $small >out || fail "study run: $(cat out)"
sed -n '/left/p' out | grep -q . || fail "no time left is told: $(cat out)"
base=pytorch-debian-mobilenet_v2-small-sgd-cpu-1
same "trained" 0 "$(status_of $base exit)"
same "failed" 2 "$(status_of pytorch-debian-alexnet-small-sgd-cpu-1 exit)"
grep -q "alexnet needs images" out || fail "why it failed: $(cat out)"
cmp study/runs/$base/stdout study/runs/$base-bare/stdout || fail "another output when recorded"
[ -e study/runs/$base/trace/recording ] && [ ! -e study/runs/$base-bare/trace ] || fail "traces"

# Again: nothing is left to do; after a crash the one that has no result.
run $small >out
same "resumed" "4 of 4 runs are done" "$(head -n 1 out)"
rm study/runs/$base/result.json
touch -r order1 study/runs/$base-bare/result.json
run $small >out
grep -q "^3 of 4 runs are done" out || fail "said: $(cat out)"
[ ! study/runs/$base-bare/result.json -nt order1 ] || fail "a run that was done was done again"
same "done again" 0 "$(status_of $base exit)"
run $small --size 64 2>err && fail "runs that cannot be compared in one folder"
grep -q "has runs with size 48" err || fail "said: $(cat err)"

# Those that failed, once more; no others.
touch -r order1 study/runs/*/result.json
run $small --retry >out
same "done before" "2 of 4 runs are done" "$(head -n 1 out)"
same "once more" "alexnet alexnet" "$(find study/runs -name result.json -newer order1 | sed 's/.*-debian-\(.*\)-small.*/\1/' | sort | tr '\n' ' ' | sed 's/ $//')"

# Killed in the middle, it leaves no training behind that would write where the next one does.
other="--models mobilenet_v2 --mode batch --size 48 --repeats 1"
"$study" $every $other >out 2>&1 &
while [ ! -e study/runs/pytorch-debian-mobilenet_v2-small-batch-cpu-1/trace/recording ]; do sleep 0.1; done
recorder=$(pgrep -P $!)
kill -KILL $!
wait $! || true
while kill -0 $recorder 2>/dev/null; do sleep 0.1; done
[ ! -e study/runs/pytorch-debian-mobilenet_v2-small-batch-cpu-1/result.json ] || fail "a result of what was killed"
! grep epoch study/runs/pytorch-debian-mobilenet_v2-small-batch-cpu-1/stdout || fail "it trained on"

# The time limit is a result.
run $other --time-limit 0.2s >out
grep -q "time limit of 0.2 s" out || fail "no limit: $(cat out)"

# A job whose data is made up: no photos of any set are needed for it.
run --models resnet50_features --data nowhere --mode batch --size 48 --repeats 1 >out || fail "a job: $(cat out)"
same "features" "2 2" "$(grep -c '^epoch [12]: 5 steps, mean' study/runs/pytorch-debian-resnet50_features-made-up-batch-cpu-1/stdout) \
$(ls study/data | grep -c .)"

# The report
"$study" report -o study.json -o study.html -o study.md -o tables.txt || fail "no report"
jq -e '.results | any(.model == "mobilenet_v2" and .mode_name == "SGD" and .failed == 0 and .iterations == [16] and
	(.name | startswith("PyTorch 1.")) and .total_s[0] > .training_s[0] and .training_s[0] > 0)' study.json >/dev/null ||
	fail "what was trained: $(cat study.json)"
jq -e '.results | any(.model == "mobilenet_v2" and .epoch_cpu_s[0] > 0 and .epoch_cpu_s[0] < .cpu_s[0])' study.json >/dev/null ||
	fail "CPU time of an epoch: $(cat study.json)"
jq -e '.results | any(.model == "resnet50_features" and .dataset == "made-up" and .failed == 0)' study.json >/dev/null ||
	fail "the job: $(cat study.json)"
jq -e '.failures | any(.run == "pytorch-debian-alexnet-small-sgd-cpu-1" and .ended == "exit 2")' study.json >/dev/null ||
	fail "what failed: $(cat study.json)"
jq -e '[.recording_cost[] | .[]] | length == 1 and .[0] > 0.1' study.json >/dev/null || fail "its cost: $(cat study.json)"
for file in study.html study.md tables.txt; do
	grep -q 'Table 1: CPU' $file && grep -q 'PyTorch 1\.' $file && grep -q 'exit 2' $file || fail "$file: $(cat $file)"
done
python3 - <<'END' || fail "phases: $(grep -A6 Phases tables.txt)"
lines = open("tables.txt").read().splitlines()
shares = lines[next(i for i, l in enumerate(lines) if l.endswith("allocations") and l.startswith("Phases")):][:5]
row = [cell for cell in shares[-1].split("  ") if cell.strip()]
numbers = [float(cell) for cell in row[2:] if cell.strip() != "–"]
assert abs(sum(numbers) - 100) < 10 and numbers[0] > 20, shares
END
grep -q 'data:image/svg+xml;base64,' study.html || fail "no figures in HTML"
for figure in curves-pytorch-debian-cpu functions-cpu kinds-cpu; do
	grep -q "study-figures/$figure.svg" study.md && grep -q '</svg>' study-figures/$figure.svg || fail "no figure $figure"
done
grep -q "$PWD" study.json && fail "a path of this machine"
exit 0
