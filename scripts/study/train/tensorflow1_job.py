# SPDX-License-Identifier: MIT
"""The study's training with TensorFlow 1: a graph and a session."""
import os
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
warnings.simplefilter("ignore")

import job  # noqa: E402
import made_up  # noqa: E402
import networks  # noqa: E402
import tensorflow as tf  # noqa: E402

tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)


class Words:
    """The kinds of layers as nodes of the graph; convolutions of a CPU want the channels last."""

    def __init__(self, training):
        self.training = training

    def padded(self, x, layer):
        return tf.pad(x, [[0, 0], [layer.pad] * 2, [layer.pad] * 2, [0, 0]]) if layer.pad else x

    def conv(self, x, layer):
        x = self.padded(x, layer)
        if layer.groups == 1:
            return tf.layers.conv2d(x, layer.out, layer.kernel, layer.stride, use_bias=layer.bias)
        weights = tf.get_variable(layer.name, (layer.kernel, layer.kernel, layer.before[0], 1))
        return tf.nn.depthwise_conv2d(x, weights, (1, layer.stride, layer.stride, 1), "VALID")

    def norm(self, x, layer):
        return tf.layers.batch_normalization(x, momentum=0.9, epsilon=1e-5, training=self.training)

    def relu(self, x, layer):
        return tf.nn.relu(x)

    def relu6(self, x, layer):
        return tf.nn.relu6(x)

    def pool(self, x, layer):
        return tf.layers.max_pooling2d(self.padded(x, layer), layer.kernel, layer.stride)

    def mean(self, x, layer):
        return tf.reduce_mean(x, (1, 2))

    def flatten(self, x, layer):
        return tf.layers.flatten(x)

    def linear(self, x, layer):
        return tf.layers.dense(x, layer.out)

    def dropout(self, x, layer):
        return tf.layers.dropout(x, layer.rate, training=self.training)

    def add(self, x, y, layer):
        return x + y


class TensorFlow1(job.Framework):
    layout = "NHWC"

    def network(self):
        """The examples' node, and that of what is made of them."""
        args = self.args
        if args.model == "imdb_rnn":  # words, a layer of GRU, and what its last state says
            reviews = tf.placeholder(tf.int64, (None, args.size))
            vectors = tf.nn.embedding_lookup(tf.get_variable("words", (made_up.WORDS, 125)), reviews)
            _, last = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(100), vectors, dtype=tf.float32)
            return reviews, tf.layers.dense(last, args.classes)
        images = tf.placeholder(tf.float32, (None, args.size, args.size, 3))
        words = Words(args.model != "resnet50_features")
        return images, networks.walk(networks.layers(args.model, args.classes, args.size), words, images)

    def build(self):
        tf.set_random_seed(self.args.seed)
        self.examples, logits = self.network()
        if self.args.model == "resnet50_features":
            self.mean = tf.reduce_mean(logits)
        else:
            self.labels = tf.placeholder(tf.int64, (None,))
            self.loss = tf.losses.sparse_softmax_cross_entropy(self.labels, logits)
            train = tf.train.MomentumOptimizer(job.RATE, job.MOMENTUM).minimize(self.loss)
            self.train = tf.group(train, tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())

    def step(self, examples, labels):
        return self.session.run((self.loss, self.train), {self.examples: examples, self.labels: labels})[0]

    def features(self, images):
        return self.session.run(self.mean, {self.examples: images})


if __name__ == "__main__":
    job.run(TensorFlow1)
