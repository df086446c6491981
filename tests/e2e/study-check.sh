# SPDX-License-Identifier: MIT
# What check-frameworks judges: two made-up runs of a framework and what a report says of them, right and wrong in
# each way that a column is for.
. "$top_srcdir/tests/lib.sh"
export top_srcdir
python3 - <<'END' || fail "see above"
import collections, copy, json, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["top_srcdir"] + "/scripts/study")
from harness import check, environments, failing, silent, tables

F = collections.namedtuple("F", "name stack module way environment")
LAYERS = F("layers", tables.layers("Keras:keras > JAX:jaxlib + (PyTorch:torch)"), None, None, None)
VERSIONS = {"keras": "3.1", "jaxlib": "0.10.2", "torch": "2.11.0", "flax": "0.12", "lost": None}
environments.version = lambda environment, package: VERSIONS[package]
PRINTED = "epoch 1: 6 steps, loss 1.5\nepoch 2: 6 steps, loss 1.4\n"
GOOD = {"exit": 0, "signal": None, "limit": None, "seconds": 1.0}
REPORT = {
    "traces": [{"lost": 0}], "limits": [],
    "processes": [
        {"process": 7, "trace": 0, "children_counted": 3, "frameworks": [
            {"name": "Keras", "version": "3.1", "state": None}, {"name": "MXNet", "version": "1.9.1", "state": "imported"},
            {"name": "JAX", "version": "0.10.2", "state": "works"},
            {"name": "PyTorch", "version": "2.11.0+cu130", "state": "imported"}]},
        {"process": 8, "trace": 0, "children_counted": None, "frameworks": None}],
    "iterations": [{"process": 7, "count": 12, "epoch_count": 2}],
    "phases": [
        {"process": 7, "phase": "start-up", "duration_ns": 2.5e9, "cpu_ns": 2e9, "heap_share": 0.99, "heap_calls": 1500000},
        {"process": 7, "phase": "steady", "duration_ns": 1e9, "cpu_ns": None, "heap_share": 0.01, "heap_calls": 15000},
        {"process": 8, "phase": "end", "duration_ns": 9e9, "cpu_ns": 9e9, "heap_share": 1, "heap_calls": 9}]}


CHECKS = [("readable", "passed"), ("emitted", "passed"), ("gpu-copies", "not applicable")]


def judged(framework=LAYERS, bare=PRINTED, traced=PRINTED, ends=(GOOD, GOOD), trace=True, checks=CHECKS, **changes):
    """The row of such two runs; changes: of the report, at the top, by function."""
    check.checks_of = lambda path: [{"check": name, "result": result} for name, result in checks]
    report = copy.deepcopy(REPORT)
    for key, change in changes.items():
        change(report[key])
    check.report_of = lambda path: report
    place = check.place_of(framework, "m", ".")
    for kind, text, end in zip(("bare", "recorded"), (bare, traced), ends):
        os.makedirs(os.path.join(place, kind), exist_ok=True)
        with open(os.path.join(place, kind, "stdout"), "w") as file:
            file.write(text)
        with open(os.path.join(place, kind, "result.json"), "w") as file:
            json.dump(end, file)
    os.makedirs(os.path.join(place, "trace"), exist_ok=True)
    label = os.path.join(place, "trace", "recording")
    if trace:
        open(label, "w").write("x" * 1000)
    elif os.path.exists(label):
        os.remove(label)
    return check.judge(framework, "m", ".")


def expect(what, row, failed, **cells):
    assert row.failed() == failed, f"{what}: {row.failed()} failed, not {failed}; {row.cells}"
    for column, text in cells.items():
        assert row.text(column) == text, f"{what}: {column} is {row.text(column)!r}, not {text!r}"


def of_frameworks(change):
    return {"processes": lambda rows: change({f["name"]: f for f in rows[0]["frameworks"]}, rows[0]["frameworks"])}


expect("all right", judged(), [], output="same", exit="ok", steps="12/12", epochs="2/2", trace="0.0 MB", processes="2 + 3", verified="2 checks",
       recognised="Keras 3.1 > JAX 0.10.2 + PyTorch 2.11.0+cu130 (only imported)", allocations="1,515,000",
       steady="1.0 s, -, 1 %", end="")
assert judged().text("start-up") == "2.5 s, 2.0 s, 99 %"
expect("another loss", judged(traced=PRINTED.replace("1.4", "1.3")), ["output"], output="differs !")
expect("says nothing at all", judged(bare="", traced=""), ["output", "steps", "epochs"])
expect("dies under dltrace", judged(ends=(GOOD, dict(GOOD, exit=None, signal="SIGSEGV"))), ["exit"], exit="SIGSEGV !")
expect("cannot run here", judged(ends=(dict(GOOD, exit=1), GOOD)), ["output"], exit="exit 1")
expect("no trace", judged(trace=False), ["trace"], trace="none !")
expect("another version", judged(**of_frameworks(lambda f, _: f["JAX"].update(version="0.10.3"))), ["recognised"])
expect("no version", judged(**of_frameworks(lambda f, _: f["JAX"].update(version=None))), ["recognised"])
expect("one is missing", judged(**of_frameworks(lambda f, rows: rows.remove(f["Keras"]))), ["recognised"],
       recognised="no Keras > JAX 0.10.2 + PyTorch 2.11.0+cu130 (only imported) !")
expect("upside down", judged(**of_frameworks(lambda f, rows: rows.reverse())), ["recognised"])
expect("idle, told to work", judged(**of_frameworks(lambda f, _: f["PyTorch"].update(state="works"))), ["recognised"])
expect("works, told to be idle", judged(**of_frameworks(lambda f, _: f["JAX"].update(state="imported"))), ["recognised"])
expect("not told to work", judged(**of_frameworks(lambda f, _: f["JAX"].update(state=None))), ["recognised"],
       recognised="Keras 3.1 > JAX 0.10.2 (not told to work) + PyTorch 2.11.0+cu130 (only imported) !")
expect("one more works", judged(**of_frameworks(lambda f, _: f["MXNet"].update(state="works"))), ["recognised"],
       recognised="Keras 3.1 > JAX 0.10.2 + PyTorch 2.11.0+cu130 (only imported), and MXNet 1.9.1 !")
expect("one more may work", judged(**of_frameworks(lambda f, _: f["MXNet"].update(state=None))), ["recognised"])
expect("in another process", judged(processes=lambda rows: rows[1].update(frameworks=[
    {"name": "Theano", "version": None, "state": None}])), ["recognised"])


def told(*names, state="works"):
    return {"processes": lambda rows: rows[0].update(frameworks=[
        {"name": name, "version": VERSIONS[package], "state": state} for name, package in names])}


def of(stack, **more):
    return LAYERS._replace(name="other", stack=tables.layers(stack), **more)


# What the signs of frameworks.tbl ask for.
expect("no metadata to compare with", judged(of("JAX:lost"), **told(("JAX", "jaxlib"))), ["recognised"],
       recognised="JAX 0.10.2 (no version of lost is installed) !")
expect("it has no version", judged(of("DDP:- > JAX:jaxlib"), **told(("DDP", "lost"), ("JAX", "jaxlib"))), [],
       recognised="DDP > JAX 0.10.2")
expect("it has one after all", judged(of("DDP:- > JAX:jaxlib"), **told(("DDP", "flax"), ("JAX", "jaxlib"))), ["recognised"])
expect("beside each other", judged(of("JAX:jaxlib + PyTorch:torch"), **told(("PyTorch", "torch"), ("JAX", "jaxlib"))), [],
       recognised="JAX 0.10.2 + PyTorch 2.11.0")
expect("on top of", judged(of("JAX:jaxlib > PyTorch:torch"), **told(("PyTorch", "torch"), ("JAX", "jaxlib"))), ["recognised"])
helped = of("[Flax:flax] > JAX:jaxlib")
expect("with a helper", judged(helped, **told(("Flax", "flax"), ("JAX", "jaxlib"))), [], recognised="Flax 0.12 > JAX 0.10.2")
expect("without it", judged(helped, **told(("JAX", "jaxlib"))), ["recognised"], recognised="no Flax > JAX 0.10.2 !")
expect("nothing of it is seen", judged(of("JAX:jaxlib?"), **told(("JAX", "jaxlib"), state=None)), [])
expect("it does nothing", judged(of("JAX:jaxlib?"), **told(("JAX", "jaxlib"), state="imported")), ["recognised"])
made = tables.read_frameworks(tables.read_environments())
assert all(framework.stack for framework in made.values())
from harness import runs
environments.version = lambda environment, package: {"jaxlib": "0.10.2", "keras": "3.1"}.get(package)
assert [runs.stack_name(made[name]) for name in ("jax", "keras-jax", "keras-jax-torch", "pytorch-ddp")] == [
    "JAX 0.10.2", "Keras 3.1 + JAX 0.10.2", "Keras 3.1 + JAX 0.10.2", "torch.distributed + PyTorch"]
environments.version = lambda environment, package: VERSIONS[package]

expect("a script that counts nothing", judged(bare="loss 1.5\n", traced="loss 1.5\n"), ["steps", "epochs"], steps="12/0 !", epochs="2/0 !")
expect("a step too few", judged(iterations=lambda rows: rows[0].update(count=11)), ["steps"], steps="11/12 !")
expect("no steps", judged(iterations=lambda rows: rows[0].update(count=None)), ["steps"], steps="-/12 !")
expect("nothing found", judged(iterations=lambda rows: rows.clear()), ["steps", "epochs"], allocations="", steady="")
expect("an epoch too many", judged(iterations=lambda rows: rows[0].update(epoch_count=3)), ["epochs"])
expect("events were lost", judged(traces=lambda rows: rows[0].update(lost=4)), ["trace"], trace="0.0 MB, 4 lost !")
expect("recording stopped", judged(limits=lambda rows: rows.append({"kind": "stopped"})), ["trace"])
expect("what was counted does not agree", judged(checks=[("readable", "passed"), ("emitted", "failed"), ("heap", "failed")]),
       ["verified"], verified="emitted, heap !")
expect("nothing could be verified", judged(checks=CHECKS[2:]), ["verified"])
check.TRACE_LIMIT = 999
expect("too large", judged(), ["trace"])
check.TRACE_LIMIT = 20e6
# Two ranks write as they come, and each counts its own steps.
ranks = LAYERS._replace(name="ranks", way="ddp")
two = ["epoch 1: 6 steps, loss 1.5\n", "epoch 1: 6 steps, loss 1.6\n", "epoch 2: 6 steps, loss 1.4\n", "epoch 2: 6 steps, loss 1.3\n"]
both = lambda rows: rows[1].update(frameworks=copy.deepcopy(rows[0]["frameworks"]))
expect("ranks", judged(ranks, "".join(two), "".join(reversed(two)), processes=both), [], steps="12/12", epochs="2/2")
expect("one of them is not recognised", judged(ranks, "".join(two), "".join(two)), ["recognised"])
imported = of("Keras:keras", module="keras")
expect("only imported", judged(imported, "3.1\n", "3.1\n", iterations=lambda rows: rows.clear(), **told(("Keras", "keras"), state=None)),
       [], steps="")
expect("only imported, told to work", judged(imported, "3.1\n", "3.1\n", **told(("Keras", "keras"))), ["recognised"])


# Scripts that are silent until they end.
AT_END = '{"steps": [6, 6], "loss": ["1.500000000", "1.400000000"]}\n'


def quiet(out=AT_END, err="", end=GOOD, framework=LAYERS, trace=True, **found):
    check.report_of = lambda path: {"processes": REPORT["processes"], "iterations": [dict(REPORT["iterations"][0], **found)]}
    place = silent.place_of(framework, "m", ".")
    os.makedirs(os.path.join(place, "recorded"), exist_ok=True)
    for name, text in ("stdout", out), ("stderr", err), ("result.json", json.dumps(end)):
        with open(os.path.join(place, "recorded", name), "w") as file:
            file.write(text)
    label = os.path.join(place, "trace", "recording")
    os.makedirs(os.path.dirname(label), exist_ok=True)
    open(label, "w").close() if trace else os.remove(label)
    return silent.judge(framework, "m", ".")


expect("silent", quiet(), [], output="silent", exit="ok", steps="12/12", epochs="2/2")
expect("silent, epochs not found", quiet(epoch_count=None), ["epochs"], steps="12/12", epochs="-/2 !")
expect("it says epochs", quiet(PRINTED), ["output"], output="says epochs !")
expect("on standard error", quiet(err="Epoch 1/2\n"), ["output"])
expect("it counts nothing", quiet('{"loss": []}\n'), ["steps", "epochs"])
expect("silent ranks", quiet(2 * AT_END, framework=ranks), [], steps="12/12", epochs="2/2")
expect("one rank only", quiet(framework=ranks), ["steps", "epochs"])
expect("another did less", quiet(AT_END + AT_END.replace("6, 6", "6, 5"), framework=ranks), ["steps", "epochs"])
expect("silent for good", quiet(end=dict(GOOD, exit=1)), ["exit"], exit="exit 1 !")
expect("silent, no trace", quiet(trace=False), ["steps"], steps="no trace !")
assert silent.judge(LAYERS._replace(name="never"), "m", ".") is None


def failed(end, *failures, rules=("died",), framework=LAYERS, trace=True):
    """The row of a training without memory."""
    check.report_of = lambda path: {"failures": list(failures), "findings": [
        {"rule": rule, "text": "ended with status 1; before, 2 allocations had failed"} for rule in rules]}
    place = failing.place_of(framework, ".")
    os.makedirs(os.path.join(place, "recorded"), exist_ok=True)
    label = os.path.join(place, "trace", "recording")
    os.makedirs(os.path.dirname(label), exist_ok=True)
    open(label, "w").close() if trace else os.remove(label)
    with open(os.path.join(place, "recorded", "result.json"), "w") as file:
        json.dump(end, file)
    return failing.judge(framework, ".")


def refused(size, library="libx.so", live=3e9):
    return {"kind": "allocation", "size_bytes": size, "library": library, "live_bytes": live}


DIED = dict(GOOD, exit=1)
expect("out of memory", failed(DIED, refused(5e6), refused(2e9), refused(7e6)), [], limit="3 GiB", ended="exit 1",
       allocation="2000 MB by libx.so, 3000 MB live")
assert failed(DIED, refused(1e9)).text("told together") == "yes"
expect("enough memory", failed(GOOD, refused(1e9)), ["ended"])
expect("time is up", failed(dict(DIED, limit=9.0), refused(1e9)), ["ended"])
expect("no trace of it", failed(DIED, trace=False), ["allocation"], allocation="no trace !")
# How each is known to end.
CRASHED, ABORTED = dict(GOOD, exit=None, signal="SIGSEGV"), dict(GOOD, exit=None, signal="SIGABRT")
expect("another status", failed(dict(DIED, exit=2), refused(1e9)), ["ended"], ended="exit 2 !")
expect("a signal instead", failed(CRASHED, refused(1e9)), ["ended"], ended="SIGSEGV !")
expect("that signal", failed(CRASHED, refused(1e9), framework=LAYERS._replace(name="tensorflow")), [], ended="SIGSEGV")
expect("no signal", failed(DIED, refused(1e9), framework=LAYERS._replace(name="tensorflow")), ["ended"])
for end in DIED, ABORTED:
    expect("either", failed(end, refused(1e9), framework=LAYERS._replace(name="tensorflow-2.3")), [], limit="4 GiB")
assert set(failing.CASES) <= set(made), "a framework that is none"
expect("none told", failed(DIED, {"kind": "exit"}), ["allocation"], allocation="none told !")
expect("nobody asked", failed(DIED, refused(1e9, library=None)), ["allocation"])
expect("live unknown", failed(DIED, refused(1e9, live=None)), ["allocation"], allocation="1000 MB by libx.so !")
expect("not told together", failed(DIED, refused(1e9), rules=()), ["told together"])

# check-iterations: what one training comes to, from its output and the report of its trace.
import importlib.machinery, importlib.util
loader = importlib.machinery.SourceFileLoader("counts", os.environ["top_srcdir"] + "/scripts/study/check-iterations")
counts = importlib.util.module_from_spec(importlib.util.spec_from_loader("counts", loader))
loader.exec_module(counts)
check.training = lambda framework, model, data, size: ["python", model]
check.recorded = lambda words, trace: ["record", trace, *words]
check.environment_of = lambda framework: {}


def trained(status, told=None, epochs=None, out=PRINTED):
    """check-iterations' verdict of a training that prints two epochs of six steps; told: iterations in the report."""
    def execute(words, env, folder, seconds):
        assert words[0] == "record" and words[-2:] == ["--batch", "4"], words
        os.makedirs(words[1])
        open(os.path.join(words[1], "recording"), "w").close()
        with open(os.path.join(folder, "stdout"), "w") as file:
            file.write(out)
        return dict(GOOD, exit=status)
    counts.runs.execute = execute
    check.report_of = lambda path: {"processes": REPORT["processes"], "iterations": [
        {"process": 7, "count": told, "epoch_count": epochs}]}
    return counts.train(LAYERS, "m", "--batch 4", None, 64, "./counted", {})


assert trained(0, 12, 2) == ((12, 12, "right"), (2, 2, "right")), trained(0, 12, 2)
assert trained(0, 6, None) == ((6, 12, "wrong"), (None, 2, "not found")), trained(0, 6)
assert trained(0) == ((None, 12, "not found"), (None, 2, "not found")), trained(0)
assert trained(1, 12, 2) is None
assert trained(0, 12, 2, AT_END) == ((12, 12, "right"), (2, 2, "right")), trained(0, 12, 2, AT_END)
assert trained(0, 12, 2, "loss 1.5\n") is None
END
