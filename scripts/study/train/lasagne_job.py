# SPDX-License-Identifier: MIT
"""The study's training with Lasagne's layers on Theano. Lasagne 0.1 has no batch normalisation."""
import sys
import types

import job
import made_up
import networks
import theano.tensor as T
import theano_job
from theano.tensor.signal import pool

# Lasagne 0.1 asks for a module that Theano has not had since 0.9.
downsample = types.ModuleType("theano.tensor.signal.downsample")
downsample.max_pool_2d = lambda x, ds, ignore_border=None, st=None, padding=(0, 0), mode="max": pool.pool_2d(
    x, ds, ignore_border=ignore_border, stride=st, pad=padding, mode=mode)
sys.modules[downsample.__name__] = T.signal.downsample = downsample

import lasagne  # noqa: E402


class Words:
    """The kinds of layers, in Lasagne's words."""

    def conv(self, x, layer):
        return lasagne.layers.Conv2DLayer(x, layer.out, layer.kernel, layer.stride, layer.pad, nonlinearity=None)

    def relu(self, x, layer):
        return lasagne.layers.NonlinearityLayer(x, lasagne.nonlinearities.rectify)

    def pool(self, x, layer):
        return lasagne.layers.MaxPool2DLayer(x, layer.kernel, layer.stride, layer.pad)

    def flatten(self, x, layer):
        return lasagne.layers.FlattenLayer(x)

    def linear(self, x, layer):
        return lasagne.layers.DenseLayer(x, layer.out, nonlinearity=None)

    def dropout(self, x, layer):
        return lasagne.layers.DropoutLayer(x, layer.rate)


def reader(reviews, words, classes):
    """The second study's network for reviews: words, a layer of GRU, and what its last state says."""
    vectors = lasagne.layers.EmbeddingLayer(lasagne.layers.InputLayer((None, words), reviews), made_up.WORDS, 125)
    last = lasagne.layers.SliceLayer(lasagne.layers.GRULayer(vectors, 100), -1, 1)
    return lasagne.layers.DenseLayer(last, classes, nonlinearity=None)


class Lasagne(theano_job.Theano):
    def logits(self, examples):
        args = self.args
        lasagne.random.set_rng(theano_job.np.random.RandomState(args.seed))
        if args.model == "imdb_rnn":
            network = reader(examples, args.size, args.classes)
        else:
            network = networks.walk(networks.layers(args.model, args.classes, args.size), Words(),
                                    lasagne.layers.InputLayer((None, 3, args.size, args.size), examples))
        return lasagne.layers.get_output(network), lasagne.layers.get_all_params(network, trainable=True)


if __name__ == "__main__":
    job.run(Lasagne)
