# SPDX-License-Identifier: MIT
"""Runs the trainings of a plan, one after another, each under dltrace-record; whatever they do, it goes on."""
import ctypes
import os
import shutil
import signal
import subprocess
import time

from harness import environments, plan
from harness.tables import STUDY, Wrong

GRACE = 30  # seconds that a training has to end after SIGTERM
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


def find_program(name):
    """dltrace-record or dltrace-report: of $DLTRACE_BUILD, this folder, the source tree, or PATH."""
    source = os.path.dirname(os.path.dirname(STUDY))
    for folder in (os.environ.get("DLTRACE_BUILD"), os.getcwd(), source, os.path.join(source, "build")):
        path = folder and os.path.join(folder, name)
        if path and os.access(path, os.X_OK):
            return path
    path = shutil.which(name)
    if not path:
        raise Wrong(f"no {name}: build dltrace, and name the build folder by DLTRACE_BUILD or call study in it")
    return path


def stack_name(framework, cache={}):
    """What it calls itself, with versions: "Keras 3.15.1 + JAX 0.10.2"."""
    if framework.name not in cache:
        parts = [part for layer in framework.stack for part in layer if not part.idle and not part.beside]
        versions = [part.package and environments.version(framework.environment, part.package) for part in parts]
        cache[framework.name] = " + ".join(f"{part.name} {version}" if version else part.name
                                           for part, version in zip(parts, versions))
    return cache[framework.name]


def recorder(run, common, framework):
    """The words in front of the command that record it."""
    words = [find_program("dltrace-record"), "--quiet", "--require", "--level", common["level"], "--output", run.trace]
    labels = {"framework": stack_name(framework), "model": run["model"], "dataset": run["dataset"],
              "device": run["device"], "repeat": run["repeat"]}
    if common["memory_limit"]:
        labels["memory"] = common["memory_limit"]
    return words + [f"--label={key}={value}" for key, value in labels.items()] + ["--"]


def limit(common):
    return ["prlimit", f"--data={common['memory_limit']}"] if common["memory_limit"] else []


def command_line(run, common, framework, data):
    words = limit(common) + [environments.python(framework.environment)] + plan.command(run, common, framework, data)
    return words if run["bare"] else recorder(run, common, framework) + words


def end(child, number):
    """Asks the recorder, which passes it on, else all of its processes."""
    for target, wanted in ((lambda n: child.send_signal(n), number), (lambda n: os.killpg(child.pid, n), signal.SIGKILL)):
        try:
            target(wanted)
            child.wait(GRACE)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            pass


def end_with_parent():
    """In the child: were we killed, it would go on for hours, and write where a resumed study runs it once more."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def execute(words, env, folder, seconds):
    """Runs it to its end or to the limit: {"exit": status or None, "signal": ..., "limit": ..., "seconds": ...}."""
    begin, limited = time.monotonic(), False
    with open(os.path.join(folder, "stdout"), "wb") as out, open(os.path.join(folder, "stderr"), "wb") as err:
        child = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                 start_new_session=True, preexec_fn=end_with_parent)
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            limited = True
            end(child, signal.SIGTERM)
        except KeyboardInterrupt:
            end(child, signal.SIGINT)
            raise
    status = child.wait()
    number = -status if status < 0 else status - 128 if 128 < status < 160 else 0
    return {"exit": None if number else status, "signal": signal_name(number) if number else None,
            "limit": seconds if limited else None, "seconds": round(time.monotonic() - begin, 3)}


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def how_it_ended(result):
    """In a word or two."""
    if result["limit"]:
        return f"time limit of {result['limit']:g} s"
    return result["signal"] or ("ok" if result["exit"] == 0 else f"exit {result['exit']}")


def last_line(folder):
    """The last words on standard error: why it failed, mostly."""
    with open(os.path.join(folder, "stderr"), "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - 4096))
        lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def run_one(run, common, framework, data, seconds):
    """Runs it anew, and keeps what came of it; the result is written last."""
    shutil.rmtree(run.place, ignore_errors=True)
    os.makedirs(run.place)
    env = environments.variables(framework.environment, framework, common["threads"])
    words = command_line(run, common, framework, data)
    result = {**run.values, "framework_name": stack_name(framework), "command": words,
              **execute(words, env, run.place, seconds)}
    result["said"] = last_line(run.place) if how_it_ended(result) != "ok" else ""
    plan.write(os.path.join(run.place, "result.json"), result)
    return result


class Clock:
    """How long what is left will take, by what was run: repetitions first, else runs of the same model, else all."""

    def __init__(self, runs):
        self.known = []
        for run in runs:
            self.add(run, run.result())

    def add(self, run, result):
        if result:
            self.known.append((run, result["seconds"]))

    def of(self, run):
        for alike in (lambda r: r.kind() == run.kind(), lambda r: r["framework"] == run["framework"] and
                      r["model"] == run["model"], lambda r: r["model"] == run["model"], lambda r: True):
            seconds = [taken for other, taken in self.known if alike(other)]
            if seconds:
                return sum(seconds) / len(seconds)
        return None

    def left(self, runs):
        seconds = [self.of(run) for run in runs]
        return sum(seconds) if seconds and None not in seconds else None


def duration(seconds):
    if seconds is None:
        return "?"
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def run_all(runs, common, frameworks, data, args):
    """Those that have no result yet. How many failed."""
    again = (lambda result: how_it_ended(result) != "ok") if args.retry else (lambda result: False)
    todo = [run for run in runs if not run.result() or again(run.result())]
    if len(todo) < len(runs):
        print(f"{len(runs) - len(todo)} of {len(runs)} runs are done")
    clock, failed = Clock(runs), 0
    for number, run in enumerate(todo):
        print(f"[{len(runs) - len(todo) + number + 1:{len(str(len(runs)))}}/{len(runs)}] {run.name:48} ",
              end="", flush=True)
        result = run_one(run, common, frameworks[run["framework"]], data.get(run["dataset"]), args.time_limit)
        ended = how_it_ended(result)
        failed += ended != "ok"
        clock.add(run, result)
        left = clock.left(todo[number + 1:])
        print(f"{ended:>8} {result['seconds']:6.1f} s" + (f", left {duration(left)}" if todo[number + 1:] else ""), flush=True)
        if result["said"]:
            print(f"        {result['said'][:110]}")
    return failed
