# SPDX-License-Identifier: MIT
"""
Draws photos: photos.py FOLDER SEED FIRST COUNT. Runs in any Python from 3.6 on that has NumPy and Pillow.

A landscape under a sky, with flames, with smoke or with neither, of the shapes and sizes that
cameras give (some hundred KB as JPEG). The same seed and index give the same picture; photo I is
FOLDER/CLASS/I.jpg, of the classes in turn. What is there already stays.
"""
import os
import sys

import numpy as np
from PIL import Image

CLASSES = ("fire", "smoke", "none")
SHAPES = ((1024, 768), (1280, 720), (1200, 800), (768, 1024), (1280, 960), (900, 900), (1440, 960), (960, 640))


def noise(random, width, height, coarsest, octaves):
    """Clouds of many sizes, 0 to 1: random grids, each twice as fine and half as strong as the one before."""
    total = np.zeros((height, width), np.float32)
    for octave in range(octaves):
        columns = coarsest << octave
        grid = random.random_sample((max(2, columns * height // width), columns)).astype(np.float32)
        total += np.asarray(Image.fromarray(grid).resize((width, height), Image.BICUBIC)) / 2 ** octave
    total -= total.min()
    return total / total.max()


def blend(picture, colour, share):
    """The picture with so much of a colour (a pixel's share, 0 to 1) over it."""
    picture += (np.asarray(colour, np.float32) - picture) * share[..., None]


def landscape(random, width, height):
    """Sky, a range of hills, and a textured ground."""
    down = np.linspace(0, 1, height, dtype=np.float32)[:, None]
    sky = np.array([90, 130, 190]) + random.uniform(-40, 40, 3)
    picture = (sky + down[..., None] * random.uniform(20, 80, 3)).astype(np.float32) * np.ones((1, width, 1), np.float32)
    blend(picture, (235, 235, 240), 0.6 * np.clip(noise(random, width, height, 3, 4) - 0.5, 0, 1))
    texture = noise(random, width, height, 8, 6)
    ridge = random.uniform(0.35, 0.6) + 0.2 * (noise(random, width, 2, 4, 5)[:1] - 0.5)
    ground = np.array([60, 90, 45]) + random.uniform(-30, 40, 3)
    inside = np.clip((down - ridge) * 60, 0, 1)
    picture += (ground * (0.4 + texture[..., None]) - picture) * inside[..., None]
    return picture


def spot(random, width, height):
    """How near a pixel is to somewhere on the ground, 0 to 1, and how far above it lies (0 to 1)."""
    x, y = random.uniform(0.25, 0.75), random.uniform(0.6, 0.9)
    across = (np.linspace(0, 1, width, dtype=np.float32)[None] - x) / random.uniform(0.1, 0.25)
    above = np.clip((y - np.linspace(0, 1, height, dtype=np.float32)[:, None]) / random.uniform(0.3, 0.6), -0.2, 1)
    return across, above


def flames(random, picture):
    height, width = picture.shape[:2]
    across, above = spot(random, width, height)
    tongues = noise(random, width, height, 6, 5)
    heat = np.clip(1.3 - np.abs(across + 0.6 * (tongues - 0.5)) - np.abs(above) * (0.6 + tongues)
                   - 15 * np.clip(-above, 0, 0.2), 0, 1)
    picture *= random.uniform(0.35, 0.8)  # exposed for the fire
    for colour, from_heat in (((180, 40, 10), 0.0), ((250, 130, 20), 0.3), ((255, 230, 120), 0.6)):
        blend(picture, colour, np.clip((heat - from_heat) * 3, 0, 1))


def smoke(random, picture):
    height, width = picture.shape[:2]
    across, above = spot(random, width, height)
    billows = noise(random, width, height, 4, 6)
    plume = np.clip(1.2 - np.abs(across - above * random.uniform(-1, 1)) / (0.4 + np.maximum(above, 0)), 0, 1)
    grey = random.uniform(90, 200) + 60 * billows[..., None]
    share = np.clip(plume * (0.3 + billows) * np.clip(1 + 15 * above, 0, 1), 0, 0.95)[..., None]
    picture += (grey - picture) * share


def draw(seed, index):
    """Photo number `index`: the picture and the quality that it is kept with."""
    random = np.random.RandomState([seed, index])
    width, height = SHAPES[random.randint(len(SHAPES))]
    picture = landscape(random, width, height)
    if CLASSES[index % 3] != "none":
        (flames if CLASSES[index % 3] == "fire" else smoke)(random, picture)
    grain = random.randint(-9, 10, (height, width, 1))
    return Image.fromarray(np.clip(picture + grain, 0, 255).astype(np.uint8)), int(random.randint(82, 94))


def main():
    folder, seed, first, count = sys.argv[1], *map(int, sys.argv[2:])
    for index in range(first, first + count):
        path = os.path.join(folder, CLASSES[index % 3], "%04d.jpg" % index)
        if not os.path.exists(path):
            picture, quality = draw(seed, index)
            picture.save(path + ".part", "JPEG", quality=quality)
            os.rename(path + ".part", path)
        print(index, flush=True)


if __name__ == "__main__":
    main()
