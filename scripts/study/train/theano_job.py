# SPDX-License-Identifier: MIT
"""The study's training with Theano, its layers written out; g++ compiles them."""
import job
import made_up
import networks
import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.signal.pool import pool_2d


ACROSS = ("x", 0, "x", "x")  # a number for each channel


class Words:
    """The kinds of layers as Theano's expressions; `learned` are the variables that they made."""

    def __init__(self, seed, training):
        self.numpy, self.random, self.learned = np.random.RandomState(seed), MRG_RandomStreams(seed), []
        self.training = training

    def variables(self, layer):
        made = {name: theano.shared(value, layer.name + name)
                for name, value in networks.initial(layer, self.numpy).items()}
        self.learned += [made[name] for name in sorted(made)]
        return made

    def conv(self, x, layer):
        v = self.variables(layer)
        y = T.nnet.conv2d(x, v["weight"], border_mode=layer.pad, subsample=(layer.stride,) * 2, filter_flip=False,
                          num_groups=layer.groups)
        return y + v["bias"].dimshuffle(*ACROSS) if layer.bias else y

    def norm(self, x, layer):
        v = self.variables(layer)
        if self.training:
            return T.nnet.bn.batch_normalization_train(x, v["scale"], v["shift"], "spatial", epsilon=1.001e-5)[0]
        mean, variance = (T.constant(np.full((1, layer.before[0], 1, 1), value, np.float32)) for value in (0, 1))
        return (x - mean) / T.sqrt(variance + 1.001e-5) * v["scale"].dimshuffle(*ACROSS) + v["shift"].dimshuffle(*ACROSS)

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


class Reader:
    """The second study's network for reviews: words, a layer of GRU, and what its last state says."""

    def __init__(self, seed, classes):
        random = np.random.RandomState(seed)
        sizes = ((made_up.WORDS, 125), (125, 300), (100, 200), (100, 100), (300,), (100, classes), (classes,))
        self.learned = [theano.shared((random.standard_normal(size) * 0.1).astype(np.float32)) for size in sizes]

    def state(self, x, before, gates, change):
        """After a word; x is what that says to both gates and to the change."""
        reset, keep = (T.nnet.sigmoid(part) for part in T.split(x[:, :200] + T.dot(before, gates), [100, 100], 2, 1))
        new = T.tanh(x[:, 200:] + T.dot(reset * before, change))
        return keep * before + (1 - keep) * new

    def logits(self, reviews):
        words, into, gates, change, shift, out, bias = self.learned
        x = T.dot(words[reviews.T], into) + shift
        states, _ = theano.scan(self.state, [x], [T.zeros((reviews.shape[0], 100), "float32")], [gates, change])
        return T.dot(states[-1], out) + bias


class Theano(job.Framework):
    def logits(self, examples):
        """Of the expression of a batch, and what is learned for them."""
        if self.args.model == "imdb_rnn":
            reader = Reader(self.args.seed, self.args.classes)
            return reader.logits(examples), reader.learned
        words = Words(self.args.seed, self.args.model != "resnet50_features")
        layers = networks.layers(self.args.model, self.args.classes, self.args.size)
        return networks.walk(layers, words, examples), words.learned

    def build(self):
        theano.config.floatX = "float32"
        images, labels = T.lmatrix("words") if self.args.model == "imdb_rnn" else T.ftensor4("images"), T.lvector("labels")
        logits, learned = self.logits(images)
        if self.args.model == "resnet50_features":
            self.features = theano.function([images], logits.mean())
            return
        loss = T.nnet.categorical_crossentropy(T.nnet.softmax(logits), labels).mean()
        updates = []
        for variable, slope in zip(learned, T.grad(loss, learned)):
            momentum = theano.shared(np.zeros_like(variable.get_value()))
            change = job.MOMENTUM * momentum - job.RATE * slope
            updates += [(momentum, change), (variable, variable + change)]
        self.step = theano.function([images, labels], loss, updates=updates)


if __name__ == "__main__":
    job.run(Theano)
