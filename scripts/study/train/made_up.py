# SPDX-License-Identifier: MIT
"""The second and the third study's data, made up: examples of the same shapes and numbers, drawn by the program.

An example depends on the seed and its number alone, and its label can be told from it. Like job.Photos, a
set has `classes`, a length, items (an example and its label, by key) and batch(keys).
"""
import collections
import os

import numpy as np

TABLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "jobs.tbl")
# A line of the table: what is made, `of` so many, and whether it goes forward only.
Task = collections.namedtuple("Task", "make of classes size forward")
WORDS = 30000  # different ones


class Images:
    """Pictures of one colour more or less, with noise: float32, normalised."""

    def __init__(self, task, args, layout):
        self.classes, self.size, self.seed, self.layout = list(range(task.classes)), args.size, args.seed, layout
        self.count = args.examples or task.of

    def __len__(self):
        return self.count

    def __getitem__(self, key):
        index = key % self.count
        random, label = np.random.RandomState([self.seed, index]), index % len(self.classes)
        image = random.standard_normal((3, self.size, self.size)).astype(np.float32)
        image[label % 3, :, label * self.size // len(self.classes):] += 1
        return np.ascontiguousarray(image if self.layout == "NCHW" else image.transpose(1, 2, 0)), label

    def batch(self, keys):
        examples, labels = zip(*(self[key] for key in keys))
        return np.stack(examples), np.array(labels, np.int64)


class Reviews(Images):
    """Sequences of words' numbers, frequent words small; what is liked has more of the even ones."""

    def __getitem__(self, key):
        index = key % self.count
        random, label = np.random.RandomState([self.seed, index]), index % len(self.classes)
        words = (WORDS * random.random_sample(self.size) ** 3).astype(np.int64)
        return words - (words % 2 if label else 0), label


def read(path=TABLE):
    """{model: Task}"""
    with open(path) as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {name: Task({"images": Images, "reviews": Reviews}[kind], int(of), int(classes), int(size), does == "extracts")
            for name, kind, of, classes, size, does in rows}


TASKS = read()


def examples(args, layout):
    task = TASKS[args.model]
    return task.make(task, args, layout)
