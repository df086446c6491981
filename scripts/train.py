#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains an image classifier on synthetic photos with PyTorch: something real to record.

Models of torchvision with three classes (fire, smoke, no fire), SGD 0.001/0.9, cross-entropy;
each photo is stretched, cropped, flipped at random and normalised. What goes to standard output
depends on the arguments and the seed alone; times go to standard error.

One file that needs PyTorch alone, no photos on the disk: it is installed, for gpu-acceptance and for
whoever tries dltrace. The study's scripts (study/train) share their photos and loop with other frameworks.
"""
import argparse
import os
import sys
import time

try:
    import torch
    import torchvision
except ImportError as error:  # another python3 may come first on PATH than Debian's, which has torch
    if os.path.realpath(sys.executable) == os.path.realpath("/usr/bin/python3"):
        sys.exit(f"train.py: {error} (apt install python3-torch python3-torchvision)")
    os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)

MODELS = ("alexnet", "mobilenet_v2", "resnet50", "vgg16")
CLASSES = 3
MEAN = torch.tensor((0.485, 0.456, 0.406)).view(3, 1, 1)
DEVIATION = torch.tensor((0.229, 0.224, 0.225)).view(3, 1, 1)


class Photos(torch.utils.data.Dataset):
    """Photo-like images: smooth colours and some noise, of a different shape each."""

    def __init__(self, count, size, seed):
        self.count, self.size, self.seed = count, size, seed

    def __len__(self):
        return self.count

    def photo(self, index):
        random = torch.Generator().manual_seed(self.seed * 1_000_003 + index)
        height, width = (int(self.size * (1 + side)) for side in torch.rand(2, generator=random))
        colours = torch.rand((1, 3, 5, 5), generator=random)
        smooth = torch.nn.functional.interpolate(colours, (height, width), mode="bilinear", align_corners=True)
        return smooth[0] + 0.1 * torch.rand((3, height, width), generator=random)

    def __getitem__(self, index):
        photo, size = self.photo(index), self.size
        stretched = torch.nn.functional.interpolate(photo[None], (size + size // 8,) * 2, mode="bilinear",
                                                    align_corners=False)[0]
        top, left = torch.randint(size // 8 + 1, (2,)).tolist()
        image = stretched[:, top:top + size, left:left + size]
        if torch.rand(1) < 0.5:
            image = image.flip(1)
        return (image - MEAN) / DEVIATION, index % CLASSES


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=MODELS, default="mobilenet_v2")
    parser.add_argument("--batch", type=int, default=8, help="images a step (default 8)")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--images", type=int, default=791, help="size of the data set (default 791)")
    parser.add_argument("--iterations", type=int, help="steps an epoch at most")
    parser.add_argument("--evaluate", type=int, metavar="IMAGES", help="so many after each epoch, without training")
    parser.add_argument("--size", type=int, default=224, help="width and height in pixels (default 224)")
    parser.add_argument("--workers", type=int, default=0, help="processes that load images")
    parser.add_argument("--threads", type=int, help="of a step's computation (default: PyTorch's choice)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    if args.model in ("alexnet", "vgg16") and args.size < 64:
        parser.error(f"{args.model} needs images of at least 64 pixels")
    return args


def epoch(model, loader, loss_of, optimiser, args):
    """Trains on every batch once, args.iterations at most; the mean loss and the steps done."""
    total, steps = 0.0, 0
    for images, labels in loader:
        loss = loss_of(model(images.to(args.device)), labels.to(args.device))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        total, steps = total + loss.item(), steps + 1
        if steps == args.iterations:
            break
    return total / steps, steps


@torch.no_grad()
def evaluate(model, loader, loss_of, args):
    """The mean loss over the loader's batches, and how many they were."""
    model.eval()
    losses = [loss_of(model(images.to(args.device)), labels.to(args.device)).item() for images, labels in loader]
    model.train()
    return sum(losses) / len(losses), len(losses)


def main():
    args = arguments()
    torch.manual_seed(args.seed)
    if args.threads:
        torch.set_num_threads(args.threads)
    model = getattr(torchvision.models, args.model)(weights=None, num_classes=CLASSES).to(args.device).train()
    images = min(args.images, args.batch * args.iterations) if args.iterations else args.images
    loader = torch.utils.data.DataLoader(Photos(images, args.size, args.seed), batch_size=args.batch, shuffle=True,
                                         num_workers=args.workers)
    others = torch.utils.data.DataLoader(Photos(args.evaluate or 0, args.size, args.seed + 1), batch_size=args.batch,
                                         num_workers=args.workers)
    loss_of = torch.nn.CrossEntropyLoss()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
    for number in range(1, args.epochs + 1):
        begin = time.monotonic()
        loss, steps = epoch(model, loader, loss_of, optimiser, args)
        print(f"epoch {number}: {steps} steps, loss {loss:.9f}", flush=True)
        if args.evaluate:
            loss, batches = evaluate(model, others, loss_of, args)
            print(f"epoch {number}: {batches} batches evaluated, loss {loss:.9f}", flush=True)
        print(f"epoch {number}: {time.monotonic() - begin:.3f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
