# SPDX-License-Identifier: MIT
"""A driver call by an entry point, on the stub library; dlsym of names that are not CUDA's."""
import os

from part_cuda import THOUSANDS, in_session, recorded


def run(bench):
    program = bench.program("driver_call")
    variants = {"stub": lambda: bench.numbers([program, THOUSANDS]),
                "dltrace, no session": lambda: bench.numbers([program, THOUSANDS], env=bench.environment(preload=bench.library)),
                "dltrace, no session, audit library": lambda: bench.numbers([program, THOUSANDS], env=bench.audited()),
                "dltrace, calls": in_session(bench, ["dltrace_*"], program, bench.library),
                "dltrace, calls, dltrace-record": recorded(bench, "calls", program)}
    if os.path.exists(os.path.join(bench.build, "tests/bench/driver_bare")):
        variants["bare tracepoint, same fields"] = in_session(bench, ["bench_*"], bench.program("driver_bare"))
    by = bench.paired("driver", variants)
    calls, preloaded, audited = by["call"], "dltrace, no session", "dltrace, no session, audit library"
    bench.show("driver call", calls, "stub", "ns")
    memory, bare = by["memory"], "bare tracepoint, same fields"
    bench.show("driver call that asks for memory or gives it back", memory, "stub", "ns")
    if "dltrace, calls" in memory and bare in memory:
        bench.target("driver.memory", memory["dltrace, calls"].over(memory[bare]))
    for name in ("dlsym", "dlsym_cu"):
        asks = {"plain": by[name + "_plain"][preloaded], "dltrace": by[name][preloaded],
                "dltrace and its audit library": by[name][audited]}
        bench.show(name, asks, "plain", "ns")
        bench.target("driver." + name, asks["dltrace"].over(asks["plain"]))
    for key, name, base in (("calls", "dltrace, calls", "bare tracepoint, same fields"),
                            ("launch", "dltrace, calls", "stub"), ("idle", "dltrace, no session", "stub")):
        if name in calls and base in calls:
            bench.target(f"driver.{key}", calls[name].over(calls[base]))
