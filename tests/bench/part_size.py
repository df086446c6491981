# SPDX-License-Identifier: MIT
"""Size of traces: bytes a CUDA event at calls, MB an hour at summary."""
import json
import os
import time

import harness


def size(folder):
    return sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)


def events(bench, trace):
    report = json.loads(bench.run([bench.report, trace, "-o", "-", "-f", "json"]))
    return sum(t["events"] for t in report["traces"]), sum(t["lost"] or 0 for t in report["traces"])


def calls(bench):
    """All bytes of the trace, metadata too, divided by its events, nearly all of which are CUDA calls."""
    program, values = bench.program("cuda_call"), []
    for _ in range(bench.repeats):
        command, trace = bench.recorded("calls", [program])
        bench.run(command)
        count, lost = events(bench, trace)
        values.append(size(trace) / count)
    samples = harness.Samples(values)
    print(f"\ncalls: {samples.text(2)} bytes an event ({count} events, {lost} lost in the last run)")
    bench.results["size calls"] = values
    bench.target("size.calls", samples)


def busy(bench, seconds, *options):
    """Bytes of the trace of busy, and how long it was recorded."""
    command, trace = bench.recorded("summary", [bench.program("busy"), "20", str(seconds)], *options)
    begin = time.monotonic()
    bench.run(command)
    return size(trace), time.monotonic() - begin


def summary(bench):
    """
    What grows with time is told from what does not: the rate is what a longer run has more than a short
    one, by the time that it took longer, both without rotations. These come on top: every ten minutes,
    and three more in the first minute; one costs what the first two, in the first ten seconds, add.
    """
    short, long = 15, 35 if bench.quick else 75  # both between two totals of functions, every ten seconds
    (size0, time0), (size1, time1) = spent = [busy(bench, s, "--rotate=0") for s in (short, long)]
    rotation = max(0, busy(bench, short)[0] - size0) / 2
    rate = (size1 - size0) / (time1 - time0)
    hour = (rate * 3600 + 6 * rotation) / 1e6
    once = size0 - rate * time0 + 3 * rotation
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
