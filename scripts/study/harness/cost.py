# SPDX-License-Identifier: MIT
"""What recording costs a framework's training: two processes of it at once, one bare and one under
dltrace-record, each on a core of its own, which they exchange again and again.

Whatever else happens to the machine happens to both, and a pair takes no longer than one of them. A virtual
machine's cores are slower now and then, for seconds, when its host has others to serve: of two that exchange
them each has as much of that. (Six pairs of two bare processes of PyTorch: a standard deviation of 0.3 %, and one
of 1 to 3 % of the seconds that each was on one core.) All pairs are new processes: where a
program and its heap come to lie makes more of a difference between two steps than recording does. The steps'
own times come from the script ($STUDY_STEPS, train/job.py). What all this is worth is told by a control: pairs of
two bare ones.
"""
import collections
import os
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time

from harness import beside, check, plan, runs, samples
from harness.tables import Wrong

WARM_UP = 6         # steps before those that count: compilation, memory pools
SLICES = 12         # of the steps that count, on one core each, at most; an even number, as all are
FEWEST = 4
SLICE = 0.5         # s, at least
SLICE_STEPS = 2     # whole ones in a slice, at least
STEPS_TO_START = 2  # times as long as the start, steps are looked at: more pairs tell more than longer ones
START_SLICE = 0.2   # s until they exchange cores, before that
START_LIMIT = 600   # s to the first steps
ENDLESS = 1000000   # epochs: the training is ended when enough is known
PADDING = 4096      # bytes, at most, of a variable in the environment, whose length is drawn for each process
# What else is one process's luck or another's, and makes more of a difference than recording:
STEADY = {
    # glibc gives the top of the heap back whenever that is large enough, in each step or in none, as it happens to lie: steps
    # of one process of Debian's PyTorch have 4,000 page faults, of the next one 6, and take 7 % less. Here it keeps it.
    "MALLOC_TRIM_THRESHOLD_": str(1 << 32), "MALLOC_MMAP_THRESHOLD_": str(32 << 20),    # bytes; the largest that it takes
    # With AVX2 libjpeg-turbo writes a row past the caches if its buffer lies at a multiple of 32 bytes, and Pillow's copy of
    # that row is slow then: 3 % of a step of onnxruntime. With SSE2 it asks for a multiple of 16, as each block's is.
    "JSIMD_FORCESSE2": "1",
}
FIGURES = ("wall", "cpu")
PHASES = ("step", "start")
KINDS = ("bare", "recorded")
SLOWDOWN, CONTROL = "slowdown", "control"   # in a control the one in the recorded one's place is bare, too

Step = collections.namedtuple("Step", "begin wall cpu until")  # s: monotonic; how long; how long; CPU time since the start


class Failed(Exception):
    """The training did not come to its steps."""


def command(framework, model, data, size):
    words = check.training(framework, model, data, size)
    at = words.index("--epochs") + 1
    return words[:at] + [str(ENDLESS)] + words[at + 1:]


def is_running(pid, words):
    """Whether it has become this command."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read() == b"".join(os.fsencode(word) + b"\0" for word in words)
    except OSError:
        return False


def alone(env, compiled):
    """An environment with a folder of its own for what it compiles: Theano locks that, and the other one would wait."""
    if "base_compiledir=" not in env.get("THEANO_FLAGS", ""):
        return env
    return dict(env, THEANO_FLAGS=re.sub(r"base_compiledir=[^,]*", "base_compiledir=" + compiled, env["THEANO_FLAGS"]))


def padding():
    """So that how the heap lies is a matter of chance: Python keeps the environment there, and a recorded process has more of
    it; else all bare ones would lie alike, and all recorded ones alike in another way."""
    return "-" * random.randrange(PADDING)


class Training:
    """A process of the framework's script on one core, bare or recorded, that says when each step ended."""

    def __init__(self, words, env, folder, core, recorded, compiled):
        handle, self.path = tempfile.mkstemp(dir=folder)
        os.close(handle)
        self.words, self.core, self.recorded = words, core, recorded
        line = check.recorded(words, self.path + ".trace") if recorded else words
        self.child = subprocess.Popen(line, env={**alone(env, compiled), **STEADY, "STUDY_STEPS": self.path, "STUDY_PADDING": padding()},
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, start_new_session=True,
                                      preexec_fn=runs.end_with_parent)
        self.pid = self.begin = None
        self.said = open(self.path, encoding="ascii")
        self.rest, self.last, self.found = "", (0, 0), []

    def look(self):
        """Notices the command's beginning, and keeps it on its core; the recorder's own processes go where there is room."""
        for pid in [self.child.pid] if not self.recorded else beside.children(self.child.pid):
            if is_running(pid, self.words):
                self.pid, self.begin = pid, time.monotonic()
                self.move(self.core)

    def move(self, core):
        """To that core, with all its threads and children."""
        self.core = core
        for task in beside.tasks_below(self.pid):
            try:
                os.sched_setaffinity(task, {core})
            except ProcessLookupError:
                pass

    def steps(self):
        """[Step]; an epoch's first one begins with it. Only what is new is read: both trainings wait meanwhile."""
        *lines, self.rest = (self.rest + self.said.read()).split("\n")
        for line in lines:
            word, *numbers = line.split()
            at = tuple(map(float, numbers))
            if word == "step":
                self.found.append(Step(self.last[0], at[0] - self.last[0], at[1] - self.last[1], at[1]))
            self.last = at
        return self.found

    def start(self):
        """{figure: s} until the end of the first step."""
        first = self.steps()[0]
        return {"wall": first.begin + first.wall - self.begin, "cpu": first.until}

    def end(self):
        if self.child.poll() is None:
            runs.end(self.child, 15 if self.recorded else 9)
        self.said.close()
        os.unlink(self.path)
        shutil.rmtree(self.path + ".trace", ignore_errors=True)


def exchange(trainings):
    """Each has the core that the other one had."""
    for training, core in zip(trainings, [training.core for training in reversed(trainings)]):
        training.move(core)


def wait_for(trainings, what, pause, exchanging=float("inf")):
    """Until it is so of each of them; they exchange cores each so many seconds."""
    begin = due = time.monotonic()
    while not all(what(training) for training in trainings):
        if time.monotonic() > begin + START_LIMIT or any(training.child.poll() is not None for training in trainings):
            raise Failed()
        if time.monotonic() >= due + exchanging:
            exchange(trainings)
            due += exchanging
        time.sleep(pause)


def has_begun(training):
    if not training.begin:
        training.look()
    return training.begin is not None


def a_step(steps):
    """{figure: s}: by the clock the median, since a machine makes a few steps very long; of CPU time all there is."""
    return {"wall": statistics.median(step.wall for step in steps), "cpu": statistics.mean(step.cpu for step in steps)}


def counted(training, begin, end=float("inf")):
    """Its steps of that time, whole ones."""
    return [step for step in training.steps() if begin <= step.begin and step.begin + step.wall <= end]


def a_slice(trainings):
    """[{figure: s}] of a step of each, in the same time, each on the core that the other one had before."""
    exchange(trainings)
    begin = time.monotonic()
    time.sleep(SLICE)
    wait_for(trainings, lambda t: len(counted(t, begin)) >= SLICE_STEPS, 0.05)
    end = time.monotonic()
    return [a_step(counted(training, begin, end)) for training in trainings]


def slices_after(start):
    """How many, where the first step was over so many seconds after the beginning."""
    return min(max(2 * round(STEPS_TO_START * start / SLICE / 2), FEWEST), SLICES)


def steps_at_once(trainings):
    """[{figure: s}] of a step of each, as of all slices: as often on one core as on the other."""
    start = max(training.start()["wall"] for training in trainings)
    slices = [a_slice(trainings) for _ in range(slices_after(start))]
    return [{figure: statistics.geometric_mean(one[figure] for one in of_one) for figure in FIGURES} for of_one in zip(*slices)]


def pair(words, env, folder, turn, compiled, what=SLOWDOWN):
    """{phase: {kind: {figure: s}}}; which core is first whose depends on the turn. Each kind has a folder
    "compiled"-KIND, which stays."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    trainings = []
    try:
        # The recorder starts its session daemon first, which is not the training's start: so the bare one waits for that.
        for number, kind in reversed(list(enumerate(KINDS))):
            trainings.insert(0, Training(words, env, folder, cores[(number + turn) % 2],
                                         kind == "recorded" and what == SLOWDOWN, f"{compiled}-{kind}"))
            wait_for(trainings, has_begun, 0.001)
        wait_for(trainings, lambda t: len(t.steps()) >= WARM_UP, 0.05, START_SLICE)
        step = dict(zip(KINDS, steps_at_once(trainings)))
        return {"step": step, "start": {kind: t.start() for kind, t in zip(KINDS, trainings)}}
    finally:
        for training in trainings:
            training.end()


def looked_at(words, env, folder, compiled):
    """The steps of a recorded one, alone on its core: what perf finds in them (samples.py), if it is there, and what the
    recorder's own processes take meanwhile (beside.py)."""
    training = Training(words, env, folder, min(os.sched_getaffinity(0)), True, f"{compiled}-recorded")
    try:
        wait_for([training], has_begun, 0.001)
        wait_for([training], lambda t: len(t.steps()) >= WARM_UP, 0.05)
        begin, before = time.monotonic(), beside.cpu_by_process(training.child.pid, training.pid)
        taken = samples.take(training.pid, os.path.join(folder, "perf.data"), samples.SECONDS) if samples.available() else None
        time.sleep(max(begin + samples.SECONDS - time.monotonic(), 0))  # where perf was not there, or could not
        after = beside.cpu_by_process(training.child.pid, training.pid)
        if training.child.poll() is not None:
            raise Failed()
        found = {"beside": {"cpu": beside.taken_between(before, after), "wall": time.monotonic() - begin}}
        return {**found, "samples": taken} if taken else found
    finally:
        training.end()


# ---- what is kept ----

def path_of(folder, framework, model, size, what=SLOWDOWN):
    return os.path.join(folder, f"{framework.name}-{model}", f"{what}-{size}.json")


def kept(folder, framework, model, size, what=SLOWDOWN):
    """What was measured so far: {"pairs": [pair], "seconds": what that took, and looked_at's}."""
    return plan.read(path_of(folder, framework, model, size, what)) or {"pairs": [], "seconds": 0}


def measure(framework, model, data, size, folder, pairs, seconds, what=SLOWDOWN):
    """So many pairs at least, and more while there is time; what an earlier call kept counts. False if it does not train."""
    if len(os.sched_getaffinity(0)) < 2:
        raise Wrong("a slow-down is measured on two cores: there is one")
    path, found = path_of(folder, framework, model, size, what), kept(folder, framework, model, size, what)
    compiled = os.path.join(os.path.abspath(os.path.dirname(path)), "compiled")
    words, env = command(framework, model, data, size), check.environment_of(framework)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    scratch = tempfile.mkdtemp(prefix="dltrace-slowdown-")
    try:
        while len(found["pairs"]) < pairs or found["seconds"] < seconds:
            begin = time.monotonic()
            if env != alone(env, compiled) and not os.path.exists(compiled + "-bare"):
                pair(words, env, scratch, 0, compiled, what)  # the one that compiles is not one of them
            found["pairs"].append(pair(words, env, scratch, len(found["pairs"]), compiled, what))
            found["seconds"] += time.monotonic() - begin
            plan.write(path, found)
        if what == SLOWDOWN and not found.get("beside"):
            plan.write(path, found | looked_at(words, env, scratch, compiled))
    except Failed:
        return False
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return True


# ---- what it says ----

# Shares that are promised: of a step, where the heap is called five million times a second, and of a start.
STEP, BUSY_STEP, START = 0.01, 0.04, 0.03
BUSY = ("paddle", "paddle-2.6", "paddle-1.8", "pytorch-1.8")
COLUMNS = ("a step", "longer", "its CPU time", "samples in dltrace", "recorder", "the start", "longer", "its CPU time", "pairs")


def limit_of(framework, phase):
    return START if phase == "start" else BUSY_STEP if framework.name in BUSY else STEP


def estimate(pairs, phase, figure):
    """(share by which it takes longer, its 95 % interval by bootstrap); the same pairs, the same interval."""
    longer = [p[phase]["recorded"][figure] / p[phase]["bare"][figure] - 1 for p in pairs]
    rng = random.Random(1)
    drawn = sorted(statistics.median(rng.choices(longer, k=len(longer))) for _ in range(2000))
    return statistics.median(longer), drawn[50], drawn[-51]


MET, NOT_MET, UNCLEAR = "met", "not met", "unclear"


def verdict(low, high, limit):
    return MET if high <= limit else NOT_MET if low > limit else UNCLEAR


def bare_text(pairs, phase):
    bare = statistics.median(p[phase]["bare"]["wall"] for p in pairs)
    return f"{bare * 1000:.0f} ms" if phase == "step" else f"{bare:.1f} s"


def longer_text(pairs, phase, figure, limit):
    middle, low, high = (value * 100 for value in estimate(pairs, phase, figure))
    return f"{middle:+.1f} % [{low:+.1f} .. {high:+.1f}] {verdict(low, high, limit * 100)}"


def row(framework, model, pairs, found):
    """A row of the table, as text."""
    step, start = ([bare_text(pairs, phase),
                    *(longer_text(pairs, phase, figure, limit_of(framework, phase)) for figure in FIGURES)] for phase in PHASES)
    return [framework.name, model, *step, samples.text(found.get("samples")), beside.text(found.get("beside")), *start, str(len(pairs))]


def breaks_promise(cells):
    """Of a row: a limit is not met, of a step or a start, by the clock or in CPU time."""
    return any(cell.endswith(f"] {NOT_MET}") for cell in cells)


def told(cells):
    """A row in words, as it is measured."""
    name, model, _, step, step_cpu, own, recorder, _, start, start_cpu, pairs = cells
    return (f"{name} {model}: a step {step}, CPU {step_cpu}, in dltrace {own}, recorder {recorder}; "
            f"the start {start}, CPU {start_cpu}; {pairs} pairs")


def measured(frameworks, folder, size, what=SLOWDOWN):
    """(framework, model, pairs, all that is kept of it) of all that was measured, whenever."""
    for framework in frameworks:
        model = check.model_of(framework)
        found = kept(folder, framework, model, size, what)
        pairs = found["pairs"]
        if len(pairs) > 1:
            yield framework, model, pairs, found


def table(frameworks, folder, size, what=SLOWDOWN):
    """A row each."""
    for found in measured(frameworks, folder, size, what):
        yield row(*found)


def together(frameworks, folder, size):
    """The pairs of all frameworks that share a limit, as one row; of one framework alone there is none."""
    found = [pairs for framework, _, pairs, _ in measured(frameworks, folder, size) if framework.name not in BUSY]
    pairs = [pair for some in found for pair in some]
    cells = [["", *(longer_text(pairs, phase, figure, limit) for figure in FIGURES)]
             for phase, limit in zip(PHASES, (STEP, START)) if len(found) > 1]
    return [["together, but those", "", *cells[0], "", "", *cells[1], str(len(pairs))]] if cells else []
