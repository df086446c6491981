# SPDX-License-Identifier: MIT
"""What the parts of `make bench` share: paired repeats, intervals, programs, sessions, results."""
import contextlib
import itertools
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


TARGETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "targets.tbl")


def interval(values, level=0.95, resamples=1000):
    """95 % interval of the median by bootstrap, with a fixed seed: the same values, the same interval."""
    rng = random.Random(1)
    medians = sorted(statistics.median(rng.choices(values, k=len(values))) for _ in range(resamples))
    cut = int(resamples * (1 - level) / 2)
    return medians[cut], medians[-cut - 1]


class Skip(Exception):
    """What is missing for a part, or a variant of it."""


class Found(dict):
    """What was measured, by name: what was not ends the part that needs it."""

    def __missing__(self, name):
        raise Skip(f"{name} was not measured")


class Samples:
    """One figure of one variant, in the order of the rounds."""

    def __init__(self, values):
        self.values = list(values)

    def median(self):
        return statistics.median(self.values)

    def over(self, base):
        return Samples(a - b for a, b in zip(self.values, base.values))

    def ratio(self, base):
        return Samples(a / b for a, b in zip(self.values, base.values))

    def text(self, digits):
        low, high = interval(self.values)
        return f"{self.median():.{digits}f} [{low:.{digits}f} .. {high:.{digits}f}]"


class Bench:
    """Where a run keeps what it needs and what it found."""

    def __init__(self, source, build, repeats, quick):
        self.source, self.build, self.repeats, self.quick = source, build, repeats, quick
        self.scratch = tempfile.mkdtemp(prefix="dltrace-bench-")
        self.results, self.measured, self.skipped = {}, {}, []
        self.lost = 0  # the most events that one recording has lost: a lost event is cheap
        self.library = os.path.join(build, ".libs/libdltrace.so")
        self.ust = os.path.join(build, ".libs/libdltrace-ust.so")
        self.record = os.path.join(build, "dltrace-record")
        self.report = os.path.join(build, "dltrace-report")
        self.python = python_with_torch()
        self.daemon = None

    # ---- programs ----------------------------------------------------------------------

    def program(self, name):
        """Path of a program of tests/bench, as make built it."""
        path = os.path.join(self.build, "tests/bench", name)
        if not os.path.exists(path):
            raise Skip(f"tests/bench/{name} is not built")
        return path

    def environment(self, preload=None, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("DLTRACE", "LD_PRELOAD"))}
        env["LTTNG_HOME"] = os.path.join(self.scratch, "home")
        if preload:
            env["LD_PRELOAD"] = preload
        env.update(more)
        return env

    def audited(self):
        """The environment of dltrace-record --audit."""
        audit = os.path.join(os.path.dirname(self.library), "libdltrace-audit.so")
        return self.environment(preload=self.library, LD_AUDIT=audit)

    def run(self, command, **options):
        """Standard output of a command that must succeed."""
        options.setdefault("env", self.environment())
        options.setdefault("timeout", 600)
        done = subprocess.run(command, capture_output=True, text=True, **options)
        if done.returncode:
            raise Skip(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()[-300:]}")
        lost = re.search(r"([0-9]+) lost", done.stderr)
        if lost and int(lost[1]):
            self.lost = max(self.lost, int(lost[1]))
        return done.stdout

    def numbers(self, command, **options):
        """{NAME: VALUE} of the lines "NAME VALUE" that a program prints."""
        words = [line.split() for line in self.run(command, **options).splitlines()]
        return {w[0]: float(w[1]) for w in words if len(w) == 2 and w[1].replace(".", "").isdigit()}

    def folder(self):
        return tempfile.mkdtemp(dir=self.scratch)

    def heaptrack(self, measure):
        """What measure(PREFIX) gives with heaptrack's command line before a program's, as a variant."""
        def once():
            if not shutil.which("heaptrack"):
                raise Skip("heaptrack is not installed")
            folder = self.folder()
            try:
                return measure(["heaptrack", "-o", os.path.join(folder, "trace")])
            finally:
                shutil.rmtree(folder)
        return once

    def recorded(self, level, command, *options):
        """The command line that runs a command under dltrace-record, and where the trace will be."""
        trace = os.path.join(self.folder(), "trace")
        return [self.record, "--require", "-l", level, "-o", trace, *options, "--", *command], trace

    @contextlib.contextmanager
    def recording(self, *options):
        """The environment of a recording that runs meanwhile: who has it belongs to it."""
        words, go_on = os.path.join(self.folder(), "environment"), ["sh", "-c", 'env -0 >"$0" && exec sleep 600']
        command, _ = self.recorded("calls", [*go_on, words], "-q", *options)
        recorder = subprocess.Popen(command, env=self.environment(DLTRACE_CHILDREN="all"))
        try:
            for _ in range(1000):
                if os.path.exists(words) and os.path.getsize(words):
                    break
                time.sleep(0.01)
            time.sleep(0.2)
            text = open(words, "rb").read().decode().strip("\0").split("\0")
            yield {k: v for k, _, v in (word.partition("=") for word in text)
                   if k not in ("DLTRACE_PARENT", "DLTRACE_ROOT", "_")}
        finally:
            recorder.terminate()
            recorder.wait(60)

    # ---- sessions of our own -----------------------------------------------------------

    def start_daemon(self):
        if self.daemon or not shutil.which("lttng-sessiond"):
            return self.daemon
        os.makedirs(self.environment()["LTTNG_HOME"], exist_ok=True)
        self.daemon = os.path.join(self.scratch, "sessiond.pid")
        subprocess.run(["lttng-sessiond", "--daemonize", "--no-kernel", f"--pidfile={self.daemon}"],
                       env=self.environment(), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return self.daemon

    def stop_daemon(self):
        if self.daemon:
            os.kill(int(open(self.daemon, encoding="ascii").read()), 15)
            while os.path.exists(self.daemon):
                pass
            self.daemon = None

    def session(self, name, events, start=True):
        """Buffers are big enough to lose nothing: a lost event would cost less than a recorded one."""
        if not self.start_daemon():
            raise Skip("lttng-sessiond is not installed")
        trace = self.folder()
        for arguments in ([["create", name, f"--output={trace}"],
                           ["enable-channel", "-u", "-s", name, "--subbuf-size=2M", "--num-subbuf=8", "bench"]] +
                          [["enable-event", "-u", event, "-s", name, "-c", "bench"] for event in events] +
                          ([["start", name]] if start else [])):
            subprocess.run(["lttng", "-q", *arguments], env=self.environment(), check=True, timeout=60,
                           stdout=subprocess.DEVNULL)
        return trace

    def end_session(self, name):
        subprocess.run(["lttng", "-q", "destroy", name], env=self.environment(), timeout=60,
                       stdout=subprocess.DEVNULL, check=False)

    # ---- results -----------------------------------------------------------------------

    def paired(self, part, variants, times=1, seldom=(), unclear=None, seconds=0):
        """
        variants: {name: function -> {figure: value}}. Runs all of them in turn, in another order each
        round; {figure: {variant: Samples}}. A variant that raises Skip is left out and named. `times` as
        many rounds as usual, where what is measured is short: pairs that lie close share the machine's mood.
        Those named in `seldom`, which take long and only stand beside the others, run as often as usual.
        unclear: function of {variant: [{figure: value}]}: while it is true, more rounds, up to so many seconds.
        """
        values, names, begin = {}, list(variants), time.monotonic()

        def goes_on(turn):
            return turn < self.repeats * times or (unclear is not None and not self.quick and
                                                   time.monotonic() < begin + seconds and unclear(values))
        for turn in itertools.takewhile(goes_on, itertools.count()):
            for name in names[turn % len(names):] + names[:turn % len(names)]:
                if (values.get(name) is None and turn) or (name in seldom and turn >= self.repeats):
                    continue
                try:
                    values.setdefault(name, []).append(variants[name]())
                except (Skip, OSError, subprocess.SubprocessError) as why:
                    self.skip(f"{part}: {name}: {why}")
                    values[name] = None
        values = {name: v for name, v in values.items() if v}
        figures = Found()
        for name in (n for n in names if n in values):
            for figure in values[name][0]:
                figures.setdefault(figure, Found())[name] = Samples(v[figure] for v in values[name])
        self.results[part] = {f: {n: s.values for n, s in by.items()} for f, by in figures.items()}
        return figures

    def skip(self, text):
        self.skipped.append(text)
        print(f"  skipped: {text}")

    def limit(self, key):
        """What the target `key` is held against."""
        return next(limit for name, limit, *_ in targets(TARGETS) if name == key)

    def unclear(self, key, values):
        """Whether the limit of the target `key` lies inside the interval of these values."""
        low, high = interval(values)
        return low <= self.limit(key) <= high

    def target(self, key, samples):
        """samples: what the target `key` of targets.tbl is compared with."""
        self.measured[key] = samples if isinstance(samples, Samples) else Samples([samples])

    def show(self, title, by_variant, base, unit, digits=1):
        """One table: median and interval of each variant, difference and ratio to the variant `base`."""
        print(f"\n{title} ({unit})")
        width = max(28, *map(len, by_variant))
        print(f"  {'':{width}} {'median [95 %]':>28} {'over ' + base:>28} {'ratio':>22}")
        for name, samples in by_variant.items():
            line = f"  {name:{width}} {samples.text(digits):>28}"
            if name != base and base in by_variant:
                reference = by_variant[base]
                line += f" {samples.over(reference).text(digits):>28} {samples.ratio(reference).text(3):>22}"
            print(line)

    def close(self):
        try:
            self.stop_daemon()
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)


def python_with_torch():
    for python in ("python3", "/usr/bin/python3"):
        found = subprocess.run([python, "-c", "import torch, torchvision"], stderr=subprocess.DEVNULL, check=False)
        if found.returncode == 0:
            return shutil.which(python)
    return None


def targets(path):
    """[(key, limit, at least, unit, meaning)] of targets.tbl"""
    rows = []
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            head, meaning = line.split('"')[:2]
            key, limit, unit = head.split()
            rows.append((key, float(limit.lstrip(">")), limit.startswith(">"), unit, meaning))
    return rows


def verdicts(bench, parts):
    """
    Prints the targets of the parts that ran, and whether they were met: "unclear" where the limit
    lies inside the interval.
    """
    print(f"\n{'':68} {'to reach':>14} {'measured [95 %]':>30}  met")
    for key, limit, at_least, unit, meaning in targets(TARGETS):
        if key.split(".")[0] not in parts:
            continue
        samples = bench.measured.get(key)
        word = "-"
        if samples:
            low, high = interval(samples.values)
            met = [v >= limit if at_least else v <= limit for v in (low, high)]
            word = "yes" if all(met) else "unclear" if any(met) else "NO"
        print(f"{meaning:68} {('>= ' if at_least else '<= ') + f'{limit:g} {unit}':>14} "
              f"{samples.text(2) if samples else 'not measured':>30}  {word}")


def say_lost(bench):
    if bench.lost:
        print(f"\nsome recordings lost events, up to {bench.lost}: what they cost is more than is shown")


def write_json(bench, path):
    out = {"format": "dltrace-bench", "version": 1, "repeats": bench.repeats, "results": bench.results,
           "targets": {k: {"median": s.median(), "interval": interval(s.values)} for k, s in bench.measured.items()},
           "skipped": bench.skipped, "lost": bench.lost}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(out, file, indent=1)
        file.write("\n")
    print(f"\nevery value: {path}", file=sys.stderr)
