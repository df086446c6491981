# SPDX-License-Identifier: MIT
# What a slow-down is made of: pairs of a bare and a recorded process at once, kept and gone on with, and a table
# with a verdict. The "framework" is a program that sleeps for a step and has a child at its start.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
cores=$(python3 -c 'import os; print(len(os.sched_getaffinity(0)))')
[ "$cores" -ge 2 ] || skip "one core"
DLTRACE_BUILD=$top_builddir TMPDIR=$TMP
export DLTRACE_BUILD TMPDIR top_srcdir
cat >training.py <<'END'
import os, resource, sys, threading, time
burn = "import time\nwhile time.process_time() < 0.1: pass"
os.spawnl(os.P_WAIT, sys.executable, sys.executable, "-c", burn)
limit = int(os.environ.get("TRAINING_STEPS", "0")) or 1 << 30
other = threading.Thread(target=time.sleep, args=(600,), daemon=True)
other.start()
with open(os.environ["STUDY_STEPS"], "w", buffering=1) as file:
    def says(word):
        theirs = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(word, time.monotonic(), time.process_time() + theirs.ru_utime + theirs.ru_stime, file=file)
    says("epoch")
    for step in range(limit):
        time.sleep(0.02)
        says("step")
        with open("cores." + str(os.getpid()), "a") as cores:
            print(*os.sched_getaffinity(0), "other", *os.sched_getaffinity(other.native_id), file=cores)
END
cat >sleeper.py <<'END'
import collections, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["top_srcdir"] + "/scripts/study")
from harness import cost, tables
cost.samples.SECONDS = 1
cost.SLICE, cost.SLICES = 0.1, 4
made = tables.read_frameworks(tables.read_environments())
framework = collections.namedtuple("F", "name script environment module way models variables")(
    "sleeper", os.path.abspath("training.py"), made["pytorch-debian"].environment, None, None, ["cifar_cnn"], {})
END

# Two pairs; then nothing is left to do, and one more only where more are wanted.
measure() {
	python3 - "$1" <<-'END'
	exec(open("sleeper.py").read())
	print(cost.measure(framework, "cifar_cnn", None, 64, ".", int(sys.argv[1]), 0))
	END
}
same "measured" True "$(measure 2)"
kept=sleeper-cifar_cnn/slowdown-64.json
same "pairs" 2 "$(jq '.pairs | length' $kept)"
# Both threads of each of the two in each pair were on both cores in turn, on one at a time; the one that was only looked
# at stayed on its own.
same "cores of each process" "1/1 2/2 2/2 2/2 2/2" "$(for file in cores.*; do
	awk 'NF != 3 { several++ } !seen[$1]++ { cores++ } !others[$3]++ { its++ } $1 != last { turns++ } { last = $1 }
		END { if (!several && (cores == 1 || turns >= 4)) print cores "/" its }' "$file"
done | sort | xargs)"
jq -e '.pairs | all(.step | .bare.wall >= 0.02 and .recorded.wall >= 0.02 and .bare.cpu < .bare.wall)' $kept >/dev/null ||
	fail "steps: $(cat $kept)"
jq -e '.pairs | all(.start | .bare.cpu >= 0.1 and .recorded.cpu >= 0.1 and .bare.wall >= 0.12)' $kept >/dev/null ||
	fail "starts, whose child takes 0.1 s: $(cat $kept)"
if perf record -q -e cpu-clock -o /dev/null true >/dev/null 2>&1; then
	jq -e '.samples | .all > 0 and .own >= 0 and .own < .all' $kept >/dev/null || fail "samples: $(cat $kept)"
fi
jq -e '.beside | .wall >= 1 and .cpu > 0 and .cpu < .wall' $kept >/dev/null || fail "the recorder's: $(cat $kept)"
cp $kept before
same "nothing to do" True "$(measure 2)"
cmp $kept before || fail "measured again"
same "one more" True "$(measure 3)"
same "went on" "3 true" "$(jq -r --slurpfile before before '"\(.pairs | length) \(.pairs[:2] == $before[0].pairs)"' $kept)"

# A control has two bare ones, and is kept beside it.
python3 - <<'END' || fail "no control"
exec(open("sleeper.py").read())
cost.check.recorded = None
assert cost.measure(framework, "cifar_cnn", None, 64, ".", 1, 0, cost.CONTROL)
END
same "control" "1 bare recorded" "$(jq -r '"\(.pairs | length) \(.pairs[0].step | keys | join(" "))"' sleeper-cifar_cnn/control-64.json)"
same "scratch" "" "$(find "$TMP" -maxdepth 1 -name 'dltrace-slowdown-*')"

# One that ends by itself was not measured; what was is kept.
same "too short" False "$(TRAINING_STEPS=3 measure 6)"
same "kept" 3 "$(jq '.pairs | length' $kept)"

# Verdicts: 0.5 % is within 1 %, 2 % is not, but is for Paddle; where the limit lies in the interval it is unclear.
python3 - <<'END' || fail "see above"
exec(open("sleeper.py").read())
def pairs(*shares):
    def timed(share):
        return {"bare": {"wall": 0.1, "cpu": 0.1}, "recorded": {"wall": 0.1 * (1 + share), "cpu": 0.1 * (1 + share)}}
    return [{phase: timed(share) for phase in cost.PHASES} for share in shares]
def cell(name, column, *shares):
    return cost.row(made[name], "alexnet", pairs(*shares), {})[column]
assert cell("mxnet", 3, *[0.005] * 8) == "+0.5 % [+0.5 .. +0.5] met", cell("mxnet", 3, *[0.005] * 8)
assert cell("mxnet", 3, *[0.02] * 8).endswith("] not met")
assert cell("paddle", 3, *[0.02] * 8).endswith("] met")
assert cell("mxnet", 8, *[0.02] * 8).endswith("] met"), "3 % for a start"
assert cell("mxnet", 5, 0, 0) == "-" == cell("mxnet", 6, 0, 0), "neither samples nor the recorder's"
found = {"samples": {"own": 100, "all": 10000}, "beside": {"cpu": 0.05, "wall": 20.0}}
assert cost.row(made["mxnet"], "alexnet", pairs(0, 0), found)[5:7] == ["1.00 % [0.80 .. 1.20]", "0.25 %"]
assert cost.told(cost.row(made["mxnet"], "alexnet", pairs(0, 0), found)) == (
    "mxnet alexnet: a step +0.0 % [+0.0 .. +0.0] met, CPU +0.0 % [+0.0 .. +0.0] met, in dltrace 1.00 % [0.80 .. 1.20], "
    "recorder 0.25 %; the start +0.0 % [+0.0 .. +0.0] met, CPU +0.0 % [+0.0 .. +0.0] met; 2 pairs")
assert cell("mxnet", 4, -0.01, -0.01, 0.03, 0.03, 0.0, 0.0, 0.02, 0.02).endswith("] unclear")
for name, share in ("mxnet", 0.004), ("tensorflow", 0.006), ("paddle", 0.5):
    path = cost.path_of("many", made[name], cost.check.model_of(made[name]), 64)
    os.makedirs(os.path.dirname(path))
    cost.plan.write(path, {"pairs": pairs(*[share] * 8), "seconds": 1})
together, = cost.together([made[name] for name in ("mxnet", "tensorflow", "paddle")], "many", 64)
assert together[3] == "+0.5 % [+0.4 .. +0.6] met" and together[-1] == "16", together
assert not cost.together([made["mxnet"]], "many", 64), "one alone"
cost.SLICE, cost.SLICES = 0.5, 12
assert [cost.slices_after(start) for start in (0.1, 0.9, 1.6, 30)] == [4, 4, 6, 12], "the longer the start, the more"
assert not list(cost.table(made.values(), "many", 224)), "pictures of another size"
END

# Theano's two processes would wait for each other's lock: each has a folder of its own to compile into, for good, and
# the pair that fills them does not count.
cat >compiler.py <<'END'
import os
flags = dict(flag.split("=") for flag in os.environ["THEANO_FLAGS"].split(","))
os.makedirs(flags["base_compiledir"], exist_ok=True)
with open(flags["base_compiledir"] + "/users", "a") as file:
    print(flags["mode"], os.environ.get("DLTRACE_RECORDING", "bare"), file=file)
exec(open(os.path.dirname(os.path.abspath(__file__)) + "/training.py").read())
END
python3 - <<'END' || fail "the pairs of what compiles"
exec(open("sleeper.py").read())
framework = framework._replace(name="compiler", script=os.path.abspath("compiler.py"),
                               variables={"THEANO_FLAGS": "base_compiledir=/nowhere/common,mode=FAST"})
assert cost.measure(framework, "cifar_cnn", None, 64, ".", 2, 0)
assert len(cost.kept(".", framework, "cifar_cnn", 64)["pairs"]) == 2
for kind, count in ("bare", 3), ("recorded", 4):
    users = open(f"compiler-cifar_cnn/compiled-{kind}/users").read().splitlines()
    assert len(users) == count and all(user.startswith("FAST ") for user in users), users
    assert all(user.endswith(" bare") == (kind == "bare") for user in users), users
END
