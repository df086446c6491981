# SPDX-License-Identifier: MIT
"""Each framework without and with dltrace: the same output, the right name, version, iterations and epochs."""
import json
import os
import re
import shutil
import subprocess

from harness import environments, plan, recognition, results, runs
from harness.tables import JOBS, STUDY

PHOTOS, BATCH, EPOCHS = 24, 4, 3
RANKS = 2  # of what is checked with ranks
TRACE_LIMIT = 20e6  # bytes of a trace at the level calls
TIME_LIMIT = 900.0
OWN_STEPS = re.compile(r"^epoch \d+: (\d+) (?:steps|batches)\b(?!.*evaluated)", re.M)
OWN_AT_END = re.compile(r'^\{"steps": \[([0-9, ]+)\]', re.M)  # of a script that is silent until then
COLUMNS = ("output", "exit", "recognised", "steps", "epochs", "trace", "verified", "processes")
PHASE_COLUMNS = (*results.PHASES, "allocations")


class Check:
    """One framework's row: {column: (passed or None, text)}; None where there is nothing to pass."""

    def __init__(self, framework, model):
        self.framework, self.model, self.cells, self.missing = framework, model, {}, None

    def add(self, column, passed, text):
        self.cells[column] = (passed, text)

    def failed(self):
        return [column for column, (passed, _) in self.cells.items() if passed is False]

    def text(self, column):
        passed, text = self.cells.get(column, (None, ""))
        return text + (" !" if passed is False else "")


def model_of(framework):
    if framework.module:
        return "import"
    return "mobilenet_v2" if "mobilenet_v2" in framework.models else framework.models[0]


def environment_of(framework):
    return environments.variables(framework.environment, framework, threads=1)


def training(framework, model, data, size):
    """The command that is looked at."""
    if framework.module:
        module = framework.module
        return [environments.python(framework.environment), "-c", f"import {module}; print({module}.__version__)"]
    python = environments.python(framework.environment)
    starter = [python, os.path.join(STUDY, "train", "ranks.py"), "--ranks", str(RANKS), "--way", str(framework.way), "--"]
    what = ["--examples", str(PHOTOS)] if model in JOBS else ["--data", data, "--size", str(size)]
    return [*(starter if framework.way else []), python, framework.script, "--model", model, *what,
            "--batch", str(BATCH), "--epochs", str(EPOCHS)]


def kept_text(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def printed(framework, folder):
    """Its standard output; that of ranks in an order that does not depend on who is faster."""
    out = kept_text(folder, "stdout")
    return "".join(sorted(out.splitlines(keepends=True))) if framework.way else out


def run(words, env, folder):
    """Its result, which stays in the folder with both streams."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    result = runs.execute(words, env, folder, TIME_LIMIT)
    plan.write(os.path.join(folder, "result.json"), result)
    return result


def recorded(words, trace):
    return [runs.find_program("dltrace-record"), "--quiet", "--require", "--level", "calls", "--output", trace, "--", *words]


def report_of(trace):
    path = trace + ".json"
    results.dltrace_report([trace], "--output", path)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def checks_of(trace):
    return json.loads(results.dltrace_report([trace], "--verify", "--format", "json"))["checks"]


def size_of(folder):
    return sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(folder) for name in names)


def ranks_of(framework):
    return RANKS if framework.way else 1


def judge_recognition(check, report):
    check.add("recognised", *recognition.judged(check.framework, report, ranks_of(check.framework)))


def own_steps(out, ranks=1):
    """Of each epoch, as the script counted them; each rank says it, and all do as many. []: it does not say so."""
    at_end = [[int(n) for n in line.split(",")] for line in OWN_AT_END.findall(out)]
    if at_end:
        return at_end[0] if at_end == at_end[:1] * ranks else []
    return [int(n) for n in OWN_STEPS.findall(out)][::ranks]


def judge_counts(check, report, out):
    """A script that counts nothing shows nothing."""
    if check.framework.module:  # it trains nothing
        return
    steps = own_steps(out, ranks_of(check.framework))
    found = results.iterations_of(report, 0) or {"count": None, "epoch_count": None}
    for column, told, own in (("steps", found["count"], sum(steps)), ("epochs", found["epoch_count"], len(steps))):
        check.add(column, bool(own) and told == own, f"{'-' if told is None else told}/{own}")


PHASE_FIGURES = (("duration_ns", 1e-9, "{:.1f} s"), ("cpu_ns", 1e-9, "{:.1f} s"), ("heap_share", 100, "{:.0f} %"))


def judge_phases(check, report):
    """Of the process that iterates most, on each phase: seconds, CPU seconds, share of its heap's allocations."""
    found = results.iterations_of(report, 0)
    rows = [p for p in report["phases"] if found and p["process"] == found["process"]]
    for p in rows:
        check.add(p["phase"], None, ", ".join("-" if p[key] is None else form.format(p[key] * factor)
                                              for key, factor, form in PHASE_FIGURES))
    calls = [p["heap_calls"] for p in rows if p["heap_calls"] is not None]
    if calls:
        check.add("allocations", None, f"{sum(calls):,}")


def judge_trace(check, report, trace):
    size, lost = size_of(trace), report["traces"][0]["lost"]
    stopped = any(limit["kind"] == "stopped" for limit in report["limits"])  # LTTng died: no fault of what is checked
    check.add("trace", size <= TRACE_LIMIT and not lost and not stopped,
              f"{size / 1e6:.1f} MB" + (f", {lost} lost" if lost else "") + (", stopped" if stopped else ""))
    counted = sum(p["children_counted"] or 0 for p in report["processes"])  # seen to begin, not traced
    check.add("processes", None, f"{len(report['processes'])} + {counted}" if counted else str(len(report["processes"])))


def judge_verified(check, trace):
    """What dltrace-report --verify says of it: how many of its checks have passed, or which have failed."""
    ended = {result: [c["check"] for c in checks_of(trace) if c["result"] == result] for result in ("passed", "failed")}
    check.add("verified", not ended["failed"] and bool(ended["passed"]), ", ".join(ended["failed"]) or f"{len(ended['passed'])} checks")


def place_of(framework, model, folder):
    return os.path.join(folder, f"{framework.name}-{model}")


def run_both(framework, model, data, size, folder):
    """Bare and recorded; all that comes of it stays in the framework's folder."""
    place = place_of(framework, model, folder)
    words, env, trace = training(framework, model, data, size), environment_of(framework), os.path.join(place, "trace")
    shutil.rmtree(trace, ignore_errors=True)
    run(words, env, os.path.join(place, "bare"))
    run(recorded(words, trace), env, os.path.join(place, "recorded"))


def judge(framework, model, folder):
    """A row, of what run_both left; None where it left nothing."""
    check, place = Check(framework, model), place_of(framework, model, folder)
    bare, traced = (plan.read(os.path.join(place, name, "result.json")) for name in ("bare", "recorded"))
    trace = os.path.join(place, "trace")
    if not bare or not traced:
        return None
    outputs = [printed(framework, os.path.join(place, name)) for name in ("bare", "recorded")]
    ended = [runs.how_it_ended(result) for result in (bare, traced)]
    if ended[0] != "ok":
        check.add("output", False, "bare")
        check.add("exit", None, ended[0])
        return check
    check.add("output", outputs[0] == outputs[1] and bool(outputs[0]), "same" if outputs[0] == outputs[1] else "differs")
    check.add("exit", ended[1] == "ok", ended[1])
    if os.path.exists(os.path.join(trace, "recording")):
        report = report_of(trace)
        judge_recognition(check, report)
        judge_counts(check, report, outputs[0])
        judge_phases(check, report)
        judge_trace(check, report, trace)
        judge_verified(check, trace)
    else:
        check.add("trace", False, "none")
    return check


# ---- the matrix ----

def matrix(checks):
    """Lines that fit 120 columns."""
    header = ["framework", "model", *COLUMNS]
    rows = [[c.framework.name, c.model, *([c.text(column) for column in COLUMNS])] if not c.missing else
            [c.framework.name, "-", c.missing] for c in checks]
    rows.sort(key=lambda row: len(row) == 3)
    size = [max([len(header[i])] + [len(row[i]) for row in rows if len(row) > 3]) for i in range(len(header))]
    size[1] = max(size[1], 1)
    for row in [header] + rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, size)).rstrip()


def tell(checks):
    """The counts, as make check's; missing is not passed."""
    failed = [c for c in checks if c.failed()]
    missing = [c for c in checks if c.missing]
    lines = [f"{c.framework.name}: {', '.join(f'{column}: {c.cells[column][1]}' for column in c.failed())}" for c in failed]
    return lines + [f"{len(checks) - len(failed) - len(missing)} passed, {len(failed)} failed, {len(missing)} missing"]
