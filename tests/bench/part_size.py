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


def summary(bench):
    """Two lengths of the same run: what the longer one has more, by the time that it took longer."""
    program, short, long = bench.program("busy"), 15, 30 if bench.quick else 75
    spent = []
    for seconds in (short, long):
        command, trace = bench.recorded("summary", [program, "20", str(seconds)])
        begin = time.monotonic()
        bench.run(command)
        spent.append((size(trace), time.monotonic() - begin))
    (size0, time0), (size1, time1) = spent
    rate = (size1 - size0) / (time1 - time0) * 3600 / 1e6
    print(f"summary: {rate:.2f} MB an hour ({size0} bytes after {time0:.0f} s, {size1} after {time1:.0f} s; "
          "20 threads, 20 functions active)")
    bench.results["size summary"] = spent
    bench.target("size.summary", rate)


def run(bench):
    for part in (calls, summary):
        try:
            part(bench)
        except harness.Skip as why:
            bench.skip(f"size: {part.__name__}: {why}")
