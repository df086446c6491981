# SPDX-License-Identifier: MIT
"""The study's training with Paddle and the models of paddle.vision, 2.0 or newer."""
import job
import made_up
import networks
import paddle
from paddle.vision import models

Words = networks.module(paddle.nn.Layer, paddle.nn.LayerDict, {
    "conv": lambda l: paddle.nn.Conv2D(l.before[0], l.out, l.kernel, l.stride, l.pad, groups=l.groups,
                                       bias_attr=None if l.bias else False),
    "norm": lambda l: paddle.nn.BatchNorm2D(l.before[0]), "relu": lambda l: paddle.nn.ReLU(),
    "pool": lambda l: paddle.nn.MaxPool2D(l.kernel, l.stride, l.pad), "flatten": lambda l: paddle.nn.Flatten(),
    "linear": lambda l: paddle.nn.Linear(l.before[0], l.out), "dropout": lambda l: paddle.nn.Dropout(l.rate),
})


class Reader(paddle.nn.Layer):
    """The second study's network for reviews: words, a layer of GRU, and what its last state says."""

    def __init__(self, classes):
        super().__init__()
        self.words = paddle.nn.Embedding(made_up.WORDS, 125)
        self.memory = paddle.nn.GRU(125, 100)
        self.verdict = paddle.nn.Linear(100, classes)

    def forward(self, words):
        return self.verdict(self.memory(self.words(words))[0][:, -1])


class Paddle(job.Framework):
    def loader(self, photos, order):
        return paddle.io.DataLoader(photos, batch_sampler=order, num_workers=self.args.workers)

    def network(self):
        model, classes = self.args.model, self.args.classes
        if model == "imdb_rnn":
            return Reader(classes)
        if model == "resnet50_features":
            network = models.resnet50(num_classes=0)
            network.eval()
            return network
        if model in made_up.TASKS:
            return Words(networks.layers(model, classes, self.args.size))
        network = getattr(models, model)(num_classes=classes)
        if model == "alexnet":  # made for 224 pixels alone
            first = next(layer for layer in networks.layers(model, classes, self.args.size) if layer.kind == "linear")
            network._fc6 = paddle.nn.Linear(first.before[0], first.out)
        return network

    def build(self):
        paddle.set_device("gpu" if self.args.device == "cuda" else "cpu")
        paddle.seed(self.args.seed)
        self.model = self.network()
        self.loss_of = paddle.nn.CrossEntropyLoss()
        self.optimiser = paddle.optimizer.Momentum(job.RATE, job.MOMENTUM, parameters=self.model.parameters())

    def step(self, images, labels):
        loss = self.loss_of(self.model(images), labels)
        loss.backward()
        self.optimiser.step()
        self.optimiser.clear_grad()
        return loss

    def features(self, images):
        with paddle.no_grad():
            return self.model(images).mean()


if __name__ == "__main__":
    job.run(Paddle)
