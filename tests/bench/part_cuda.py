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
    if "dltrace, calls" in by:  # the price of an event, for the part training
        bench.target("cuda.calls.cost", by["dltrace, calls"].over(by["stub"]))
