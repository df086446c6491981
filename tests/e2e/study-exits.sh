# SPDX-License-Identifier: MIT
# How check-frameworks and check-iterations end: 0 where all that was asked for is right, 1 where a step or a start takes
# longer than was promised, where silent scripts' epochs are not found, or more than one of twenty is not right. Nothing is
# trained: what earlier runs would have left is made up.
. "$top_srcdir/tests/lib.sh"
export top_srcdir
python3 - <<'END' || fail "see above"
import contextlib, importlib.machinery, importlib.util, io, json, os, sys
sys.dont_write_bytecode = True


def program(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), os.environ["top_srcdir"] + "/scripts/study/" + name)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def ends(module, *words):
    """(exit status, standard output)"""
    sys.argv, out = ["program", *words], io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = int(module.main())
    return status, out.getvalue()


def expect(what, ended, status, *texts, lacks=()):
    assert ended[0] == status, f"{what}: exit status {ended[0]}, not {status}: {ended[1]}"
    for text in texts:
        assert text in ended[1], f"{what}: no {text!r} in {ended[1]}"
    for text in lacks:
        assert text not in ended[1], f"{what}: {text!r} in {ended[1]}"


# ---- check-frameworks --slowdown ----

frameworks = program("check-frameworks")
check, cost, silent = frameworks.check, frameworks.cost, frameworks.silent
made = frameworks.read_frameworks(frameworks.read_environments())


def measured(folder, what=cost.SLOWDOWN, **shares):
    """Eight pairs of each, whose recorded one takes so much longer."""
    for name, share in shares.items():
        path = cost.path_of(folder, made[name], check.model_of(made[name]), 64, what)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        pair = {phase: {"bare": {"wall": 1.0, "cpu": 1.0}, "recorded": {"wall": 1 + share, "cpu": 1.0}} for phase in cost.PHASES}
        cost.plan.write(path, {"pairs": [pair] * 8, "seconds": 1})


def judged(folder, *words):
    return ends(frameworks, "--judge", "--no-matrix", "--folder", folder, *words)


measured("fast", mxnet=0.001, chainer=0.002)
expect("within the limits", judged("fast", "--slowdown"), 0, lacks=["not met"])
measured("slow", mxnet=0.02, chainer=0.002)
expect("a step takes too long", judged("slow", "--slowdown"), 1, "slow-down not met: mxnet mobilenet_v2: a step +2.0 % [+2.0 .. +2.0] not met")
expect("that one was not asked for", judged("slow", "--slowdown", "--", "chainer"), 0, lacks=["not met"])
expect("that one was", judged("slow", "--slowdown", "--", "mxnet"), 1, lacks=["together"])
measured("busy", paddle=0.02, chainer=0.002)
expect("its limit is another", judged("busy", "--slowdown"), 0)
measured("all", mxnet=0.02, chainer=0.02)
expect("all together", judged("all", "--slowdown"), 1, "slow-down not met: together, but those")
measured("control", cost.CONTROL, mxnet=0.2, chainer=0.2)
expect("two bare ones", judged("control", "--slowdown", "--control"), 0, lacks=["not met"])
os.mkdir("none")
expect("nothing was measured", judged("none", "--slowdown"), 1)

# Where the limit lies in the interval nothing is decided.
path = cost.path_of("unclear", made["mxnet"], check.model_of(made["mxnet"]), 64)
os.makedirs(os.path.dirname(path))
cost.plan.write(path, {"pairs": [{phase: {"bare": {"wall": 1.0, "cpu": 1.0}, "recorded": {"wall": 1 + share, "cpu": 1.0}}
                                  for phase in cost.PHASES} for share in (-0.03, 0.05) * 8], "seconds": 1})
expect("unclear", judged("unclear", "--slowdown"), 0, lacks=["not met"])

# One that ends before it was measured; --slowdown 1 makes no row.
frameworks.missing = lambda framework: None if framework.name == "mxnet" else "missing: elsewhere"
frameworks.datasets.ready = lambda *words: None
cost.measure = lambda *words: False
expect("it does not train long enough", ends(frameworks, "--no-matrix", "--slowdown", "--folder", "fast", "mxnet"), 1)
cost.measure = lambda *words: True
expect("it does", ends(frameworks, "--no-matrix", "--slowdown", "--folder", "fast", "mxnet"), 0)

# ---- check-frameworks --silent ----

environment = {}
check.recorded = lambda words, trace: ["record", trace, *words]
check.environment_of = lambda framework: {"KERAS": "x"}


def execute(words, env, folder, seconds):
    environment.update(env)
    os.makedirs(words[1], exist_ok=True)
    open(os.path.join(words[1], "recording"), "w").close()
    for stream, text in ("stdout", '{"steps": [6, 6], "loss": ["1.5", "1.4"]}\n'), ("stderr", ""):
        with open(os.path.join(folder, stream), "w") as file:
            file.write(text)
    return {"exit": 0, "signal": None, "limit": None, "seconds": 1.0}


def reports(epochs, steps=12):
    check.report_of = lambda path: {"processes": [{"process": 1, "trace": 0}], "iterations": [
        {"process": 1, "count": steps, "epoch_count": epochs}]}


check.runs.execute = execute
reports(2)
expect("silent", ends(frameworks, "--no-matrix", "--silent", "--folder", "silent", "mxnet", "--markdown", "page.md"), 0,
       "silent: 1 passed, 0 failed, 0 missing")
assert environment == {"KERAS": "x", "STUDY_SILENT": "1"}, environment
with open("page.md") as file:
    page = file.read()
assert "\n| mxnet | mobilenet_v2 | silent | ok | 12/12 | 2/2 |\n" in page and "## Epochs that nobody says" in page, page
reports(None)
expect("epochs by words alone", judged("silent", "--silent", "mxnet"), 1, "silent: mxnet: epochs: -/2", "silent: 0 passed, 1 failed")
expect("none were silent", judged("none", "--silent", "mxnet"), 1)

# ---- check-iterations ----

counts = program("check-iterations")


def counted(*told):
    """What it says of runs of two epochs of six steps, of which so many (iterations, epochs) were told."""
    with open("list", "w") as file:
        file.writelines(f"{number} | {'mxnet' if number % 2 else 'jax'} | said\n" for number in range(len(told)))
    with open("said", "w") as file:
        file.write("epoch 1: 6 steps, loss 1.5\nepoch 2: 6 steps, loss 1.4\n")
    check.report_of = lambda path: {"processes": [{"process": 1, "trace": 0}], "iterations": [
        dict(zip(("process", "count", "epoch_count"), (1, *told[int(path)])))]}
    return ends(counts, "--recordings", "list")


RIGHT = (12, 2)
expect("all right", counted(*[RIGHT] * 4), 0, """\
                      iterations                                          epochs
framework                  right       wrong   not found      no run       right       wrong   not found      no run
jax                            2           0           0           0           2           0           0           0
mxnet                          2           0           0           0           2           0           0           0
all                            4           0           0           0           4           0           0           0
""")
expect("one of twenty", counted(*[RIGHT] * 19, (11, 2)), 0)
expect("two of twenty", counted(*[RIGHT] * 18, (11, 2), (None, 2)), 1, "all                           18           1           1           0          20           0           0           0")
expect("epochs of two of twenty", counted(*[RIGHT] * 18, (12, None), (12, 3)), 1,
       "all                           20           0           0           0          18           1           1           0")
expect("one of twenty, and epochs of another", counted(*[RIGHT] * 18, (12, 3), (13, 2)), 0)
with open("list", "w") as file:
    file.write("# none\n")
expect("nothing was checked", ends(counts, "--recordings", "list"), 1)

# Its scripts say their epochs, or are silent; a training that fails is not right.
counts.WAYS = (("mobilenet_v2", "--epochs 2"),)
reports(2)
for words, silence in ((), None), (("--silent",), "1"):
    environment.clear()
    expect("it trains", ends(counts, "--folder", "counted", *words, "mxnet"), 0)
    assert environment.get("STUDY_SILENT") == silence, environment
check.runs.execute = lambda *words: {"exit": 1, "signal": None, "limit": None, "seconds": 1.0}
expect("no run", ends(counts, "--folder", "counted", "mxnet"), 1, "mxnet                          0           0           0           1           0           0           0           1")
END
