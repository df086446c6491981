# SPDX-License-Identifier: MIT
"""The study's training with Theano, its layers written out; g++ compiles them."""
import job
import networks
import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.signal.pool import pool_2d


class Words:
    """The kinds of layers as Theano's expressions; `learned` are the variables that they made."""

    def __init__(self, seed):
        self.numpy, self.random, self.learned = np.random.RandomState(seed), MRG_RandomStreams(seed), []

    def variables(self, layer):
        made = {name: theano.shared(value, layer.name + name)
                for name, value in networks.initial(layer, self.numpy).items()}
        self.learned += [made[name] for name in sorted(made)]
        return made

    def conv(self, x, layer):
        v = self.variables(layer)
        y = T.nnet.conv2d(x, v["weight"], border_mode=layer.pad, subsample=(layer.stride,) * 2, filter_flip=False,
                          num_groups=layer.groups)
        return y + v["bias"].dimshuffle("x", 0, "x", "x") if layer.bias else y

    def norm(self, x, layer):
        v = self.variables(layer)
        return T.nnet.bn.batch_normalization_train(x, v["scale"], v["shift"], "spatial", epsilon=1.001e-5)[0]

    def relu(self, x, layer):
        return T.nnet.relu(x)

    def relu6(self, x, layer):
        return T.clip(x, 0, 6)

    def pool(self, x, layer):
        return pool_2d(x, (layer.kernel,) * 2, ignore_border=True, stride=(layer.stride,) * 2, pad=(layer.pad,) * 2)

    def mean(self, x, layer):
        return x.mean((2, 3))

    def flatten(self, x, layer):
        return x.flatten(2)

    def linear(self, x, layer):
        v = self.variables(layer)
        return T.dot(x, v["weight"].T) + v["bias"]

    def dropout(self, x, layer):
        return x * self.random.binomial(x.shape, p=1 - layer.rate, dtype=x.dtype) / (1 - layer.rate)

    def add(self, x, y, layer):
        return x + y


class Theano(job.Framework):
    def logits(self, images):
        """Of the expression of a batch of images, and what is learned for them."""
        words = Words(self.args.seed)
        layers = networks.layers(self.args.model, self.args.classes, self.args.size)
        return networks.walk(layers, words, images), words.learned

    def build(self):
        theano.config.floatX = "float32"
        images, labels = T.ftensor4("images"), T.lvector("labels")
        logits, learned = self.logits(images)
        loss = T.nnet.categorical_crossentropy(T.nnet.softmax(logits), labels).mean()
        updates = []
        for variable, slope in zip(learned, T.grad(loss, learned)):
            momentum = theano.shared(np.zeros_like(variable.get_value()))
            change = job.MOMENTUM * momentum - job.RATE * slope
            updates += [(momentum, change), (variable, variable + change)]
        self.step = theano.function([images, labels], loss, updates=updates)


if __name__ == "__main__":
    job.run(Theano)
