# SPDX-License-Identifier: MIT
"""Process start and end: `true`, and python3 -c pass."""
import os
import shutil
import time


def started(command, env, times):
    """ms a process, from spawn to its end: the median of `times`."""
    spent = []
    for _ in range(times):
        begin = time.perf_counter()
        pid = os.posix_spawn(command[0], command, env)
        os.waitpid(pid, 0)
        spent.append(time.perf_counter() - begin)
    return {"ms": sorted(spent)[len(spent) // 2] * 1000}


def without_ust(bench):
    """libdltrace.so with no libdltrace-ust.so beside it: as where LTTng is not installed."""
    alone = os.path.join(bench.folder(), "libdltrace.so")
    shutil.copy(bench.library, alone)
    return alone


def compare(bench, title, command, environments, times):
    def variant(env):
        return lambda: started(command, env, 3 if bench.quick else 9)
    figures = bench.paired(f"start {title}", {name: variant(env) for name, env in environments.items()},
                           times=times)["ms"]
    bench.show(title, figures, "nothing", "ms", 2)
    return figures


def run(bench):
    for command in (["/usr/bin/true"], ["/usr/bin/python3", "-c", "pass"]):
        word = os.path.basename(command[0])
        bench.stop_daemon()
        env = bench.environment
        quiet = compare(bench, f"{word}, no session daemon", command,
                        {"nothing": env(), "no LTTng installed": env(without_ust(bench)), "UST alone": env(bench.ust),
                         "dltrace": env(bench.library), "dltrace and its audit library": bench.audited()}, times=4)
        bench.session("start", ["dltrace_*"])
        calls = compare(bench, f"{word}, session with the events of calls", command,
                        {"nothing": env(), "UST alone, as many classes": env(bench.ust), "dltrace": env(bench.library)},
                        times=12 if word == "true" else 4)   # what a daemon answers varies by more
        bench.end_session("start")
        bench.stop_daemon()
        with bench.recording() as outbox, bench.recording("--in-process") as inside:
            recorded = compare(bench, f"{word}, under dltrace-record", command,
                               {"nothing": env(), "dltrace-record": outbox, "dltrace-record --in-process": inside}, times=4)
        if word == "true":
            bench.target("start.calls", calls["dltrace"].over(calls["UST alone, as many classes"]))
            bench.target("start.recorded", recorded["dltrace-record"].over(recorded["nothing"]))
            bench.target("start.nodaemon", quiet["dltrace"].over(quiet["UST alone"]))
            bench.target("start.nolttng", quiet["no LTTng installed"].over(quiet["nothing"]))
