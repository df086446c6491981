# SPDX-License-Identifier: MIT
"""The training that every framework of the study does: command line, photos, order, loop, printing.

A framework's script is a subclass of Framework and job.run(Subclass). This module, like all of this
folder, runs inside the frameworks' environments: Python 3.6 and the numpy and Pillow of its time are
enough. Nothing here marks an epoch or an iteration: a profiler has to find them. What Teller prints says how many
there were, as most programs do.
"""
import argparse
import collections
import importlib
import json
import multiprocessing
import os
import resource
import sys
import time

import made_up
import numpy as np
from PIL import Image

MODELS = ("alexnet", "mobilenet_v2", "resnet50", "vgg16")
RATE, MOMENTUM = 0.001, 0.9
MEAN = np.array((0.485, 0.456, 0.406), np.float32)
DEVIATION = np.array((0.229, 0.224, 0.225), np.float32)


class Photos:
    """The photos in DIR/CLASS/*.jpg: stretched, cropped, flipped at random and normalised.

    photos[key] is one of them as (float32 array, label). A key is a photo in an epoch,
    epoch * len(photos) + index: whoever loads it, in whatever order or process, makes the same
    random choices.
    """

    def __init__(self, folder, size, seed, layout="NCHW"):
        try:
            self.classes = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
            self.files = [(os.path.join(folder, name, file), label) for label, name in enumerate(self.classes)
                          for file in sorted(os.listdir(os.path.join(folder, name))) if file.endswith((".jpg", ".jpeg"))]
        except OSError as error:
            sys.exit("cannot read the photos: %s (study data makes some)" % error)
        if not self.files:
            sys.exit("no photos: %s has no CLASS/*.jpg (study data makes some)" % folder)
        self.size, self.seed, self.layout = size, seed, layout

    def __len__(self):
        return len(self.files)

    def __getitem__(self, key):
        epoch, index = divmod(key, len(self.files))
        file, label = self.files[index]
        random = np.random.RandomState([self.seed, epoch, index])
        stretched = self.size * 8 // 7  # 256 for 224
        top, left, flip = (random.randint(n) for n in (stretched - self.size + 1,) * 2 + (2,))
        with Image.open(file) as photo:
            photo = photo.convert("RGB").resize((stretched, stretched), Image.BILINEAR)
        image = np.asarray(photo)[top:top + self.size, left:left + self.size]
        if flip:
            image = image[::-1]  # the study exchanges rows
        image = (image.astype(np.float32) / 255 - MEAN) / DEVIATION
        if self.layout == "NCHW":
            image = image.transpose(2, 0, 1)
        return np.ascontiguousarray(image), label

    def batch(self, keys):
        """The photos of these keys as (float32 array with the batch first, int64 labels)."""
        images, labels = zip(*(self[key] for key in keys))
        return np.stack(images), np.array(labels, np.int64)


class Order:
    """The keys of each batch of the epoch `epoch`, shuffled by the seed: a batch sampler.

    Of several ranks each has every so manieth batch, all equally many and whole ones.
    """

    def __init__(self, photos, args, rank=0, ranks=1):
        self.photos, self.batch, self.seed, self.iterations = photos, args.batch, args.seed, args.iterations
        self.rank, self.ranks = rank, ranks
        self.epoch = 1  # set by run() before it goes over a loader

    def __len__(self):
        batches = (self.photos + self.batch - 1) // self.batch if self.ranks == 1 else \
            self.photos // self.batch // self.ranks
        return min(batches, self.iterations) if self.iterations else batches

    def __iter__(self):
        shuffled = np.random.RandomState([self.seed, self.epoch]).permutation(self.photos)
        keys = (self.epoch * self.photos + shuffled).tolist()
        for number in range(self.rank, len(self) * self.ranks, self.ranks):
            yield keys[number * self.batch:(number + 1) * self.batch]


class Loader:
    """The batches of an epoch for each time it is gone over, loaded by so many processes, or here.

    The processes are made at once, before a framework has threads that a fork would lose.
    """

    def __init__(self, photos, order, workers):
        self.photos, self.order, self.workers = photos, order, workers
        self.pool = multiprocessing.get_context("fork").Pool(workers, _worker, (photos,)) if workers else None

    def __iter__(self):
        if not self.pool:
            for keys in self.order:
                yield self.photos.batch(keys)
            return
        ahead = collections.deque()
        for keys in self.order:
            ahead.append(self.pool.apply_async(_worker_batch, (keys,)))
            if len(ahead) > 2 * self.workers:
                yield ahead.popleft().get()
        while ahead:
            yield ahead.popleft().get()

    def close(self):
        if self.pool:
            self.pool.close()
            self.pool.join()


def _worker(photos):
    global _photos
    _photos = photos


def _worker_batch(keys):
    return _photos.batch(keys)


class Framework:
    """What a framework's script gives. Methods are called in this order; only build and step are a must."""

    layout = "NCHW"  # of the images that step gets; or "NHWC"
    rank, ranks = 0, 1  # of a distributed training, from data() on

    @staticmethod
    def options(parser):
        """Adds options of the script's own."""

    def __init__(self, args):
        """args: the command line, and args.classes from data() on. Leave the framework alone until build."""
        self.args = args

    def data(self):
        """What is trained on: as Photos, whose `classes`, length, items and `batch` are used."""
        if self.args.model in made_up.TASKS:
            return made_up.examples(self.args, self.layout)
        return Photos(self.args.data, self.args.size, self.args.seed, self.layout)

    def loader(self, photos, order):
        """What gives the batches of the epoch order.epoch each time it is gone over, as step wants them."""
        return Loader(photos, order, self.args.workers)

    def build(self):
        """Makes the model args.model for args.classes and images of args.size, seeded with args.seed."""
        raise NotImplementedError

    def step(self, images, labels):
        """Trains on a batch, by SGD with RATE and MOMENTUM: the mean cross-entropy, as float() takes it."""
        raise NotImplementedError

    def features(self, images):
        """Of the model resnet50_features: the mean of what its last layer but one gives, without training."""
        raise NotImplementedError

    def close(self):
        """Ends what would not end by itself."""


def arguments(framework):
    parser = argparse.ArgumentParser(description="Trains for the study; frameworks.tbl says who can what.")
    parser.add_argument("--model", choices=MODELS + tuple(made_up.TASKS), default="mobilenet_v2")
    parser.add_argument("--data", metavar="DIR", help="photos, in a folder for each class")
    parser.add_argument("--batch", type=int, default=1, help="images a step (default 1)")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--iterations", type=int, help="steps an epoch at most")
    parser.add_argument("--examples", type=int, help="how many are made up, where the model's data is")
    parser.add_argument("--size", type=int, help="width and height in pixels (default 224, or the model's own)")
    parser.add_argument("--workers", type=int, default=0, help="processes that load images (default: none)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    framework.options(parser)
    args = parser.parse_args()
    task = made_up.TASKS.get(args.model)
    args.size = args.size or (task.size if task else 224)
    if args.model in ("alexnet", "vgg16") and args.size < 64:
        parser.error("%s needs images of at least 64 pixels" % args.model)
    return args


class Clock:
    """Writes when each epoch began and each step ended, and the CPU time until then, its children's too, into
    $STUDY_STEPS."""

    def __init__(self):
        path = os.environ.get("STUDY_STEPS")
        self.file = open(path, "w", buffering=1) if path else None

    def says(self, word):
        if self.file:
            theirs = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = time.process_time() + theirs.ru_utime + theirs.ru_stime
            self.file.write("%s %.6f %.6f\n" % (word, time.monotonic(), spent))


class Teller:
    """Says of each epoch how many steps it had, their mean loss and how long it took, when it ends.

    With $STUDY_SILENT all of it comes in one line when all have ended, and no profiler can tell epochs by such words."""

    def __init__(self):
        self.silent = bool(os.environ.get("STUDY_SILENT"))
        self.steps, self.means, self.what = [], [], None

    def says(self, number, steps, mean, what, seconds):
        self.steps.append(steps)
        self.means.append("%.9f" % mean)
        self.what = what
        if not self.silent:
            self.write("epoch %d: %d steps, %s %s\n" % (number, steps, what, self.means[-1]))
            print("epoch %d: %.3f s" % (number, seconds), file=sys.stderr, flush=True)

    def ends(self):
        if self.silent:
            self.write(json.dumps({"steps": self.steps, self.what: self.means}) + "\n")

    @staticmethod
    def write(line):
        """At once: ranks have the same standard output."""
        sys.stdout.write(line)
        sys.stdout.flush()


def is_gpu_open():
    """This process has a GPU's device open, as everything that works on one has; in WSL there is one for all."""
    for fd in os.listdir("/proc/self/fd"):
        try:
            device = os.readlink("/proc/self/fd/" + fd)
        except OSError:
            continue
        if device == "/dev/dxg" or device.startswith("/dev/nvidia") and device[len("/dev/nvidia"):].isdigit():
            return True
    return False


def each_batch(framework, loader, clock):
    """Trains on every batch of the loader once, or extracts features: the mean loss, or feature, and the steps done."""
    forward = framework.args.model in made_up.TASKS and made_up.TASKS[framework.args.model].forward
    values = []
    for images, labels in loader:
        values.append(float(framework.features(images) if forward else framework.step(images, labels)))
        clock.says("step")
        # Some take the CPU without a word where they find no GPU: the results would go by the wrong name.
        if len(values) == 1 and framework.args.device == "cuda" and not is_gpu_open():
            sys.exit("--device cuda: the first step has not opened a GPU (is there one, with a driver, and is this a "
                     "build for CUDA?)")
    return sum(values) / len(values), len(values), "mean" if forward else "loss"


def run(make):
    """The program: make is a Framework. Standard output depends on the arguments and the seed alone.

    The modules of $STUDY_IMPORTS are imported and left alone, as those of a notebook that did more once."""
    for module in os.environ.get("STUDY_IMPORTS", "").split():
        importlib.import_module(module)
    framework = make(arguments(make))
    args = framework.args
    photos = framework.data()
    args.classes = len(photos.classes)
    order = Order(len(photos), args, framework.rank, framework.ranks)
    loader = framework.loader(photos, order)
    framework.build()
    clock, teller = Clock(), Teller()
    for number in range(1, args.epochs + 1):
        begin = time.monotonic()
        order.epoch = number
        clock.says("epoch")
        mean, steps, what = each_batch(framework, loader, clock)
        teller.says(number, steps, mean, what, time.monotonic() - begin)
    teller.ends()
    framework.close()
    if isinstance(loader, Loader):
        loader.close()
