# SPDX-License-Identifier: MIT
"""What the recorder's own processes take beside a training: dltrace-record, its sampler, the session and consumer daemons.

On a machine with a core to spare the training does not notice them; where all cores are busy it waits for them, and then
this is a part of what it takes longer by the clock.
"""
import os


def tasks(pid):
    """Its threads."""
    try:
        return [int(task) for task in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def children(pid):
    """Those of all its threads."""
    found = []
    try:
        for task in tasks(pid):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return found


def tasks_below(pid):
    """The threads of it and of all that came of it."""
    return [*tasks(pid), *(task for child in children(pid) for task in tasks_below(child))]


def cpu_of(pid):
    """ns of CPU time of its threads, those that ended left out."""
    total = 0
    try:
        for task in tasks(pid):
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
    except OSError:
        pass
    return total


def cpu_by_process(root, training):
    """{pid: ns} of the recorder, root, and all that came of it but the training."""
    found, waiting = {}, [root]
    while waiting:
        pid = waiting.pop()
        if pid != training:
            found[pid] = cpu_of(pid)
            waiting += children(pid)
    return found


def taken_between(before, after):
    """s of CPU time. What ended meanwhile is left out, what began counts whole."""
    return sum(max(cpu - before.get(pid, 0), 0) for pid, cpu in after.items()) / 1e9


def text(found):
    """{"cpu": s, "wall": s} as a share of one core."""
    return f"{found['cpu'] / found['wall'] * 100:.2f} %" if found else "-"
