# SPDX-License-Identifier: MIT
"""What part of a recorded training's CPU time is dltrace's own code, by perf's samples.

Two processes of one training differ by several per cent where nothing else does (cost.py), samples of one tell a
hundredth of that. They are not the whole cost: what the program waits longer for, since its caches hold less of its
own, is not among them, and what dltrace waits for in its place (the cache line of a new block) is.
"""
import math
import os
import shutil
import subprocess

RATE = 2500     # samples a second of CPU time
SECONDS = 15    # of steps
OWN = "libdltrace"
CLOCK = "cpu-clock"     # where a virtual machine has no counters, too


def available():
    """Whether perf is there and may sample processes of ours."""
    return bool(shutil.which("perf")) and not subprocess.run(
        ["perf", "record", "-q", "-e", CLOCK, "-o", os.devnull, "true"], capture_output=True, check=False, timeout=60).returncode


def counted(text):
    """{"own":, "all":} of perf report's lines COUNT|OBJECT."""
    rows = [line.split("|") for line in text.splitlines() if "|" in line]
    found = [(int(count), name.strip()) for count, name in rows]
    return {"own": sum(count for count, name in found if name.startswith(OWN)), "all": sum(count for count, _ in found)}


def take(pid, path, seconds):
    """{"own":, "all":} samples of a process, those of its threads and children too; None: perf cannot."""
    taken = subprocess.run(["perf", "record", "-q", "-e", CLOCK, "-F", str(RATE), "-p", str(pid), "-o", path, "--", "sleep", str(seconds)],
                           capture_output=True, check=False, timeout=10 * seconds + 60)
    if taken.returncode:
        return None
    told = subprocess.run(["perf", "report", "-i", path, "--stdio", "-q", "-F", "sample,dso", "-t", "|"],
                          capture_output=True, text=True, check=False, timeout=600)
    found = counted(told.stdout)
    return found if found["all"] else None


def text(found):
    """The share with its 95 % interval: so many samples are a matter of chance."""
    if not found:
        return "-"
    middle, spread = found["own"] / found["all"] * 100, 1.96 * math.sqrt(max(found["own"], 1)) / found["all"] * 100
    return f"{middle:.2f} % [{max(middle - spread, 0):.2f} .. {middle + spread:.2f}]"
