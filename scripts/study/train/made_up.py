# SPDX-License-Identifier: MIT
"""The second and the third study's data, made up: examples of the same shapes and numbers, drawn by the program.

An example depends on the seed and its number alone, and its label can be told from it. Like job.Photos, a
set has `classes`, a length, items (an example and its label, by key) and batch(keys).
"""
import collections

import numpy as np

# `shape`: of an example without its channels; `of`: how many there are in the published set.
Task = collections.namedtuple("Task", "make of classes size forward")
WORDS, LENGTH = 30000, 150  # different words, and how many of a review are read


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
        words = (WORDS * random.random_sample(LENGTH) ** 3).astype(np.int64)
        return words - (words % 2 if label else 0), label


TASKS = {
    "cifar_cnn": Task(Images, 50000, 10, 32, False),
    "resnet44": Task(Images, 50000, 10, 32, False),
    "resnet50_features": Task(Images, 1000, 1000, 224, True),
    "imdb_rnn": Task(Reviews, 25000, 2, LENGTH, False),
}


def examples(args, layout):
    task = TASKS[args.model]
    return task.make(task, args, layout)
