# SPDX-License-Identifier: MIT
"""The study's training with PyTorch and torchvision's models, 1.8 or newer.

With RANK and WORLD_SIZE in the environment, as torchrun and ranks.py set them, ranks train together by
DistributedDataParallel.
"""
import os

import job
import made_up
import networks
import torch
import torchvision

Words = networks.module(torch.nn.Module, torch.nn.ModuleDict, {
    "conv": lambda l: torch.nn.Conv2d(l.before[0], l.out, l.kernel, l.stride, l.pad, groups=l.groups, bias=l.bias),
    "norm": lambda l: torch.nn.BatchNorm2d(l.before[0]), "relu": lambda l: torch.nn.ReLU(),
    "relu6": lambda l: torch.nn.ReLU6(), "pool": lambda l: torch.nn.MaxPool2d(l.kernel, l.stride, l.pad),
    "flatten": lambda l: torch.nn.Flatten(), "linear": lambda l: torch.nn.Linear(l.before[0], l.out),
    "dropout": lambda l: torch.nn.Dropout(l.rate),
})


class Reader(torch.nn.Module):
    """The second study's network for reviews: words, a layer of GRU, and what its last state says."""

    def __init__(self, classes):
        super().__init__()
        self.words = torch.nn.Embedding(made_up.WORDS, 125)
        self.memory = torch.nn.GRU(125, 100, batch_first=True)
        self.verdict = torch.nn.Linear(100, classes)

    def forward(self, words):
        return self.verdict(self.memory(self.words(words))[0][:, -1])


class PyTorch(job.Framework):
    def __init__(self, args):
        super().__init__(args)
        self.rank, self.ranks = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))

    def loader(self, photos, order):
        return torch.utils.data.DataLoader(photos, batch_sampler=order, num_workers=self.args.workers)

    def network(self):
        model, classes = self.args.model, self.args.classes
        if model == "imdb_rnn":
            return Reader(classes)
        if model == "resnet50_features":
            network = torchvision.models.resnet50()
            network.fc = torch.nn.Identity()
            return network
        if model in job.MODELS:
            return getattr(torchvision.models, model)(num_classes=classes)
        return Words(networks.layers(model, classes, self.args.size))

    def local_rank(self):
        """Which GPU of this host is its own."""
        return int(os.environ.get("LOCAL_RANK", 0))

    def distribute(self):
        """Makes the model one that trains with the other ranks."""
        if self.ranks > 1:
            torch.distributed.init_process_group("nccl" if self.args.device == "cuda" else "gloo")
            self.model = torch.nn.parallel.DistributedDataParallel(self.model)

    def build(self):
        torch.manual_seed(self.args.seed)
        if self.args.device == "cuda":
            torch.cuda.set_device(self.local_rank())
        self.model = self.network().to(self.args.device).train(self.args.model != "resnet50_features")
        self.loss_of = torch.nn.CrossEntropyLoss()
        self.optimiser = torch.optim.SGD(self.model.parameters(), lr=job.RATE, momentum=job.MOMENTUM)
        self.distribute()

    def step(self, images, labels):
        loss = self.loss_of(self.model(images.to(self.args.device)), labels.to(self.args.device))
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return loss.item()

    def features(self, images):
        with torch.no_grad():
            return self.model(images.to(self.args.device)).mean().item()

    def close(self):
        if self.ranks > 1 and torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()


if __name__ == "__main__":
    job.run(PyTorch)
