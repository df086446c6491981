# SPDX-License-Identifier: MIT
"""PyTorch MobileNetV2 training: bare against each level, toggled in one process, and by operations."""
import json
import os
import re
import shutil
import subprocess

import harness

TRAIN = ["--size", "64", "--batch", "8", "--iterations", "20", "--epochs", "2", "--seed", "1"]
TOGGLE_LIMIT = 600  # s, if the interval is not narrow enough before


def epochs(bench, command):
    """ms a step in the last epoch, as train.py says on standard error."""
    done = subprocess.run(command, env=bench.environment(), capture_output=True, text=True, timeout=300, check=False)
    seconds = re.findall(r"epoch 2: ([0-9.]+) s", done.stderr)
    if done.returncode or not seconds:
        raise harness.Skip(f"{command[0]}: {done.stderr.strip()[-300:]}")
    return {"step": float(seconds[0]) * 1000 / 20}


def recorded(bench, level, training):
    def once():
        command, trace = bench.recorded(level, training)
        try:
            return epochs(bench, command)
        finally:
            shutil.rmtree(os.path.dirname(trace))
    return once


def levels(bench, training):
    by = bench.paired("training levels", {"bare": lambda: epochs(bench, training), **{
        f"dltrace, {level}": recorded(bench, level, training) for level in ("summary", "calls", "full")}})["step"]
    bench.show("MobileNetV2, whole runs", by, "bare", "ms a step", 2)


def toggled(bench):
    """Share in % by which a step is longer while the events of calls are recorded."""
    bench.session("toggle", ["dltrace_*"], start=False)
    try:
        out = bench.run([bench.python, os.path.join(os.path.dirname(__file__), "toggled_training.py"), "toggle",
                         "10" if bench.quick else str(TOGGLE_LIMIT), str(bench.limit("training.toggle"))], timeout=TOGGLE_LIMIT + 60,
                        env=bench.environment(preload=bench.library))
    finally:
        bench.end_session("toggle")
    values = {word: [(float(v), float(w)) for v, w in re.findall(rf"^{word} (\d+) (\d+)$", out, re.M)]
              for word in ("off", "on")}
    share, whole = (harness.Samples((on[i] / off[i] - 1) * 100 for on, off in zip(values["on"], values["off"]))
                    for i in (0, 1))
    bench.results["training toggled"] = {"step": values}
    print(f"\nMobileNetV2, session toggled inside one process: {share.text(2)} % over {len(share.values)} pairs, "
          f"{'stopped by the interval' if 'done' in out else 'stopped by the time limit'}"
          f"\n  with the longest and shortest steps: {whole.text(2)} %")
    bench.target("training.toggle", share)
    return harness.statistics.median(v for v, _ in values["off"])


def operations(bench, training, step_ns):
    """ns per operation x operations: what pairs and events of a step cost at the measured price of each."""
    missing = [k for k in ("malloc.calls.random", "cuda.calls.cost") if k not in bench.measured]
    if missing:
        raise harness.Skip("operations: needs the parts malloc and cuda in the same run")
    command, trace = bench.recorded("calls", training)
    bench.run(command)
    report = json.loads(bench.run([bench.report, trace, "-o", "-", "-f", "json"]))
    steps = 40
    pairs = sum(h["frees"] for h in report["heap"]) / steps
    events = sum(t["events"] for t in report["traces"]) / steps
    pair, event = bench.measured["malloc.calls.random"], bench.measured["cuda.calls.cost"]
    cost = harness.Samples((pairs * p + events * e) / step_ns * 100 for p, e in zip(pair.values, event.values))
    print(f"\nMobileNetV2, by operations: {pairs:.0f} pairs x {pair.median():.1f} ns + {events:.0f} events x "
          f"{event.median():.0f} ns a step of {step_ns / 1e6:.1f} ms = {cost.text(3)} %")
    bench.target("training.operations", cost)


def run(bench):
    if not bench.python:
        raise harness.Skip("no python3 has torch and torchvision")
    training = [bench.python, os.path.join(bench.source, "scripts/train.py"), *TRAIN]
    levels(bench, training)
    operations(bench, training, toggled(bench))
