# SPDX-License-Identifier: MIT
"""The study's training with Paddle 1.8, whose layers were paddle.fluid's: it has no zoo, all is written out."""
import job
import networks
import numpy as np
from paddle import fluid

# Layers that learn, as Paddle makes them. A convolution of each channel is another operator without cuDNN.
MAKE = {
    "conv": lambda layer: fluid.dygraph.Conv2D(layer.before[0], layer.out, layer.kernel, layer.stride, layer.pad,
                                               groups=layer.groups, bias_attr=None if layer.bias else False,
                                               use_cudnn=layer.groups == 1),
    "norm": lambda layer: fluid.dygraph.BatchNorm(layer.before[0]),
    "linear": lambda layer: fluid.dygraph.Linear(layer.before[0], layer.out),
}


class Network(fluid.dygraph.Layer):
    """A table of networks.py as a layer; its methods are the table's words."""

    def __init__(self, layers, seed):
        super().__init__()
        self.layers, self.seed = layers, seed
        random = np.random.RandomState(seed)
        for layer in layers:
            if layer.kind in MAKE:
                made = self.add_sublayer(layer.name, MAKE[layer.kind](layer))
                if layer.kind != "norm":
                    values = networks.initial(layer, random)
                    made.weight.set_value(values["weight"].T if layer.kind == "linear" else values["weight"])

    def forward(self, images):
        return networks.walk(self.layers, self, images)

    def conv(self, x, layer):
        return getattr(self, layer.name)(x)

    norm = linear = conv

    def relu(self, x, layer):
        return fluid.layers.relu(x)

    def relu6(self, x, layer):
        return fluid.layers.relu6(x)

    def pool(self, x, layer):
        return fluid.layers.pool2d(x, layer.kernel, "max", layer.stride, layer.pad)

    def mean(self, x, layer):
        return fluid.layers.reduce_mean(x, dim=[2, 3])

    def flatten(self, x, layer):
        return fluid.layers.flatten(x)

    def dropout(self, x, layer):
        return fluid.layers.dropout(x, layer.rate, seed=self.seed, dropout_implementation="upscale_in_train")

    def add(self, x, y, layer):
        return x + y


class Paddle(job.Framework):
    def build(self):
        fluid.enable_dygraph(fluid.CUDAPlace(0) if self.args.device == "cuda" else fluid.CPUPlace())
        self.model = Network(networks.layers(self.args.model, self.args.classes, self.args.size), self.args.seed)
        self.model.train()
        self.optimiser = fluid.optimizer.Momentum(job.RATE, job.MOMENTUM, parameter_list=self.model.parameters())

    def step(self, images, labels):
        logits = self.model(fluid.dygraph.to_variable(images))
        labels = fluid.dygraph.to_variable(labels[:, None])
        loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(logits, labels))
        loss.backward()
        self.optimiser.minimize(loss)
        self.model.clear_gradients()
        return loss.numpy()

    def features(self, images):
        self.model.eval()
        with fluid.dygraph.no_grad():
            return self.model(fluid.dygraph.to_variable(images)).numpy().mean()


if __name__ == "__main__":
    job.run(Paddle)
