# SPDX-License-Identifier: MIT
"""A batch that is too large for the memory: the report must say by itself what was asked for, by whom, and how it ended."""
import collections
import os
import shutil

from harness import check, datasets, environments, plan, runs

PHOTOS, MODEL, BATCH, SIZE = 100, "vgg16", 100, 224
COLUMNS = ("limit", "ended", "allocation", "told together")

# Bytes of private memory, in which the weights fit and the activations of a hundred images do not, and how a training may
# end then. Most raise an exception.
Case = collections.namedtuple("Case", "limit ends")
USUAL = Case(3 << 30, ("exit 1",))
CASES = {
    "tensorflow": Case(3 << 30, ("SIGSEGV",)),
    "tensorflow-2.3": Case(4 << 30, ("exit 1", "SIGABRT")),  # some runs end as the study's did
    "keras-tensorflow": Case(3 << 30, ("SIGSEGV",)),
    "tensorflow-cuda": Case(3 << 30, ("SIGSEGV",)),
}


def case_of(framework):
    return CASES.get(framework.name, USUAL)


def data(folder, envs):
    return datasets.ready(folder, "small", PHOTOS / datasets.SIZES["small"], envs)


def training(framework, photos, limit):
    return ["prlimit", f"--data={limit}", environments.python(framework.environment), framework.script, "--model", MODEL,
            "--data", photos, "--batch", str(BATCH), "--epochs", "1", "--size", str(SIZE)]


def judge_failure(row, report):
    """The largest block that was refused, and whether the end is told together with it."""
    failed = [f for f in report["failures"] if f["kind"] == "allocation"]
    largest = max(failed, key=lambda f: f["size_bytes"], default=None)
    if not largest:
        row.add("allocation", False, "none told")
        return
    live = f", {largest['live_bytes'] / 1e6:.0f} MB live" if largest["live_bytes"] is not None else ""
    row.add("allocation", largest["live_bytes"] is not None and bool(largest["library"]),
            f"{largest['size_bytes'] / 1e6:.0f} MB by {largest['library'] or '?'}{live}")
    ends = [f for f in report["findings"] if f["rule"] == "died" and "had failed" in f["text"]]
    row.add("told together", bool(ends), "yes" if ends else "no")


def place_of(framework, folder):
    return os.path.join(folder, f"{framework.name}-failing")


def run_one(framework, photos, folder):
    """Recorded; what comes of it stays in the framework's folder."""
    place = place_of(framework, folder)
    trace = os.path.join(place, "trace")
    words, env = training(framework, photos, case_of(framework).limit), check.environment_of(framework)
    shutil.rmtree(trace, ignore_errors=True)
    check.run(check.recorded(words, trace), env, os.path.join(place, "recorded"))


def judge(framework, folder):
    """A row of the third matrix, None where run_one left nothing. A training that does not fail shows nothing: the
    limit is too high for it. One that fails in another way than was seen may not have failed for want of memory."""
    row, case = check.Check(framework, MODEL), case_of(framework)
    place = place_of(framework, folder)
    trace, done = os.path.join(place, "trace"), plan.read(os.path.join(place, "recorded", "result.json"))
    if not done:
        return None
    row.add("limit", None, f"{case.limit / (1 << 30):g} GiB")
    row.add("ended", runs.how_it_ended(done) in case.ends, runs.how_it_ended(done))
    if os.path.exists(os.path.join(trace, "recording")):
        judge_failure(row, check.report_of(trace))
    else:
        row.add("allocation", False, "no trace")
    return row
