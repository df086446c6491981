# SPDX-License-Identifier: MIT
"""The study's training with TensorFlow 1: a graph and a session."""
import os
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
warnings.simplefilter("ignore")

import job  # noqa: E402
import networks  # noqa: E402
import tensorflow as tf  # noqa: E402

tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)


class Words:
    """The kinds of layers as nodes of the graph; convolutions of a CPU want the channels last."""

    def padded(self, x, layer):
        return tf.pad(x, [[0, 0], [layer.pad] * 2, [layer.pad] * 2, [0, 0]]) if layer.pad else x

    def conv(self, x, layer):
        x = self.padded(x, layer)
        if layer.groups == 1:
            return tf.layers.conv2d(x, layer.out, layer.kernel, layer.stride, use_bias=layer.bias)
        weights = tf.get_variable(layer.name, (layer.kernel, layer.kernel, layer.before[0], 1))
        return tf.nn.depthwise_conv2d(x, weights, (1, layer.stride, layer.stride, 1), "VALID")

    def norm(self, x, layer):
        return tf.layers.batch_normalization(x, momentum=0.9, epsilon=1e-5, training=True)

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
        return tf.layers.dropout(x, layer.rate, training=True)

    def add(self, x, y, layer):
        return x + y


class TensorFlow1(job.Framework):
    layout = "NHWC"

    def build(self):
        args = self.args
        tf.set_random_seed(args.seed)
        self.images = tf.placeholder(tf.float32, (None, args.size, args.size, 3))
        self.labels = tf.placeholder(tf.int64, (None,))
        logits = networks.walk(networks.layers(args.model, args.classes, args.size), Words(), self.images)
        self.loss = tf.losses.sparse_softmax_cross_entropy(self.labels, logits)
        train = tf.train.MomentumOptimizer(job.RATE, job.MOMENTUM).minimize(self.loss)
        self.train = tf.group(train, tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())

    def step(self, images, labels):
        return self.session.run((self.loss, self.train), {self.images: images, self.labels: labels})[0]


if __name__ == "__main__":
    job.run(TensorFlow1)
