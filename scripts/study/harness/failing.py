# SPDX-License-Identifier: MIT
"""A batch that is too large for the memory: the report must say by itself what was asked for, by whom, and how it ended."""
import os
import shutil

from harness import check, datasets, environments, plan, runs

PHOTOS, MODEL, BATCH, SIZE = 100, "vgg16", 100, 224
LIMIT = 3 << 30  # bytes of private memory: the weights fit, the activations of a hundred images do not
LIMITS = {"tensorflow-2.3": 4 << 30}  # where some runs end as the study's did: by SIGABRT
COLUMNS = ("limit", "ended", "allocation", "told together")


def limit_of(framework):
    return LIMITS.get(framework.name, LIMIT)


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
    words, env = training(framework, photos, limit_of(framework)), check.environment_of(framework)
    shutil.rmtree(trace, ignore_errors=True)
    check.run(check.recorded(words, trace), env, os.path.join(place, "recorded"))


def judge(framework, folder):
    """A row of the third matrix, None where run_one left nothing. A training that does not fail shows nothing: the
    limit is too high for it."""
    row = check.Check(framework, MODEL)
    place = place_of(framework, folder)
    trace, done = os.path.join(place, "trace"), plan.read(os.path.join(place, "recorded", "result.json"))
    if not done:
        return None
    row.add("limit", None, f"{limit_of(framework) / (1 << 30):g} GiB")
    row.add("ended", runs.how_it_ended(done) != "ok" and not done["limit"], runs.how_it_ended(done))
    if os.path.exists(os.path.join(trace, "recording")):
        judge_failure(row, check.report_of(trace))
    return row
