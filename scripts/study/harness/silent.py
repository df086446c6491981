# SPDX-License-Identifier: MIT
"""Trainings whose scripts are silent until they end: epochs are told by what the program does, not by what it says."""
import os
import re
import shutil

from harness import check, plan, runs

COLUMNS = ("output", "exit", "steps", "epochs")
SAID = re.compile(r"""epoch[ \t:=#[("']{0,4}\d""", re.I)  # what interpose/said.c looks for


def environment_of(framework):
    """That of a training, with what train/job.py looks at."""
    return dict(check.environment_of(framework), STUDY_SILENT="1")


def place_of(framework, model, folder):
    return os.path.join(folder, f"{framework.name}-{model}-silent")


def run_one(framework, model, data, size, folder):
    """Recorded; what comes of it stays in a folder beside the framework's other one."""
    place = place_of(framework, model, folder)
    trace = os.path.join(place, "trace")
    shutil.rmtree(trace, ignore_errors=True)
    check.run(check.recorded(check.training(framework, model, data, size), trace), environment_of(framework),
              os.path.join(place, "recorded"))


def judge(framework, model, folder):
    """A row, of what run_one left; None where it left nothing."""
    row, place = check.Check(framework, model), place_of(framework, model, folder)
    trace, recorded = os.path.join(place, "trace"), os.path.join(place, "recorded")
    done = plan.read(os.path.join(recorded, "result.json"))
    if not done:
        return None
    said = any(SAID.search(check.kept_text(recorded, stream)) for stream in ("stdout", "stderr"))
    row.add("output", not said, "says epochs" if said else "silent")
    row.add("exit", runs.how_it_ended(done) == "ok", runs.how_it_ended(done))
    if os.path.exists(os.path.join(trace, "recording")):
        check.judge_counts(row, check.report_of(trace), check.kept_text(recorded, "stdout"))
    else:
        row.add("steps", False, "no trace")
    return row
