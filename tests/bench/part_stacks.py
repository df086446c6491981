# SPDX-License-Identifier: MIT
"""The call stack of an allocation of 100,000 bytes, 5, 20 and 60 calls deep: over the same recorded without stacks."""
import os
import shutil

THOUSANDS, THOUSANDS_SLOW = "100", "10"  # allocations a round; fewer where each is slow


def recorded(bench, *options):
    def once():
        command, trace = bench.recorded("calls", [bench.program("stack_deep"), THOUSANDS], "-q", *options)
        try:
            return bench.numbers(command)
        finally:
            shutil.rmtree(os.path.dirname(trace))
    return once


def run(bench):
    program = bench.program("stack_deep")
    plain, calls, stacks = "glibc", "dltrace-record", "dltrace-record --stacks"
    by = bench.paired("stacks", {plain: lambda: bench.numbers([program, THOUSANDS]),
                                 calls: recorded(bench), stacks: recorded(bench, "--stacks"),
                                 "heaptrack": bench.heaptrack(lambda prefix: bench.numbers([*prefix, program, THOUSANDS_SLOW]))})
    for depth in (5, 20, 60):
        figures = dict(by[f"alloc_{depth}"])
        figures["with libgcc's backtrace"] = by[f"backtrace_{depth}"][plain]
        bench.show(f"allocation and free, {depth} calls deep", figures, plain, "ns")
        bench.target(f"stacks.deep{depth}", figures[stacks].over(figures[calls]))
