# SPDX-License-Identifier: MIT
"""The data sets of the study: drawn by photos.py, or the user's own photos, linked."""
import os
import re
import subprocess
import threading

from harness import environments
from harness.tables import STUDY, Wrong

CLASSES = ("fire", "smoke", "none")
SIZES = {"small": 791, "big": 6003}  # photos, as published
SEEDS = {"small": 1, "big": 2}
DRAWS = "import numpy, PIL.Image"


def scaled(name, scale):
    """How many photos; one of each class at least."""
    return max(len(CLASSES), round(SIZES[name] * scale))


def place(folder, name, scale):
    return os.path.join(folder, "data", name if scale == 1 else f"{name}-{scale:g}")


def photos_in(folder):
    return sum(len([f for f in os.listdir(os.path.join(folder, c)) if f.endswith(".jpg")])
               for c in CLASSES if os.path.isdir(os.path.join(folder, c)))


def python_that_draws(envs):
    """Debian's Python or that of an environment, whichever has NumPy and Pillow."""
    for env in sorted(envs.values(), key=lambda e: e.python != "system"):
        command = [environments.python(env), "-c", DRAWS]
        if os.path.exists(command[0]) and not subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
            return command[0]
    raise Wrong("nothing here draws photos: apt-get install python3-pil python3-numpy, or study setup a framework")


def make_folders(where):
    for name in CLASSES:
        os.makedirs(os.path.join(where, name), exist_ok=True)


def draw(where, name, count, python, say):
    """Draws what is missing, by as many processes as there are cores; deterministic, so it can be ended and begun."""
    make_folders(where)
    parts = min(len(os.sched_getaffinity(0)), count)
    edges = [count * i // parts for i in range(parts + 1)]
    workers = [subprocess.Popen([python, os.path.join(STUDY, "harness", "photos.py"), where, str(SEEDS[name]),
                                 str(first), str(end - first)], stdout=subprocess.PIPE,
                                env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
               for first, end in zip(edges, edges[1:])]
    drawn = [0] * parts

    def follow(part):
        for _ in workers[part].stdout:
            drawn[part] += 1
            say(sum(drawn), count)

    threads = [threading.Thread(target=follow, args=(part,)) for part in range(parts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if any([worker.wait() for worker in workers]):
        raise Wrong(f"photos could not be drawn in {where}")


def ready(folder, name, scale, envs, say=lambda done, count: None):
    """Where a data set is, after what is missing of it was drawn."""
    if name not in SIZES:
        where = os.path.join(folder, "data", name)
        if not os.path.isdir(where):
            raise Wrong(f"no such data set: {name} (there are small and big; study data --images DIR makes others)")
        return where
    where, count = place(folder, name, scale), scaled(name, scale)
    if photos_in(where) != count:
        draw(where, name, count, python_that_draws(envs), say)
    return where


def link(folder, name, images, scale):
    """A data set of the user's photos: DIR/CLASS/*.jpg, linked, so many of each class."""
    missing = [c for c in CLASSES if not os.path.isdir(os.path.join(images, c))]
    if missing:
        raise Wrong(f"{images} has no folder {' '.join(missing)}: photos belong into {', '.join(CLASSES)} in it")
    where = os.path.join(folder, "data", name)
    if not re.fullmatch(r"[A-Za-z0-9_.-]*[A-Za-z0-9]", name) or re.match(rf"({'|'.join(SIZES)})(-|$)", name):
        raise Wrong(f"--name {name}: letters and digits, and not {' or '.join(SIZES)}, which are drawn")
    if os.path.exists(where):
        raise Wrong(f"{where} is there already; remove it, or choose another --name")
    make_folders(where)
    for label in CLASSES:
        files = sorted(f for f in os.listdir(os.path.join(images, label)) if f.lower().endswith((".jpg", ".jpeg")))
        for number, file in enumerate(files[:max(1, round(len(files) * scale))]):
            os.symlink(os.path.abspath(os.path.join(images, label, file)),
                       os.path.join(where, label, f"{number:04}.jpg"))
    return where
