# SPDX-License-Identifier: MIT
"""The study's training with CNTK's layers."""
import os
import warnings

warnings.simplefilter("ignore")  # of what was new after its time

import cntk as C  # noqa: E402
import job  # noqa: E402
import made_up  # noqa: E402
import networks  # noqa: E402
import numpy as np  # noqa: E402


class Words:
    """The kinds of layers, in CNTK's words; it pads by itself only so that a size stays."""

    def __init__(self, training):
        self.training = training

    def padded(self, x, layer):
        return C.pad(x, [(0, 0)] + [(layer.pad,) * 2] * 2) if layer.pad else x

    def conv(self, x, layer):
        if layer.groups > 1:
            shape = (layer.out, layer.before[0] // layer.groups) + (layer.kernel,) * 2
            weights = C.parameter(shape, init=C.he_normal())
            return C.convolution(weights, self.padded(x, layer), (layer.before[0], layer.stride, layer.stride),
                                 auto_padding=[False], groups=layer.groups)
        return C.layers.Convolution2D((layer.kernel,) * 2, layer.out, strides=layer.stride, bias=layer.bias,
                                      pad=False)(self.padded(x, layer))

    def norm(self, x, layer):
        if self.training:
            return C.layers.BatchNormalization(map_rank=1, epsilon=1e-5)(x)
        of_channels = (layer.before[0], 1, 1)  # CNTK begins with a variance of 0, which an untrained network keeps
        return x * C.parameter(of_channels, init=1) + C.parameter(of_channels, init=0)

    def relu(self, x, layer):
        return C.relu(x)

    def relu6(self, x, layer):
        return C.clip(x, 0, 6)

    def pool(self, x, layer):
        return C.layers.MaxPooling((layer.kernel,) * 2, layer.stride)(self.padded(x, layer))

    def mean(self, x, layer):
        return C.reshape(C.layers.GlobalAveragePooling()(x), layer.after)

    def flatten(self, x, layer):
        return C.reshape(x, layer.after)

    def linear(self, x, layer):
        return C.layers.Dense(layer.out)(x)

    def dropout(self, x, layer):
        return C.layers.Dropout(layer.rate)(x)

    def add(self, x, y, layer):
        return x + y


class Cntk(job.Framework):
    def network(self):
        """The examples' variable, and what is made of them."""
        args = self.args
        if args.model == "imdb_rnn":  # words, a layer of GRU, and what its last state says
            words = C.sequence.input_variable(made_up.WORDS, is_sparse=True)
            reader = C.layers.Sequential([C.layers.Embedding(125), C.layers.Recurrence(C.layers.GRU(100)),
                                          C.sequence.last, C.layers.Dense(args.classes)])
            return words, reader(words)
        images = C.input_variable((3, args.size, args.size))
        words = Words(args.model != "resnet50_features")
        return images, networks.walk(networks.layers(args.model, args.classes, args.size), words, images)

    def build(self):
        args = self.args
        C.try_set_default_device(C.cpu() if args.device == "cpu" else C.gpu(0))
        C.cntk_py.set_fixed_random_seed(args.seed)
        self.examples, self.logits = self.network()
        if args.model != "resnet50_features":
            self.train(self.logits)

    def train(self, logits):
        self.labels = C.input_variable(self.args.classes)
        loss = C.cross_entropy_with_softmax(logits, self.labels)
        rate = C.learning_parameter_schedule(job.RATE, minibatch_size=C.learners.IGNORE)
        learner = C.momentum_sgd(logits.parameters, rate, C.momentum_schedule(job.MOMENTUM), unit_gain=False)
        self.trainer = C.Trainer(logits, (loss, C.classification_error(logits, self.labels)), [learner])

    def step(self, examples, labels):
        if self.args.model == "imdb_rnn":
            examples = C.Value.one_hot(examples.tolist(), made_up.WORDS)
        rows = np.eye(self.args.classes, dtype=np.float32)[labels]
        self.trainer.train_minibatch({self.examples: examples, self.labels: rows})
        return self.trainer.previous_minibatch_loss_average

    def features(self, images):
        return self.logits.eval({self.examples: images}).mean()


def prepare(threads):
    """It asks OpenMP for a thread a core, whatever the user told OpenMP."""
    if threads:
        C.cntk_py.set_max_num_cputhreads(int(threads))


if __name__ == "__main__":
    prepare(os.environ.get("OMP_NUM_THREADS"))
    job.run(Cntk)
