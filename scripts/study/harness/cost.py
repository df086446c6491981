# SPDX-License-Identifier: MIT
"""What tracing costs a framework's training: a session is switched on and off beside one process, and
the time from a start to the first step is compared with and without.

The steps' own times come from the script ($STUDY_STEPS, train/job.py); their clock is that of here.
Both the wall clock's and the CPU time of the process, all its threads: on a machine that others use
too, the latter says more.
"""
import collections
import os
import shutil
import statistics
import subprocess
import tempfile
import time

from harness import check, runs

SESSION = "slowdown"
SETTLE = 1.5        # s after a switch that count for nothing: all that ids mean is said then
BLOCK = 2.5         # s of steps between two switches, at least
STEPS = 12          # in a block, at least
WARM_UP = 8         # steps before the first switch: compilation, memory pools
START_LIMIT = 600   # s to the first steps
ENDLESS = 1000000   # epochs: the training is ended when enough is known

Step = collections.namedtuple("Step", "begin wall cpu until")  # s: monotonic; how long; how long; CPU time since the start
FIGURES = ("wall", "cpu")


def command(framework, model, data, size, epochs):
    words = check.training(framework, model, data, size)
    return words[:words.index("--epochs") + 1] + [str(epochs)] + words[words.index("--epochs") + 2:]


class Training:
    """A process of the framework's script that says when each step ended."""

    def __init__(self, words, env, folder, preload, lttng_home):
        handle, self.path = tempfile.mkstemp(dir=folder)
        os.close(handle)
        more = {"STUDY_STEPS": self.path, "LTTNG_HOME": lttng_home}
        if preload:
            more["LD_PRELOAD"] = preload
        self.begin = time.monotonic()
        self.child = subprocess.Popen(words, env=dict(env, **more), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=runs.end_with_parent)

    def steps(self):
        """[Step]; an epoch's first one begins with it."""
        found, last = [], (0, 0)
        with open(self.path, encoding="ascii") as file:
            for line in file.read().splitlines(keepends=True):
                if not line.endswith("\n"):
                    break
                word, *numbers = line.split()
                at = tuple(map(float, numbers))
                if word == "step":
                    found.append(Step(last[0], at[0] - last[0], at[1] - last[1], at[1]))
                last = at
        return found

    def wait_for(self, count):
        """True when so many steps are done."""
        limit = self.begin + START_LIMIT
        while len(self.steps()) < count:
            if self.child.poll() is not None or time.monotonic() > limit:
                return False
            time.sleep(0.05)
        return True

    def end(self):
        if self.child.poll() is None:
            runs.end(self.child, 9)
        os.unlink(self.path)


def middle(times):
    """The mean without a tenth at either end: a shared machine makes a few steps very long."""
    times, cut = sorted(times), len(times) // 10
    return statistics.mean(times[cut:len(times) - cut])


def a_step(steps):
    """{figure: s}"""
    return {figure: middle([getattr(step, figure) for step in steps]) for figure in FIGURES}


def block(training, seconds):
    """Of a step, for so long."""
    time.sleep(SETTLE)
    begin = time.monotonic()
    time.sleep(seconds)
    return a_step([step for step in training.steps() if step.begin >= begin])


def share(taken):
    """{figure: traced / bare - 1}"""
    return {figure: taken[True][figure] / taken[False][figure] - 1 for figure in FIGURES}


def switch(bench, on):
    subprocess.run(["lttng", "-q", "start" if on else "stop", SESSION], env=bench.environment(), check=True, timeout=60,
                   stdout=subprocess.DEVNULL)


def training_shares(bench, training, pairs):
    """[share], blocks in the order off-on, on-off, ..."""
    seconds = max(BLOCK, STEPS * a_step(training.steps()[WARM_UP // 2:])["wall"])
    shares = []
    for pair in range(pairs):
        taken = {}
        for on in (False, True) if pair % 2 else (True, False):
            if on:
                switch(bench, True)
            taken[on] = block(training, seconds)
            if on:
                switch(bench, False)
        shares.append(share(taken))
    return shares


def start_shares(bench, words, env, folder, pairs):
    """The same of the time from the start to the end of the first step; the first pair warms caches up."""
    shares = []
    for pair in range(pairs + 1):
        taken = {}
        for on in (False, True) if pair % 2 else (True, False):
            if on:
                switch(bench, True)
            training = Training(words, env, folder, bench.library if on else None, bench.environment()["LTTNG_HOME"])
            if not training.wait_for(1):
                training.end()
                return None
            first = training.steps()[0]
            taken[on] = {"wall": first.begin + first.wall - training.begin, "cpu": first.until}
            training.end()
            if on:
                switch(bench, False)
        shares.append(share(taken))
    return shares[1:]


def slowdown(bench, framework, model, data, size, pairs):
    """{"step": [share], "start": [share]}, twice as many of the former; None where it does not train."""
    env, folder = check.environment_of(framework), tempfile.mkdtemp(prefix="dltrace-slowdown-")
    trace = bench.session(SESSION, ["dltrace_*"], start=False)
    try:
        words = command(framework, model, data, size, ENDLESS)
        start = start_shares(bench, words, env, folder, pairs)
        training = start and Training(words, env, folder, bench.library, bench.environment()["LTTNG_HOME"])
        if not training:
            return None
        try:
            if not training.wait_for(WARM_UP):
                return None
            return {"start": start, "step": training_shares(bench, training, 2 * pairs)}
        finally:
            training.end()
    finally:
        bench.end_session(SESSION)
        for place in (folder, trace):
            shutil.rmtree(place, ignore_errors=True)
