# SPDX-License-Identifier: MIT
"""Size of traces: bytes a CUDA event at calls, MB an hour at summary."""
import json
import os
import time

import harness


def size(folder):
    return sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)


def mix(report):
    """What was called, in percent of all CUDA calls, the most frequent first."""
    counts = {row["function"]: row["calls"] for row in report["breakdown"] if row["function"].startswith("cuda")}
    total = sum(counts.values()) or 1
    each = sorted(counts.items(), key=lambda item: -item[1])
    return ", ".join(f"{100 * count / total:.0f} % {name}" for name, count in each if 200 * count >= total)


def an_event(bench, program):
    """All bytes of the trace, metadata too, divided by its events, nearly all of which are CUDA calls."""
    values = []
    for _ in range(bench.repeats):
        command, trace = bench.recorded("calls", [bench.program(program)])
        bench.run(command)
        report = json.loads(bench.run([bench.report, trace, "-o", "-", "-f", "json"]))
        count, lost = (sum(t[key] or 0 for t in report["traces"]) for key in ("events", "lost"))
        values.append(size(trace) / count)
    samples = harness.Samples(values)
    print(f"\ncalls: {samples.text(2)} bytes an event, {mix(report)} "
          f"({count} events, {lost} lost in the last run)")
    bench.results[f"size calls {program}"] = values
    return samples


def calls(bench):
    """Launches only, and mixed with copies and allocations: the larger one has to meet the target."""
    both = [an_event(bench, program) for program in ("cuda_call", "cuda_mix")]
    bench.target("size.calls", max(both, key=harness.Samples.median))


def busy(bench, seconds, *options):
    """Bytes of the trace of busy, and how long it was recorded."""
    command, trace = bench.recorded("summary", [bench.program("busy"), "20", str(seconds)], *options)
    begin = time.monotonic()
    bench.run(command)
    return size(trace), time.monotonic() - begin


def summary(bench):
    """
    What grows with time is told from what does not: the rate is what a longer run has more than a short
    one, by the time that it took longer, both without rotations. These come on top, every ten minutes: one
    costs what two in the shorter run add.
    """
    short, long = 15, 35 if bench.quick else 75  # both between two totals of functions, every ten seconds
    (size0, time0), (size1, time1) = spent = [busy(bench, s, "--rotate=0") for s in (short, long)]
    rotation = max(0, busy(bench, short, "--rotate=6s")[0] - size0) / 2
    rate = (size1 - size0) / (time1 - time0)
    hour = (rate * 3600 + 6 * rotation) / 1e6
    once = size0 - rate * time0
    print(f"summary: {hour:.2f} MB an hour and {once / 1e3:.0f} KB once ({size0} bytes after {time0:.0f} s, {size1} "
          f"after {time1:.0f} s, {rotation:.0f} a rotation; 20 threads, 20 functions active)")
    bench.results["size summary"] = {"without rotation": spent, "rotation": rotation}
    bench.target("size.summary", hour)


def run(bench):
    for part in (calls, summary):
        try:
            part(bench)
        except harness.Skip as why:
            bench.skip(f"size: {part.__name__}: {why}")
