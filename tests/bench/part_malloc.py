# SPDX-License-Identifier: MIT
"""A malloc+free pair: 64 bytes last in, first out; a random window; two threads."""
import os
import shutil

PATTERNS = ("lifo", "random", "threads2")
LTTNG_WRAPPER = "liblttng-ust-libc-wrapper.so"


def recorded(bench, level, program):
    def once():
        command, trace = bench.recorded(level, [program])
        try:
            return bench.numbers(command)
        finally:
            shutil.rmtree(os.path.dirname(trace))
    return once


def lttng_wrapper(bench, program):
    def once():
        trace = bench.session("malloc", ["lttng_ust_libc:*"])
        try:
            return bench.numbers([program], env=bench.environment(preload=LTTNG_WRAPPER))
        finally:
            bench.end_session("malloc")
            shutil.rmtree(trace)
    return once


def heaptrack(bench, program):
    def once():
        if not shutil.which("heaptrack"):
            raise FileNotFoundError("heaptrack is not installed")
        folder = bench.folder()
        try:
            return bench.numbers(["heaptrack", "--record-only", "-o", os.path.join(folder, "trace"), program])
        finally:
            shutil.rmtree(folder)
    return once


def run(bench):
    program = bench.program("malloc_pair")
    plain = lambda preload: lambda: bench.numbers([program], env=bench.environment(preload=preload))
    variants = {"glibc": plain(None), "dltrace, no session": plain(bench.library),
                "dltrace, summary": recorded(bench, "summary", program),
                "dltrace, calls": recorded(bench, "calls", program)}
    if os.path.exists(os.path.join(bench.build, "tests/bench/passthrough")):
        variants["pass-through preload"] = plain(bench.program("passthrough"))
    variants["lttng's libc wrapper"] = lttng_wrapper(bench, program)
    variants["heaptrack"] = heaptrack(bench, program)
    figures = bench.paired("malloc", variants)
    for pattern in PATTERNS:
        by = figures[pattern]
        bench.show(f"malloc+free, {pattern}", by, "glibc", "ns a pair")
        for key, name in (("idle", "dltrace, no session"), ("calls", "dltrace, calls")):
            if name in by:
                bench.target(f"malloc.{key}.{pattern}", by[name].over(by["glibc"]))
