# SPDX-License-Identifier: MIT
"""What the traces of a study say: asked of dltrace-report, put into tables of frameworks by models."""
import json
import math
import os
import re
import statistics
import subprocess
import tempfile

from harness import plan, runs
from harness.tables import JOBS, MODELS, STUDY, Wrong, lines

# 95 % quantiles of Student's t by degrees of freedom, for the intervals of means.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)
QUANTITIES = (  # name, heading, unit, function(Outcome) -> value or None
    ("epoch", "Seconds an epoch: the median iteration times the iterations of an epoch", "s", lambda o: o.epoch),
    ("epoch_cpu", "CPU seconds an epoch, in all threads: those of a steady iteration times the iterations of an epoch", "s", lambda o: o.epoch_cpu),
    ("training", "Seconds from the first iteration to the last, warm-up included", "s", lambda o: o.training),
    ("total", "Seconds of the whole run, start-up and end included", "s", lambda o: o.total),
    ("cpu", "CPU seconds of the whole run, in all threads, imports and compilation included", "s", lambda o: o.cpu),
    ("memory", "Memory at its peak, MB", "MB", lambda o: o.memory),
    ("threads", "Threads, most at once", "", lambda o: o.threads),
)


ORDER = (*MODELS, *JOBS)  # of columns
PHASES = ("start-up", "compilation", "warm-up", "steady", "end")
PHASE_QUANTITIES = (  # heading, function(row of the table `phases`) -> value or None
    ("seconds", lambda row: scaled(row["duration_ns"], 1e-9)),
    ("CPU seconds, in all threads", lambda row: scaled(row["cpu_ns"], 1e-9)),
    ("% of the heap's allocations", lambda row: scaled(row["heap_share"], 100)),
)


class Outcome:
    """What one trace says of its run; None is not known."""

    def __init__(self, run, report, index):
        row = report["runs"][index]
        found = iterations_of(report, index)
        self.run, self.row, self.index = run, row, index
        self.group, self.failed, self.name = row["group"], bool(row["failed"]), row["framework"]
        self.total, self.cpu = scaled(row["total_ns"], 1e-9), scaled(row["cpu_ns"], 1e-9)
        self.memory, self.threads = scaled(row["rss_peak_bytes"], 1e-6), row["threads_peak"]
        self.iterations = found and found["count"]
        self.epochs_found = found and found["epoch_count"]
        self.training = scaled(found["end_ns"] - found["begin_ns"], 1e-9) if found and found["count"] else None
        epochs = int((row["labels"] or {}).get("epochs", 0))
        median = found and scaled(found["median_ns"], 1e-9)
        self.epoch = median * found["count"] / epochs if median and epochs else None
        self.phases = {p["phase"]: p for p in report["phases"] if found and p["process"] == found["process"]}
        steady = self.phases.get("steady")
        steps = steady and steady["cpu_ns"] is not None and steady["iterations"]
        self.epoch_cpu = steady["cpu_ns"] * 1e-9 / steps * found["count"] / epochs if steps and epochs else None


def scaled(value, factor):
    return None if value is None else value * factor


def iterations_of(report, index):
    """The row of the process of this trace that has most iterations, else most epochs; None where neither was found."""
    processes = {p["process"] for p in report["processes"] if p["trace"] == index}
    rows = [row for row in report["iterations"] if row["process"] in processes and (row["count"] or row["epoch_count"])]
    return max(rows, key=lambda row: (row["count"] or 0, row["epoch_count"] or 0), default=None)


def mean_interval(values):
    """(mean, half of the 95 % interval or None, how many)."""
    if not values:
        return None
    half = None
    if len(values) > 1:
        freedom = len(values) - 1
        t = STUDENT[freedom - 1] if freedom <= len(STUDENT) else 1.96 + 2.5 / freedom
        half = t * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.fmean(values), half, len(values)


def dltrace_report(traces, *options):
    command = [runs.find_program("dltrace-report"), "--quiet", *options, "--", *traces]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)
    if done.returncode > 1:
        raise Wrong(f"dltrace-report: {done.stderr.strip()[-400:]}")
    return done.stdout


def in_order(folder, frameworks):
    """The runs that have a trace: by framework, model, data, mode, device and repeat."""
    kept = plan.load(folder)
    if not kept:
        raise Wrong(f"{folder} has no plan.json: study run makes one, or --folder names another")
    names = list(frameworks)
    done = [run for run in plan.runs_of(folder, kept) if not run["bare"] and run.result()]
    done.sort(key=lambda r: (names.index(r["framework"]) if r["framework"] in names else len(names),
                             ORDER.index(r["model"]) if r["model"] in ORDER else len(ORDER), r["dataset"],
                             r["mode"], r["device"], r["repeat"]))
    return kept, done


class Results:
    """All that a report is made of."""

    def __init__(self, folder, frameworks):
        self.folder, self.frameworks = folder, frameworks
        self.kept, done = in_order(folder, frameworks)
        self.traced = [run for run in done if os.path.exists(os.path.join(run.trace, "recording"))]
        self.untraced = [run for run in done if run not in self.traced]
        if not self.traced:
            raise Wrong(f"{folder} has no trace yet: study run")
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "all.json")
            dltrace_report([run.trace for run in self.traced], "--output", path)
            with open(path, encoding="utf-8") as file:
                self.report = json.load(file)
        self.outcomes = [Outcome(run, self.report, i) for i, run in enumerate(self.traced)]

    def distinct(self, key):
        """What there is of frameworks, models, data sets ..., in the order of the tables."""
        found = list(dict.fromkeys(run[key] for run in self.traced))
        return sorted(found, key=ORDER.index) if set(found) <= set(ORDER) else found

    def outcomes_of(self, **wanted):
        return [o for o in self.outcomes if all(o.run[key] == value for key, value in wanted.items())]

    def name_of(self, framework):
        """With versions, as the trace has it."""
        return next((o.name for o in self.outcomes_of(framework=framework) if o.name), framework)

    def cell(self, quantity, **wanted):
        """(mean, half, runs, failed) of the good runs."""
        asked = next(function for name, _, _, function in QUANTITIES if name == quantity)
        chosen = self.outcomes_of(**wanted)
        good = [asked(o) for o in chosen if not o.failed]
        mean = mean_interval([value for value in good if value is not None])
        failed = sum(o.failed for o in chosen)
        return (*(mean or (None, None, 0)), failed)

    def phase(self, framework, device, function):
        """[mean or None of each of PHASES], and of how many runs of how many: good ones whose phases are known.

        A run that has not got one of them spends nothing in it, so that means add up to that of all phases."""
        good = [o for o in self.outcomes_of(framework=framework, device=device) if not o.failed]
        known = [o for o in good if o.phases]
        means = []
        for phase in PHASES:
            values = [function(o.phases[phase]) if phase in o.phases else 0 for o in known]
            values = [value for value in values if value is not None]
            there = any(phase in o.phases for o in known)
            means.append(statistics.fmean(values) if there and values else None)
        return means, len(known), len(good)

    def representative(self, **wanted):
        """The first good run of a kind, else its first."""
        chosen = sorted(self.outcomes_of(**wanted), key=lambda o: o.failed)
        return chosen[0] if chosen else None

    def cudnn(self, outcome):
        """used, loaded or no; None: not known."""
        return next((row["cudnn"] for row in self.report["study"] if row["group"] == outcome.group), None)

    def failures(self):
        """(run, how it ended, what dltrace says of it) of all that failed; as text."""
        found = []
        for outcome in (o for o in self.outcomes if o.failed):
            processes = {p["process"] for p in self.report["processes"] if p["trace"] == outcome.index}
            texts = [row["text"] for row in self.report["failures"] if row["process"] in processes]
            texts += [row["text"] for row in self.report["findings"]
                      if row["rule"] == "no_gpu" and row["trace"] == outcome.index and outcome.run["device"] != "cpu"]
            found.append((outcome.run, runs.how_it_ended(outcome.run.result()), "; ".join(dict.fromkeys(texts))))
        for run in self.untraced:
            found.append((run, runs.how_it_ended(run.result()), run.result()["said"]))
        return found

    def findings(self):
        """[(rule, severity, text, what to do, [framework...], in how many runs)], the gravest first."""
        grave = ("problem", "warning", "info")
        found = {}
        for row in self.report["findings"]:
            where = found.setdefault(row["rule"], (row, {}))[1]
            if row["trace"] is not None:
                where[row["trace"]] = self.traced[row["trace"]]["framework"]
        rows = sorted(found.values(), key=lambda pair: grave.index(pair[0]["severity"]))
        return [(row["rule"], row["severity"], row["text"], row["advice"], list(dict.fromkeys(where.values())), len(where))
                for row, where in rows]

    def pairs(self):
        """{kind of run: [traced seconds / bare seconds...]} of runs that have a bare one beside them."""
        bare = {(run.kind(), run["repeat"]): run.result() for run in plan.runs_of(self.folder, self.kept)
                if run["bare"] and run.result() and runs.how_it_ended(run.result()) == "ok"}
        found = {}
        for outcome in self.outcomes:
            other = bare.get((outcome.run.kind(), outcome.run["repeat"]))
            if other and not outcome.failed:
                found.setdefault(outcome.run.kind(), []).append(outcome.run.result()["seconds"] / other["seconds"])
        return found


PUBLISHED_JOBS = ("cifar_cnn", "resnet50_features", "imdb_rnn")  # columns of published_jobs.tbl
PUBLISHED_GPUS = ("K80", "P100")


def published_jobs(path=os.path.join(STUDY, "published_jobs.tbl")):
    """{(framework, job): (seconds on each GPU or None)}"""
    return {(words[0], job): tuple(None if part == "-" else float(part) for part in cell.split("/"))
            for _, _, words in lines(path) for job, cell in zip(PUBLISHED_JOBS, words[1:])}


def family(framework):
    """As a publication calls it: without the version or build that is meant."""
    return re.sub(r"(-(debian|cuda|[0-9.]+))+$", "", framework)


def published(path=os.path.join(STUDY, "published.tbl")):
    """{(device, framework, dataset): {model: seconds}}"""
    return {tuple(words[:3]): dict(zip(MODELS, map(float, words[3:]))) for _, _, words in lines(path)}
