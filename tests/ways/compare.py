# SPDX-License-Identifier: MIT
"""compare.py WAYS REPORT: what the stubs counted in each way's folder against the report on them."""
import json
import sys

report = json.load(open(sys.argv[2]))
wrong = 0


def rows(table, process):
    return [r for r in report[table] if r["process"] == process]


def check(name, audit, covered):
    label = name + ("-audit" if audit else "")
    counted, copies, seen = {}, set(), {}
    for line in open(f"{name}/stub{'-audit' if audit else ''}"):
        library, function, calls = line.split()[:3]
        copies.add(library)
        if library != "static":  # no symbols: the driver sees what it does
            counted[function] = counted.get(function, 0) + int(calls)
    process = [p["process"] for p in report["processes"] if f"way={label}" == (p["command"] or [""])[-1]]
    if len(process) != 1:
        return f"{len(process)} processes"
    for row in rows("breakdown", process[0]):
        if row["layer"] in ("runtime", "driver"):
            seen[row["function"]] = seen.get(row["function"], 0) + row["calls"]
    nothing = covered == "no" or (covered == "audit" and not audit)
    if seen != ({} if nothing else counted):
        return f"the stub counted {counted}, the report {seen}"
    said = [(c["library"], c["kind"]) for c in rows("coverage", process[0])
            if c["covered"] == "no" and "cuda" in c["kind"]]
    limits = [l["text"] for l in rows("limits", process[0]) if l["kind"] == "uncovered" and "CUDA" in l["text"]]
    if (not said or not limits) if nothing else said or limits:
        return f"not covered, says the report: {said}, {limits}"
    known = [c["kind"] for c in rows("coverage", process[0]) if c["kind"].endswith(("cuda runtime", "cuda driver"))]
    if len(known) != len(copies) or ("cuda driver" in known) != ("libcuda.so.1" in copies):
        return f"{copies} were called, the report knows of {known}"
    return None


for line in open(sys.argv[1]):
    name, covered = (x.strip() for x in line.split("|")[:2])
    for audit in False, True:
        problem = check(name, audit, covered)
        if problem:
            print(f"{name}{' with --audit' if audit else ''}: covered: {covered}: {problem}")
            wrong = 1
sys.exit(wrong)
