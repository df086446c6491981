# SPDX-License-Identifier: MIT
"""What a step takes under dltrace or another profiler, against one without, on a machine whose speed changes.

One program of each kind is there from the start, and they step in turn, a third of a second each: what else goes on
in the machine meets all of them. A round is a turn of each. What is compared are the medians of the turns of a round.
"""
import collections
import json
import os
import select
import statistics
import subprocess
import time

from gpu_lab import RUN_LIMIT, Skip, Wrong

# Steps of a turn, and how many of them are left out first: caches, and the GPU, were another's.
TURNS = {"GPU-bound": (6, 2), "launch-bound": (24, 4), "stub": (8, 2)}
BESIDE = ("profiler", "nsys")  # shown for comparison
BESIDE_EVERY = 6  # rounds: each time they have to read what they gathered
FEW = 5  # rounds that say something
AT_END = 45  # seconds for the reports
# glibc keeps what is freed: by itself it gives the top of the heap back in each step or in none, as it happens to lie.
HEAP = {"MALLOC_TRIM_THRESHOLD_": str(1 << 32), "MALLOC_MMAP_THRESHOLD_": str(32 << 20)}  # bytes


class Stepper:
    """A program that steps when it is told to. Raises Wrong where it does not."""

    def __init__(self, lab, kind):
        variant, count = ("bare", kind) if kind == "profiler" else (kind, "none")
        lab.prepare("paces")
        self.lab, self.key = lab, ("paces", variant, count, (), 0)
        self.run = lab.place(self.key)
        self.begin, self.rest = time.monotonic(), b""
        with open(os.path.join(self.run.folder, "work.err"), "wb") as errors:
            self.child = subprocess.Popen(lab.whole_command(self.key, self.run.folder), stdin=subprocess.PIPE,
                                          stdout=subprocess.PIPE, stderr=errors, cwd=self.run.folder,
                                          env={**os.environ, **HEAP}, start_new_session=True)
        lab.children.add(self.child)

    def wrong(self, what):
        said = " / ".join(self.run.read("work.err").strip().splitlines()[-3:])
        return Wrong(f"{self.run.title}: {what}: {said[-300:]}")

    def ask(self, pace):
        """It begins with a turn."""
        try:
            self.child.stdin.write(f"{pace} {TURNS[pace][0]}\n".encode())
            self.child.stdin.flush()
        except OSError as why:
            raise self.wrong(why) from why

    def answer(self, pace):
        """Seconds of a step: the median of the turn."""
        return statistics.median(json.loads(self.line())[TURNS[pace][1]:])

    def line(self):
        end = time.monotonic() + RUN_LIMIT
        while not self.rest.endswith(b"\n"):
            if not select.select([self.child.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise self.wrong(f"no answer in {RUN_LIMIT} s")
            more = os.read(self.child.stdout.fileno(), 1 << 16)
            if not more:
                raise self.wrong("ended")
            self.rest += more
        line, self.rest = self.rest, b""
        return line

    def end(self):
        """Its run is one like others then; killed where it does not end."""
        try:
            self.child.stdin.close()
            self.run.status = self.child.wait(RUN_LIMIT)
        except (OSError, subprocess.TimeoutExpired):
            self.lab.kill(self.child)
        self.child.stdout.close()
        self.lab.children.discard(self.child)
        self.run.seconds = time.monotonic() - self.begin
        if self.run.status != 0:
            raise self.wrong(f"exit status {self.run.status}")
        self.lab.keep(self.key, self.run)


class Paces:
    """What came of all rounds: ratios[kind][pace] against the bare one of the same round, and bare[pace] in seconds;
    failed[kind]: why it has none."""

    def __init__(self, lab, kinds, rounds):
        self.lab, self.failed, self.steppers = lab, {}, {}
        self.ratios = collections.defaultdict(lambda: collections.defaultdict(list))
        self.bare = collections.defaultdict(list)
        for kind in ("bare", *kinds):
            self.attempt(kind, lambda kind=kind: self.steppers.update({kind: Stepper(lab, kind)}))
        for left, pace in zip(range(len(lab.paces), 0, -1), lab.paces):
            now = time.monotonic()
            self.take_rounds(pace, rounds, now + (lab.deadline - AT_END - now) / left)
        for kind in list(self.steppers):
            try:
                self.steppers[kind].end()
            except Skip as why:  # its steps are known all the same
                lab.notes.append(f"recording of paces, {kind}: {why}")
            except Wrong as why:
                self.failed[kind] = why

    def attempt(self, kind, do):
        """What it returns; None, and the kind is out, where it does not work. Without the bare one there is nothing."""
        try:
            return do()
        except (Wrong, Skip) as why:
            self.failed[kind] = Skip(f"{why} (without dltrace)") if kind == "bare" else why
            stepper = self.steppers.pop(kind, None)
            if stepper:
                self.lab.kill(stepper.child)
            return None

    def turn(self, kind, pace):
        self.steppers[kind].ask(pace)
        return self.steppers[kind].answer(pace)

    def take_rounds(self, pace, rounds, end):
        for do in (Stepper.ask, Stepper.answer):  # the model, and what CUDA loads for it: all at once
            for kind in list(self.steppers):
                self.attempt(kind, lambda kind=kind, do=do: do(self.steppers[kind], pace))
        for number in range(rounds):
            if "bare" not in self.steppers or time.monotonic() > end:
                break
            kinds = [kind for kind in self.steppers if kind not in BESIDE or number % BESIDE_EVERY == 0]
            took = {}
            for kind in kinds if number % 2 else reversed(kinds):
                took[kind] = self.attempt(kind, lambda kind=kind: self.turn(kind, pace))
            bare = took.pop("bare")
            if bare:
                self.bare[pace].append(bare)
                for kind, seconds in took.items():
                    if seconds:
                        self.ratios[kind][pace].append((seconds / bare - 1) * 100)

    def found(self, kind):
        """{pace: percents}, at least a few of each."""
        for name in ("bare", kind):
            if name in self.failed:
                raise self.failed[name]
        least = 1 if kind in BESIDE else FEW
        if not self.ratios[kind] or min(map(len, self.ratios[kind].values())) < least:
            raise Skip("no time left")
        return self.ratios[kind]


def interval(values):
    """Of the median, 95 %: which of the values, in their order, by the binomial distribution."""
    ordered, out = sorted(values), max(0, int((len(values) - 1.96 * len(values) ** 0.5) / 2))
    return ordered[out], ordered[-1 - out]
