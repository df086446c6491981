# SPDX-License-Identifier: MIT
"""The call stack of an allocation of 100,000 bytes, 5, 20 and 60 calls deep: over the same recorded without stacks."""
import os
import shutil

import harness

THOUSANDS, THOUSANDS_SLOW = "100", "10"  # allocations a round; fewer where each is slow


def recorded(bench, *options):
    def once():
        command, trace = bench.recorded("calls", [bench.program("stack_deep"), THOUSANDS], "-q", *options)
        try:
            return bench.numbers(command)
        finally:
            shutil.rmtree(os.path.dirname(trace))
    return once


def heaptrack(bench):
    def once():
        if not shutil.which("heaptrack"):
            raise harness.Skip("heaptrack is not installed")
        folder = bench.folder()
        try:
            return bench.numbers(["heaptrack", "-o", os.path.join(folder, "trace"), bench.program("stack_deep"), THOUSANDS_SLOW])
        finally:
            shutil.rmtree(folder)
    return once


def run(bench):
    plain, calls, stacks = "glibc", "dltrace-record", "dltrace-record --stacks"
    by = bench.paired("stacks", {plain: lambda: bench.numbers([bench.program("stack_deep"), THOUSANDS]),
                                 calls: recorded(bench), stacks: recorded(bench, "--stacks"), "heaptrack": heaptrack(bench)})
    for depth in (5, 20, 60):
        figures = dict(by[f"alloc_{depth}"])
        figures["with libgcc's backtrace"] = by[f"backtrace_{depth}"][plain]
        bench.show(f"allocation and free, {depth} calls deep", figures, plain, "ns")
        bench.target(f"stacks.deep{depth}", figures[stacks].over(figures[calls]))
