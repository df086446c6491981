# SPDX-License-Identifier: MIT
"""The study's networks as they were published, as tables of layers, for frameworks whose zoo lacks them.

layers(model, classes, size) gives a network as a list of Layers, each with the shapes that it sees;
walk(layers, words, value) does or builds it: words.conv(value, layer) and so on return values of the
framework's own (tensors, symbols, modules...), which only it looks at.

A framework gives one method a kind:
    conv(x, layer)     kernel, stride, pad (the same on all four sides), groups (1, or as many as
                       channels: depthwise), bias (whether it has one); layer.out channels
    norm(x, layer)     batch normalisation with scale and shift, epsilon 1e-5, momentum 0.9
    relu(x, layer)     relu6(x, layer)
    pool(x, layer)     maximum; kernel, stride, pad
    mean(x, layer)     over all of height and width: (batch, channels)
    flatten(x, layer)  (batch, channels * height * width)
    linear(x, layer)   to layer.out, with a bias
    dropout(x, layer)  layer.rate is the share that is dropped
    add(x, y, layer)   two of the same shape
The last layer gives logits: softmax belongs to the loss. That of resnet50_features gives features.
"""
import collections
import sys

import numpy as np

Layer = collections.namedtuple("Layer", "name kind inputs before after out kernel stride pad groups bias rate")
Layer.__doc__ = """One layer. inputs: numbers of the layers whose values it takes, -1 for the images.
before, after: shapes (channels, height, width) or (features,), without the batch."""

# Rows are (what, numbers...): layers and blocks, as the functions of the same names below take them.
NETWORKS = {
    # Krizhevsky, "One weird trick": one tower.
    "alexnet": (
        ("conv_relu", 64, 11, 4, 2), ("pool", 3, 2), ("conv_relu", 192, 5), ("pool", 3, 2), ("conv_relu", 384, 3),
        ("conv_relu", 256, 3), ("conv_relu", 256, 3), ("pool", 3, 2), ("flatten",),
        ("dropout", 0.5), ("hidden", 4096), ("dropout", 0.5), ("hidden", 4096), ("classes",)),
    # Sandler et al., width 1.0: expansion, channels, blocks, stride of the first one.
    "mobilenet_v2": (
        ("conv_norm", 32, 3, 2, "relu6"),
        ("inverted", 1, 16, 1, 1), ("inverted", 6, 24, 2, 2), ("inverted", 6, 32, 3, 2), ("inverted", 6, 64, 4, 2),
        ("inverted", 6, 96, 3, 1), ("inverted", 6, 160, 3, 2), ("inverted", 6, 320, 1, 1),
        ("conv_norm", 1280, 1, 1, "relu6"), ("mean",), ("dropout", 0.2), ("classes",)),
    # He et al., version 1: a block's stride is that of its first convolution.
    "resnet50": (
        ("conv_norm", 64, 7, 2, "relu"), ("pool", 3, 2, 1),
        ("bottleneck", 64, 3, 1), ("bottleneck", 128, 4, 2), ("bottleneck", 256, 6, 2), ("bottleneck", 512, 3, 2),
        ("mean",), ("classes",)),
    # Simonyan and Zisserman, configuration D.
    "vgg16": (
        ("conv_relu", 64, 3), ("conv_relu", 64, 3), ("pool", 2, 2),
        ("conv_relu", 128, 3), ("conv_relu", 128, 3), ("pool", 2, 2),
        ("conv_relu", 256, 3), ("conv_relu", 256, 3), ("conv_relu", 256, 3), ("pool", 2, 2),
        ("conv_relu", 512, 3), ("conv_relu", 512, 3), ("conv_relu", 512, 3), ("pool", 2, 2),
        ("conv_relu", 512, 3), ("conv_relu", 512, 3), ("conv_relu", 512, 3), ("pool", 2, 2), ("flatten",),
        ("hidden", 4096), ("dropout", 0.5), ("hidden", 4096), ("dropout", 0.5), ("classes",)),
    # He et al. for CIFAR-10, n = 7, with a projection where the shape changes.
    "resnet44": (
        ("conv_norm", 16, 3, 1, "relu"), ("basic", 16, 7, 1), ("basic", 32, 7, 2), ("basic", 64, 7, 2),
        ("mean",), ("classes",)),
    # The small net of the second study, for CIFAR-10.
    "cifar_cnn": (
        ("conv_relu", 50, 3), ("conv_relu", 50, 3), ("pool", 2, 2), ("dropout", 0.25),
        ("conv_relu", 100, 3), ("conv_relu", 100, 3), ("pool", 2, 2), ("dropout", 0.25), ("flatten",),
        ("hidden", 512), ("dropout", 0.5), ("classes",)),
}
NETWORKS["resnet50_features"] = NETWORKS["resnet50"][:-1]  # what its last layer gets


class Network:
    """A network that is being written out: what its rows mean."""

    def __init__(self, classes, shape):
        self.number_of_classes, self.layers, self.input = classes, [], shape

    def last(self):
        return len(self.layers) - 1

    def shape(self, number):
        return self.layers[number].after if number >= 0 else self.input

    def layer(self, kind, after, inputs=None, out=None, kernel=None, stride=None, pad=None, groups=1, bias=True,
              rate=None):
        inputs = (self.last(),) if inputs is None else inputs
        name = "%s%d" % (kind, sum(layer.kind == kind for layer in self.layers) + 1)
        self.layers.append(Layer(name, kind, inputs, self.shape(inputs[0]), after, out, kernel, stride, pad, groups,
                                 bias, rate))
        return self.last()

    def same(self, kind, **more):
        """A layer that keeps the shape of the last one."""
        return self.layer(kind, self.shape(self.last()), **more)

    def conv(self, out, kernel, stride=1, pad=None, groups=1, bias=True, x=None):
        x = self.last() if x is None else x
        pad = kernel // 2 if pad is None else pad
        _, height, width = self.shape(x)
        after = (out, (height + 2 * pad - kernel) // stride + 1, (width + 2 * pad - kernel) // stride + 1)
        return self.layer("conv", after, (x,), out, kernel, stride, pad, groups, bias)

    def pool(self, kernel, stride, pad=0):
        channels, height, width = self.shape(self.last())
        after = (channels, (height + 2 * pad - kernel) // stride + 1, (width + 2 * pad - kernel) // stride + 1)
        return self.layer("pool", after, kernel=kernel, stride=stride, pad=pad)

    def mean(self):
        return self.layer("mean", self.shape(self.last())[:1])

    def flatten(self):
        channels, height, width = self.shape(self.last())
        return self.layer("flatten", (channels * height * width,))

    def dropout(self, rate):
        return self.same("dropout", rate=rate)

    def hidden(self, out):
        self.layer("linear", (out,), out=out)
        return self.same("relu")

    def classes(self):
        return self.layer("linear", (self.number_of_classes,), out=self.number_of_classes)

    def conv_relu(self, out, kernel, stride=1, pad=None):
        self.conv(out, kernel, stride, pad)
        return self.same("relu")

    def conv_norm(self, out, kernel, stride, activation=None, groups=1, x=None):
        self.conv(out, kernel, stride, groups=groups, bias=False, x=x)
        self.same("norm")
        return self.same(activation) if activation else self.last()

    def inverted(self, expansion, out, blocks, stride):
        """Inverted residuals: expand, filter each channel, project; a shortcut where the shape stays."""
        for block in range(blocks):
            x, channels = self.last(), self.shape(self.last())[0]
            stride = stride if block == 0 else 1
            if expansion > 1:
                self.conv_norm(channels * expansion, 1, 1, "relu6")
            self.conv_norm(channels * expansion, 3, stride, "relu6", groups=channels * expansion)
            self.conv_norm(out, 1, 1)
            if self.shape(x) == self.shape(self.last()):
                self.same("add", inputs=(x, self.last()))

    def residuals(self, convolutions, out, blocks, stride):
        """Blocks of convolutions (channels, kernel), with the shortcut added before the last relu."""
        for block in range(blocks):
            x, stride = self.last(), stride if block == 0 else 1
            for number, (channels, kernel) in enumerate(convolutions):
                self.conv_norm(channels, kernel, 1 if number else stride,
                               "relu" if number + 1 < len(convolutions) else None)
            y = self.last()
            if self.shape(x) != self.shape(y):
                x = self.conv_norm(out, 1, stride, x=x)
            self.layer("add", self.shape(y), (x, y))
            self.same("relu")

    def bottleneck(self, channels, blocks, stride):
        self.residuals(((channels, 1), (channels, 3), (4 * channels, 1)), 4 * channels, blocks, stride)

    def basic(self, channels, blocks, stride):
        self.residuals(((channels, 3), (channels, 3)), channels, blocks, stride)


def layers(model, classes, size, channels=3):
    """The network `model` of NETWORKS as a list of Layers, for images of size x size."""
    if model not in NETWORKS:
        sys.exit("%s is not written out for this framework" % model)
    network = Network(classes, (channels, size, size))
    for row in NETWORKS[model]:
        getattr(network, row[0])(*row[1:])
    return network.layers


def walk(layers, words, value):
    """What words make of `value`, a batch of images, layer by layer; values are let go after their last use."""
    last_use = {number: user for user, layer in enumerate(layers) for number in layer.inputs}
    values = {-1: value}
    for number, layer in enumerate(layers):
        values[number] = getattr(words, layer.kind)(*([values[i] for i in layer.inputs] + [layer]))
        for used in set(layer.inputs):
            if last_use[used] == number:
                del values[used]
    return values[len(layers) - 1]


def module(base, group, kinds):
    """Words of a framework whose layers are objects with state: a subclass of `base`, their base class, which is
    made of a list of layers and called with images. `kinds` makes the object of a layer; `group` holds them by name.
    """
    class Words(base):
        def __init__(self, layers):
            super().__init__()
            self.layers = layers
            self.parts = group({layer.name: kinds[layer.kind](layer) for layer in layers if layer.kind in kinds})

        def __getattr__(self, name):
            if name in kinds:
                return lambda x, layer: self.parts[layer.name](x)
            return super().__getattr__(name)

        def mean(self, x, layer):
            return x.mean((2, 3))

        def add(self, x, y, layer):
            return x + y

        def forward(self, images):
            return walk(self.layers, self, images)

    return Words


def parameters(layer):
    """What the layer learns: {name: shape}; convolutions as (out, in / groups, height, width), linear as (out, in)."""
    if layer.kind == "conv":
        shapes = {"weight": (layer.out, layer.before[0] // layer.groups, layer.kernel, layer.kernel)}
        return dict(shapes, bias=(layer.out,)) if layer.bias else shapes
    if layer.kind == "linear":
        return {"weight": (layer.out, layer.before[0]), "bias": (layer.out,)}
    if layer.kind == "norm":
        return {"scale": layer.before[:1], "shift": layer.before[:1]}
    return {}


def initial(layer, random):
    """Values to begin with, of a numpy RandomState: {name: float32 array}.

    Convolutions as He et al., as relu comes after them; linear layers keep the variance; else 1 and 0.
    """
    values = {}
    for name, shape in sorted(parameters(layer).items()):
        if name == "weight":
            deviation = ((2 if layer.kind == "conv" else 1) / np.prod(shape[1:])) ** 0.5
            values[name] = (random.standard_normal(shape) * deviation).astype(np.float32)
        else:
            values[name] = np.full(shape, name == "scale", np.float32)
    return values
