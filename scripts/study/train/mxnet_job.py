# SPDX-License-Identifier: MIT
"""The study's training with MXNet: Gluon, and the models of its zoo."""
import job
import made_up
import mxnet
import networks
from mxnet import autograd, gluon
from mxnet.gluon.model_zoo import vision

ZOO = {"alexnet": vision.alexnet, "mobilenet_v2": vision.mobilenet_v2_1_0, "resnet50": vision.resnet50_v1,
       "vgg16": vision.vgg16}


class Words(gluon.HybridBlock):
    """A network of networks.py: its layers as blocks, walked once, when it is hybridized."""

    def __init__(self, layers):
        super().__init__()
        self.layers, self.parts = layers, {}
        for layer in layers:
            if layer.kind in BLOCKS:
                self.parts[layer.name] = BLOCKS[layer.kind](layer)
                self.register_child(self.parts[layer.name])

    def __getattr__(self, kind):
        if kind in BLOCKS:
            return lambda x, layer: self.parts[layer.name](x)
        raise AttributeError(kind)

    def add(self, x, y, layer):
        return x + y

    def hybrid_forward(self, F, images):
        return networks.walk(self.layers, self, images)


BLOCKS = {
    "conv": lambda l: gluon.nn.Conv2D(l.out, l.kernel, l.stride, l.pad, groups=l.groups, use_bias=l.bias),
    "norm": lambda l: gluon.nn.BatchNorm(), "relu": lambda l: gluon.nn.Activation("relu"),
    "pool": lambda l: gluon.nn.MaxPool2D(l.kernel, l.stride, l.pad), "mean": lambda l: gluon.nn.GlobalAvgPool2D(),
    "flatten": lambda l: gluon.nn.Flatten(), "linear": lambda l: gluon.nn.Dense(l.out),
    "dropout": lambda l: gluon.nn.Dropout(l.rate),
}


class Reader(gluon.Block):
    """The second study's network for reviews: words, a layer of GRU, and what its last state says."""

    def __init__(self, classes):
        super().__init__()
        self.words, self.verdict = gluon.nn.Embedding(made_up.WORDS, 125), gluon.nn.Dense(classes)
        self.memory = gluon.rnn.GRU(100, layout="NTC")

    def forward(self, words):
        return self.verdict(self.memory(self.words(words))[:, -1])


class MXNet(job.Framework):
    def loader(self, photos, order):
        return gluon.data.DataLoader(photos, batch_sampler=order, num_workers=self.args.workers)

    def network(self):
        model, classes = self.args.model, self.args.classes
        if model == "imdb_rnn":
            return Reader(classes)
        if model == "resnet50_features":
            return ZOO["resnet50"]().features
        return ZOO[model](classes=classes) if model in ZOO else Words(networks.layers(model, classes, self.args.size))

    def build(self):
        mxnet.random.seed(self.args.seed)
        self.context = mxnet.gpu() if self.args.device == "cuda" else mxnet.cpu()
        self.model = self.network()
        self.model.initialize(mxnet.init.Xavier(), ctx=self.context)
        self.model.hybridize()
        self.loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
        self.trainer = gluon.Trainer(self.model.collect_params(), "sgd",
                                     {"learning_rate": job.RATE, "momentum": job.MOMENTUM})

    def step(self, images, labels):
        images, labels = images.as_in_context(self.context), labels.as_in_context(self.context)
        with autograd.record():
            loss = self.loss_of(self.model(images), labels)
        loss.backward()
        self.trainer.step(len(images))
        return loss.mean().asscalar()

    def features(self, images):
        return self.model(images.as_in_context(self.context)).mean().asscalar()


if __name__ == "__main__":
    job.run(MXNet)
