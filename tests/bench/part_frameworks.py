# SPDX-License-Identifier: MIT
"""Import of PyTorch and CuPy, CUDA builds of PyPI (scripts/setup frameworks), under the preload."""
import os
import resource
import subprocess
import time

import harness


LONGEST = 150  # seconds until an import is left unclear


def percent(values, base):
    return [(a / b - 1) * 100 for a, b in zip(values, base)]


def keys(module):
    """(clock, key of its target)"""
    return ("wall", f"frameworks.{module}"), ("cpu", f"frameworks.{module}.cpu")


def imported(python, name, env):
    """Wall clock and CPU time of a process that imports it, ms."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([python, "-c", f"import {name}"], env=env, check=True)
    spent, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall": spent * 1000, "cpu": cpu * 1000}


def run(bench):
    study = os.path.join(bench.source, "scripts/study/study")
    found = subprocess.run([study, "python", "cuda"], stdout=subprocess.PIPE, text=True, check=False)
    if found.returncode:
        raise harness.Skip("PyTorch and CuPy with CUDA are not set up (scripts/setup frameworks)")
    python = found.stdout.strip()
    preloads = {"nothing": None, "dltrace": bench.library}
    for name in ("torch", "cupy"):
        imported(python, name, bench.environment())  # compiles its modules

        def variant(preload, module=name):
            return lambda: imported(python, module, bench.environment(preload=preload))

        def unclear(values, module=name):
            return any(bench.unclear(key, percent(*([v[clock] for v in values[n]] for n in ("dltrace", "nothing"))))
                       for clock, key in keys(module))
        bench.stop_daemon()
        alone = bench.paired(f"import {name}", {n: variant(p) for n, p in preloads.items()},
                             unclear=unclear, seconds=LONGEST)
        bench.session("import", ["dltrace_*"])
        calls = bench.paired(f"import {name}, calls", {n: variant(p) for n, p in preloads.items()})
        bench.end_session("import")
        for title, figures in (("no session", alone), ("session with the events of calls", calls)):
            for clock in ("wall", "cpu"):
                bench.show(f"import {name}, {title}, {clock}", figures[clock], "nothing", "ms", 0)
        for clock, key in keys(name):
            bench.target(key, harness.Samples(percent(*(alone[clock][n].values for n in ("dltrace", "nothing")))))
