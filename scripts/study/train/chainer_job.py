# SPDX-License-Identifier: MIT
"""The study's training with Chainer: its own VGG16 and ResNet-50, the others written out."""
import chainer
import chainer.functions as F
import chainer.links as L
import job
import made_up
import networks
import numpy as np


class Zoo(chainer.Chain):
    """Chainer's own, with linear layers for images of any size and so many classes."""

    def __init__(self, model, classes):
        super().__init__()
        with self.init_scope():
            self.body = {"vgg16": L.VGG16Layers, "resnet50": L.ResNet50Layers}[model](None)
        sizes = {"fc6": 4096, "fc8": classes} if model == "vgg16" else {"fc6": classes}
        for name, size in sizes.items():
            delattr(self.body, name)
            self.body.add_link(name, L.Linear(None, size))
        self.last = max(sizes)

    def forward(self, images):
        return self.body(images, [self.last])[self.last]


class Written(chainer.Chain):
    """A network of networks.py: links for what learns, functions for the rest."""

    def __init__(self, layers):
        super().__init__()
        self.layers = layers
        with self.init_scope():
            for layer in layers:
                if layer.kind == "conv":
                    setattr(self, layer.name, L.Convolution2D(layer.before[0], layer.out, layer.kernel, layer.stride,
                                                              layer.pad, not layer.bias, groups=layer.groups))
                elif layer.kind == "norm":
                    setattr(self, layer.name, L.BatchNormalization(layer.before[0], eps=1e-5))
                elif layer.kind == "linear":
                    setattr(self, layer.name, L.Linear(layer.before[0], layer.out))

    def forward(self, images):
        return networks.walk(self.layers, self, images)

    def conv(self, x, layer):
        return self[layer.name](x)

    norm = linear = conv

    def relu(self, x, layer):
        return F.relu(x)

    def relu6(self, x, layer):
        return F.clip(x, 0., 6.)

    def pool(self, x, layer):
        return F.max_pooling_2d(x, layer.kernel, layer.stride, layer.pad, cover_all=False)

    def mean(self, x, layer):
        return F.mean(x, (2, 3))

    def flatten(self, x, layer):
        return F.reshape(x, (len(x), -1))

    def dropout(self, x, layer):
        return F.dropout(x, layer.rate)

    def add(self, x, y, layer):
        return x + y


class Features(chainer.Chain):
    """What ResNet-50 makes of images, before its last layer."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.body = L.ResNet50Layers(None)

    def forward(self, images):
        return self.body(images, ["pool5"])["pool5"]


class Reader(chainer.Chain):
    """The second study's network for reviews: words, a layer of GRU, and what its last state says."""

    def __init__(self, classes):
        super().__init__()
        with self.init_scope():
            self.words, self.verdict = L.EmbedID(made_up.WORDS, 125), L.Linear(100, classes)
            self.memory = L.NStepGRU(1, 125, 100, 0)

    def forward(self, reviews):
        last, _ = self.memory(None, [self.words(review) for review in reviews])
        return self.verdict(last[-1])


class Chainer(job.Framework):
    def build(self):
        args = self.args
        np.random.seed(args.seed)
        self.device = chainer.get_device("@numpy" if args.device == "cpu" else "@cupy:0")
        self.device.use()
        if args.model == "resnet50_features":
            network = Features()
        elif args.model == "imdb_rnn":
            network = Reader(args.classes)
        elif args.model in ("vgg16", "resnet50"):
            network = Zoo(args.model, args.classes)
        else:
            network = Written(networks.layers(args.model, args.classes, args.size))
        self.classifier = L.Classifier(network, accfun=None)
        self.classifier.compute_accuracy = False
        self.classifier.to_device(self.device)
        self.optimiser = chainer.optimizers.MomentumSGD(job.RATE, job.MOMENTUM).setup(self.classifier)

    def step(self, images, labels):
        self.optimiser.update(self.classifier, self.device.send(images), self.device.send(labels.astype(np.int32)))
        return self.classifier.loss.array

    def features(self, images):
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            return self.classifier.predictor(self.device.send(images)).array.mean()


if __name__ == "__main__":
    job.run(Chainer)
