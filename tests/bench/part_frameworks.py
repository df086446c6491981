# SPDX-License-Identifier: MIT
"""Import of PyTorch and CuPy, CUDA builds of PyPI (scripts/setup frameworks), under the preload."""
import os
import subprocess
import time

import harness


def percent(samples, base):
    return harness.Samples((a / b - 1) * 100 for a, b in zip(samples.values, base.values))


def imported(python, name, env):
    """Wall clock and CPU time of a process that imports it, ms."""
    before, begin = os.times(), time.perf_counter()
    subprocess.run([python, "-c", f"import {name}"], env=env, check=True)
    spent, after = time.perf_counter() - begin, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
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
        bench.stop_daemon()
        alone = bench.paired(f"import {name}", {n: variant(p) for n, p in preloads.items()})
        bench.session("import", ["dltrace_*"])
        calls = bench.paired(f"import {name}, calls", {n: variant(p) for n, p in preloads.items()})
        bench.end_session("import")
        for title, figures in (("no session", alone), ("session with the events of calls", calls)):
            for clock in ("wall", "cpu"):
                bench.show(f"import {name}, {title}, {clock}", figures[clock], "nothing", "ms", 0)
        bench.target(f"frameworks.{name}", percent(alone["wall"]["dltrace"], alone["wall"]["nothing"]))
        bench.target(f"frameworks.{name}.cpu", percent(alone["cpu"]["dltrace"], alone["cpu"]["nothing"]))
