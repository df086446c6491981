# SPDX-License-Identifier: MIT
"""A malloc+free pair: 64 bytes last in, first out; a random window; two threads."""
import os
import re
import shutil

import harness

PATTERNS = ("lifo", "random", "threads")
MILLIONS, MILLIONS_TRACED = "2", "0.2"  # pairs a round; fewer where each becomes an event
LTTNG_WRAPPER = "liblttng-ust-libc-wrapper.so"


def number(out):
    """The line that is nothing but a number; heaptrack speaks on standard output too."""
    return float(re.search(r"^[0-9.]+$", out, re.M)[0])


def pairs(bench, millions=MILLIONS, prefix=(), **more):
    """ns a pair of each pattern."""
    program = bench.program("malloc_pair")
    return {pattern: number(bench.run([*prefix, program, pattern, millions], **more)) for pattern in PATTERNS}


def recorded(bench, level):
    def once():
        command, trace = bench.recorded(level, [])
        try:
            return {p: pairs_of(bench, command, p, trace) for p in PATTERNS}
        finally:
            shutil.rmtree(os.path.dirname(trace), ignore_errors=True)
    return once


def pairs_of(bench, command, pattern, trace):
    """dltrace-record wants a folder that does not exist, so one for each pattern."""
    value = number(bench.run([*command, bench.program("malloc_pair"), pattern, MILLIONS]))
    shutil.rmtree(trace, ignore_errors=True)
    return value


def lttng_wrapper(bench):
    def once():
        trace = bench.session("malloc", ["lttng_ust_libc:*"])
        try:
            return pairs(bench, MILLIONS_TRACED, env=bench.environment(preload=LTTNG_WRAPPER))
        finally:
            bench.end_session("malloc")
            shutil.rmtree(trace)
    return once


def run(bench):
    def plain(preload):
        return lambda: pairs(bench, env=bench.environment(preload=preload))
    bench.program("malloc_pair")
    variants = {"glibc": plain(None), "pass-through preload": plain(bench.program("passthrough")),
                "dltrace, no session": plain(bench.library), "dltrace, summary": recorded(bench, "summary"),
                "dltrace, calls": recorded(bench, "calls"), "lttng's libc wrapper": lttng_wrapper(bench),
                "heaptrack": bench.heaptrack(lambda prefix: pairs(bench, MILLIONS_TRACED, prefix))}
    figures = bench.paired("malloc", variants, times=3, seldom=("lttng's libc wrapper", "heaptrack"))
    for pattern in PATTERNS:
        by = figures[pattern]
        bench.show(f"malloc+free, {pattern}", by, "glibc", "ns a pair")
        for key, name in (("idle", "dltrace, no session"), ("calls", "dltrace, calls")):
            if name in by:
                bench.target(f"malloc.{key}.{pattern}", by[name].over(by["glibc"]))
