# SPDX-License-Identifier: MIT
"""A CUDA call on the stub library; GPU memory that is asked for and given back."""
import os
import shutil

THOUSANDS = "20"  # calls a round: all rounds fit into the session's buffers


def recorded(bench, level, program):
    def once():
        command, trace = bench.recorded(level, [program, THOUSANDS])
        try:
            return bench.numbers(command)
        finally:
            shutil.rmtree(os.path.dirname(trace))
    return once


def in_session(bench, events, program, preload=None):
    """In a session of our own: the same buffers for dltrace's events and for bare ones."""
    def once():
        trace = bench.session("cuda", events)
        try:
            return bench.numbers([program, THOUSANDS], env=bench.environment(preload=preload))
        finally:
            bench.end_session("cuda")
            shutil.rmtree(trace)
    return once


def launch_bound(bench):
    """A step that waits for its launches, with all that PyTorch does around one."""
    program, over = bench.program("gpu_step"), {"DLTRACE_STUB_OVER": "1"}

    def recorded_over(level):
        def once():
            command, trace = bench.recorded(level, [program, THOUSANDS])
            try:
                return bench.numbers(command, env=bench.environment(**over))
            finally:
                shutil.rmtree(os.path.dirname(trace))
        return once

    plain = {name: lambda preload=preload: bench.numbers([program, THOUSANDS], env=bench.environment(preload, **over))
             for name, preload in (("stub", None), ("dltrace, no session", bench.library))}
    recorded_ones = {f"dltrace, {level}": recorded_over(level) for level in ("summary", "calls")}
    bench.show("launch of a launch-bound step", bench.paired("launch-bound", plain | recorded_ones)["launch"], "stub", "ns")


def run(bench):
    program = bench.program("cuda_call")
    variants = {"stub": lambda: bench.numbers([program, THOUSANDS]),
                "dltrace, no session": lambda: bench.numbers([program, THOUSANDS], env=bench.environment(preload=bench.library)),
                "dltrace, summary": recorded(bench, "summary", program),
                "dltrace, calls": in_session(bench, ["dltrace_*"], program, bench.library),
                "dltrace, calls, dltrace-record": recorded(bench, "calls", program)}
    if os.path.exists(os.path.join(bench.build, "tests/bench/cuda_bare")):
        variants["bare tracepoint, same fields"] = in_session(bench, ["bench_*"], bench.program("cuda_bare"))
    by = bench.paired("cuda", variants, times=2)["call"]
    bench.show("CUDA call", by, "stub", "ns")
    for key, name, base in (("calls", "dltrace, calls", "bare tracepoint, same fields"),
                            ("summary", "dltrace, summary", "stub"), ("idle", "dltrace, no session", "stub")):
        if name in by and base in by:
            bench.target(f"cuda.{key}", by[name].over(by[base]))
    pair = bench.program("ledger_pair")
    ledger = bench.paired("ledger", {"stub": lambda: bench.numbers([pair, THOUSANDS]),
                                     "dltrace, no session": lambda: bench.numbers([pair, THOUSANDS], env=bench.environment(preload=bench.library))})
    for threads in ("one", "two"):
        bench.show(f"GPU memory, {threads}", ledger[threads], "stub", "ns")
        bench.target(f"cuda.ledger.{threads}", ledger[threads]["dltrace, no session"].over(ledger[threads]["stub"]))
    launch_bound(bench)
    if "dltrace, calls" in by:  # the price of an event, for the part training
        bench.target("cuda.calls.cost", by["dltrace, calls"].over(by["stub"]))
