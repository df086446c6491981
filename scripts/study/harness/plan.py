# SPDX-License-Identifier: MIT
"""What `study run` has to do: every combination as a run, in an order of chance, kept in a file."""
import itertools
import json
import os
import random

from harness import datasets
from harness.tables import JOBS, MADE_UP, Wrong

# What tells one run from another; a run's name is made of these.
KEYS = ("framework", "model", "dataset", "mode", "device", "repeat")
# What all runs of a folder have in common, so that they can be compared: options of `study run`.
COMMON = ("scale", "epochs", "size", "batch", "iterations", "workers", "seed", "level", "threads", "memory_limit")
EPOCHS = 100  # as published
STEPS = 4  # that an epoch of mini-batches has at least, in a small data set


class Run:
    """One training: what it is, where it is kept."""

    def __init__(self, folder, values):
        self.values = values
        self.name = "-".join(str(values[key]) for key in KEYS) + ("-bare" if values["bare"] else "")
        self.place = os.path.join(folder, "runs", self.name)
        self.trace = os.path.join(self.place, "trace")

    def __getitem__(self, key):
        return self.values[key]

    def kind(self):
        """Of repetitions of each other."""
        return tuple(self.values[key] for key in KEYS[:-1])

    def result(self):
        """What is known of it once it was run; None before."""
        return read(os.path.join(self.place, "result.json"))


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError as error:
        raise Wrong(f"{path} is damaged ({error}); remove it") from None


def write(path, value):
    """At once or not at all."""
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    os.rename(path + ".part", path)


def epochs(args):
    """As many as were asked for, else as published, scaled as the photos are; two at least."""
    return args.epochs or max(2, round(EPOCHS * args.scale))


def batch_of(mode, photos, batch):
    """Images a step: a mini-batch is smaller than asked for where the data set is, to have some steps an epoch."""
    return 1 if mode == "sgd" else max(2, min(batch, photos // STEPS))


def combinations(args, frameworks):
    """Every run that was asked for and that its framework has the model for."""
    bare = (False, True) if args.bare else (False,)
    for framework, model in itertools.product(frameworks, args.models):
        data = [MADE_UP] if model in JOBS else args.data
        for dataset, mode, device, repeat, alone in itertools.product(
                data if model in framework.models else (), args.mode, args.device, range(1, args.repeats + 1), bare):
            yield dict(zip(KEYS, (framework.name, model, dataset, mode, device, repeat)), bare=alone)


def shuffled(wanted, seed):
    """In an order that chance and the seed give. A pair of traced and bare stays together, in turn one first."""
    pairs = {}
    for values in wanted:
        pairs.setdefault(tuple(values[key] for key in KEYS), []).append(values)
    order = list(pairs.values())
    random.Random(seed).shuffle(order)
    return [values for pair in order for values in (pair if pair[0]["repeat"] % 2 else reversed(pair))]


def load(folder):
    """The plan of a folder: {"common": ..., "runs": [...]}; None where there is none."""
    return read(os.path.join(folder, "plan.json"))


def runs_of(folder, kept):
    return [Run(folder, values) for values in kept["runs"]]


def merged(folder, args, frameworks):
    """The runs of now, in their order; the folder's plan has them, too, from now on, unless args.dry_run."""
    common = {key: getattr(args, key) for key in COMMON}
    kept = load(folder) or {"format": "dltrace-study", "version": 1, "common": common, "runs": []}
    other = [f"{key} {kept['common'].get(key)}" for key in COMMON if kept["common"].get(key) != common[key]]
    if other and any(run.result() for run in runs_of(folder, kept)):
        raise Wrong(f"{folder} has runs with {', '.join(other)}: name another --folder, or the same options")
    kept["common"] = common
    wanted = shuffled(combinations(args, frameworks), args.order)
    kept["runs"] += [values for values in wanted if values not in kept["runs"]]
    if not args.dry_run:
        os.makedirs(folder, exist_ok=True)
        write(os.path.join(folder, "plan.json"), kept)
    return [Run(folder, values) for values in kept["runs"] if values in wanted]


def command(run, common, framework, data):
    """The training's command line; data is the folder of the photos, if there are any."""
    if data:
        count, what = datasets.photos_in(data), ["--data", data, "--size", str(common["size"])]
    else:
        count = max(2 * STEPS, round(JOBS[run["model"]].examples * common["scale"]))
        what = ["--examples", str(count)]
    words = [framework.script, "--model", run["model"], *what,
             "--batch", str(batch_of(run["mode"], count, common["batch"])), "--epochs", str(common["epochs"]),
             "--device", run["device"], "--workers", str(common["workers"]), "--seed", str(common["seed"])]
    return words + (["--iterations", str(common["iterations"])] if common["iterations"] else [])
