# SPDX-License-Identifier: MIT
"""The third study: one training by 1, 2 ... ranks, on this host or on several, a trace for each host.

What came of it is told by dltrace-report alone: throughput, speed-up, efficiency, communication.
"""
import glob
import itertools
import json
import os
import shutil
import signal
import statistics
import subprocess

from harness import environments, hosts, plan, runs
from harness.tables import STUDY, Wrong

# By a framework's script: how its ranks find each other (ranks.py), what that is called, and which
# script can do it. Horovod's name says it already.
WAYS = {"pytorch_job.py": ("ddp", "DDP", "pytorch_job.py"), "horovod_job.py": ("horovod", "", "horovod_job.py"),
        "tensorflow_job.py": ("tensorflow", "MultiWorker", "multiworker_job.py")}
# On one host it is MPI that shows how long ranks wait for each other; several would need it on each of them.
ONE_HOST = {"horovod": "mpi"}
# Options that runs of one folder have in common, so that they can be compared.
COMMON = ("model", "batch", "epochs", "iterations", "examples", "threads", "device", "seed", "level")


def way_of(framework):
    way = WAYS.get(os.path.basename(framework.script or ""))
    if not way:
        raise Wrong(f"{framework.name} does not train on several ranks here; these do: pytorch*, horovod, tensorflow*")
    return way


def shapes(args):
    """(ranks, hosts) of each run: as many ranks on each host."""
    found = [(ranks, count) for ranks, count in itertools.product(args.ranks, args.hosts)
             if ranks >= count and ranks % count == 0]
    if not found:
        raise Wrong("no number of ranks can be divided among that many hosts")
    return found


def training(args, framework):
    """The command of one rank."""
    words = [environments.python(framework.environment), os.path.join(STUDY, "train", way_of(framework)[2]),
             "--model", args.model, "--batch", args.batch, "--epochs", args.epochs, "--seed", args.seed,
             "--device", args.device]
    for option in ("iterations", "examples"):
        if getattr(args, option):
            words += [f"--{option}", getattr(args, option)]
    return [str(word) for word in words]


def ranks(args, framework, number, count, host):
    """The command that starts the ranks of a host; of a single one that itself."""
    if number == 1:
        return training(args, framework)
    here = number // count
    addresses = ",".join(hosts.address(h) for h in range(count) for _ in range(here)) if count > 1 else "127.0.0.1"
    return [environments.python(framework.environment), os.path.join(STUDY, "train", "ranks.py"),
            "--ranks", str(number), "--first", str(host * here), "--here", str(here), "--hosts", addresses,
            "--interface", hosts.INTERFACE if count > 1 else "lo",
            "--way", ONE_HOST.get(way_of(framework)[0], way_of(framework)[0]) if count == 1 else way_of(framework)[0],
            "--", *training(args, framework)]


def recorded(args, framework, place, words):
    """place: a folder for the trace, or where a relay daemon is."""
    where = ["--relay", place] if place.startswith("net://") else ["--output", place]
    labels = {"framework": runs.stack_name(framework), "way": way_of(framework)[1], "model": args.model,
              "dataset": "made up"}
    return [runs.find_program("dltrace-record"), "--quiet", "--require", "--level", args.level, *where,
            *[f"--label={key}={value}" for key, value in labels.items() if value], "--", *words]


def finish(processes, seconds):
    """The first status that is not 0; the others do not wait for a rank that is gone."""
    status = 0
    try:
        for process in processes:
            try:
                status = process.wait(1 if status else seconds) or status
            except subprocess.TimeoutExpired:
                runs.end(process, signal.SIGTERM)
                status = status or 124
    except KeyboardInterrupt:
        for process in processes:
            runs.end(process, signal.SIGINT)
        raise
    return status


def run(args, framework, number, count, place):
    """One training: its status. Its traces are place/trace, or place/HOST."""
    env = environments.variables(framework.environment, framework, args.threads)
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    with open(os.path.join(place, "stdout"), "wb") as out, open(os.path.join(place, "stderr"), "wb") as err:
        def start(before, where, host):
            words = [*before, *recorded(args, framework, where, ranks(args, framework, number, count, host))]
            return subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                    start_new_session=True, preexec_fn=runs.end_with_parent)

        if count == 1:
            return finish([start([], os.path.join(place, "trace"), 0)], args.time_limit)
        with hosts.Hosts(count) as there:
            if not args.relay:
                return finish([start(there.on(host), os.path.join(place, hosts.name(host)), host)
                               for host in range(count)], args.time_limit)
            with there.relay(place) as url:
                return finish([start(there.on(host), url, host) for host in range(count)], args.time_limit)


def name(framework, number, count, repeat):
    return f"{framework.name}.{number}-ranks.{count}-hosts.{repeat}"


def traces(place):
    """The folders of one run's traces: of recordings here, and HOST/SESSION of those that a relay collected."""
    found = []
    for host in sorted(glob.glob(os.path.join(place, "*", ""))):
        found += [host] if os.path.exists(os.path.join(host, "recording")) else sorted(glob.glob(os.path.join(host, "*", "")))
    return [path.rstrip("/") for path in found]


def is_done(args, path):
    """Whether it was run to its end before, with the same options."""
    kept = plan.read(path)
    other = [f"{key} {kept.get(key)}" for key in COMMON if kept.get(key) != getattr(args, key)] if kept else []
    if other:
        raise Wrong(f"{os.path.dirname(path)} was run with {', '.join(other)}: name another --folder, or the same options")
    return bool(kept)


def run_all(args, frameworks):
    """All of them, one after another; what was there before is kept. (folders of traces, how many failed)."""
    folder, failed, found = os.path.join(args.folder, "scale"), 0, []
    todo = list(itertools.product(range(1, args.repeats + 1), frameworks, shapes(args)))
    for done, (repeat, framework, (number, count)) in enumerate(todo, 1):
        what = name(framework, number, count, repeat)
        place = os.path.join(folder, what)
        good = os.path.join(place, "done")
        if not is_done(args, good):
            status = run(args, framework, number, count, place)
            failed += status != 0
            print(f"{done} of {len(todo)}  {what}  {'ok' if status == 0 else f'exit {status}: ' + runs.last_line(place)}",
                  flush=True)
            if status == 0:
                plan.write(good, {key: getattr(args, key) for key in COMMON})
        found += traces(place)
    return found, failed


def report(args, folders):
    """Throughput, speed-up and all else, as dltrace-report tells it: FOLDER/scale/report.json and .html, and a figure."""
    outputs = [os.path.join(args.folder, "scale", "report." + kind) for kind in ("json", "html", "svg")]
    words = [runs.find_program("dltrace-report"), "--quiet", "--figure", "scaling", *folders,
             *itertools.chain(*(("-o", path) for path in outputs))]
    subprocess.run(words, check=False)
    return outputs


# The third study's best (CCGRID 2020; ResNet-44 on CIFAR-10): who, on how many GPUs (V100), how many times the throughput.
PUBLISHED = ("PyTorch DDP", 12, 10.11)


def published():
    who, gpus, times = PUBLISHED
    return f"published at best: {who}, {gpus} GPUs, speed-up {times}, efficiency {times / gpus:.0%}"


COLUMNS = (("framework", "name", "{}"), ("hosts", "hosts", "{}"), ("ranks", "ranks", "{}"), ("runs", "runs", "{}"),
           ("iteration ms", "iteration_ns", "{:.1f}"), ("iterations/s", "throughput", "{:.2f}"),
           ("examples/s", "examples_per_second", "{:.1f}"), ("least", "least", "{:.1f}"), ("most", "most", "{:.1f}"),
           ("speed-up", "speedup", "{:.2f}"), ("efficiency", "efficiency", "{:.0%}"),
           ("communication", "communication", "{:.0%}"), ("KB a step", "communication_bytes", "{:.0f}"),
           ("waited for", "straggler", "{}"))
UNITS = {"iteration_ns": 1e6, "communication_bytes": 1e3}
KIND = ("name", "hosts", "ranks")  # of runs that repeat each other


def middle(rows, key):
    """The median, of a rank the one that comes most often; None is not known."""
    known = [row[key] for row in rows if row[key] is not None]
    return (statistics.mode if key == "straggler" else statistics.median)(known) if known else None


def joined(rows):
    """One row of those that repeat each other: medians, and the least and the most examples a second."""
    examples = [row["examples_per_second"] for row in rows if row["examples_per_second"] is not None]
    several = len(examples) > 1
    return {**{key: rows[0][key] for key in KIND},
            **{key: middle(rows, key) for _, key, _ in COLUMNS if key in rows[0] and key not in KIND},
            "runs": len(rows), "least": min(examples) if several else None, "most": max(examples) if several else None}


def lines(path):
    """The table `scaling` of a report in JSON, a line for each kind of job."""
    with open(path, encoding="utf-8") as file:
        told = json.load(file)
    rows, runs_told = told["scaling"], {row["trace"]: row for row in told["runs"]}
    for row in rows:  # nothing tells a single one from others: its framework does for people
        one = runs_told[row["traces"][0]]
        row["name"] = row["name"] or " ".join(filter(None, (one["framework"], (one["labels"] or {}).get("way"))))
    kind = lambda row: (row["name"] or "", row["hosts"], row["ranks"])  # noqa: E731
    cells = [[title for title, _, _ in COLUMNS]]
    for row in (joined(list(alike)) for _, alike in itertools.groupby(sorted(rows, key=kind), kind)):
        values = [row[key] / UNITS[key] if key in UNITS and row[key] else row[key] for _, key, _ in COLUMNS]
        cells.append([form.format(value) if value is not None else "-" for value, (_, _, form) in zip(values, COLUMNS)])
    widths = [max(len(row[i]) for row in cells) for i in range(len(COLUMNS))]
    for row in cells:
        yield "  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
